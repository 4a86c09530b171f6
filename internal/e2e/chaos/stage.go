package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

const (
	// grace is how long senders may continue the jobs that they have begun when a load ends.
	grace = 20 * time.Second
	// slack is what a held anchor takes longer than its wait: ticks, and the way to the sink on a busy machine.
	slack = 2 * time.Second
)

// A stage is one case while it is played.
type stage struct {
	scenario
	seed      uint64
	dir       string
	rng       *rand.Rand
	sink      *sink
	collector *collector
	ledger    *ledger
	senders   *senders
	giveUp    context.CancelFunc // ends the senders

	faults []fault
	held   int // how many acknowledged spans were held when the last fault came
}

func newStage(ctx context.Context, s scenario, o options, dir string) (*stage, error) {
	c, err := newCollector(ctx, o.collector, dir)
	if err != nil {
		return nil, err
	}
	sink, err := startSink()
	if err != nil {
		return nil, err
	}
	return &stage{
		scenario: s, seed: o.seed, dir: dir, rng: rand.New(rand.NewPCG(o.seed, 0)),
		sink: sink, collector: c, ledger: newLedger(),
	}, nil
}

// perform plays the case and ends all that it started.
func (st *stage) perform(ctx context.Context) (err error) {
	sending, giveUp := context.WithCancel(ctx)
	st.giveUp = giveUp
	defer func() {
		giveUp()
		if st.senders != nil {
			st.senders.done.Wait()
		}
		st.sink.stop()
		err = errors.Join(err, st.collector.kill(), st.collector.log.Close())
	}()
	if err := st.configure(st.settings); err != nil {
		return err
	}
	if err := st.collector.start(ctx, st.fileKiB); err != nil {
		return err
	}
	if st.senders, err = startSenders(sending, st.load, st.seed, st.ledger, st.collector.endpoint); err != nil {
		return err
	}
	return st.play(ctx, st)
}

func (st *stage) configure(s settings) error {
	return s.write(st.dir, st.collector.endpoint, st.sink.endpoint)
}

// finish ends the load, waits until all has arrived, and stops the collector.
func (st *stage) finish(ctx context.Context) error {
	timer := time.AfterFunc(grace, st.giveUp)
	st.senders.stop()
	timer.Stop()
	st.drain(ctx)
	return st.collector.terminate()
}

// drain returns when all that was acknowledged has arrived, or when nothing arrives any more.
func (st *stage) drain(ctx context.Context) {
	before, last := -1, time.Now()
	for st.missing() > 0 {
		n := 0
		st.sink.look(func(a arrivals) { n = len(a.times) })
		if n != before {
			before, last = n, time.Now()
		}
		if time.Since(last) > st.quiet || sleep(ctx, 50*time.Millisecond) != nil {
			return
		}
	}
}

// missing is how many acknowledged spans have not arrived.
func (st *stage) missing() (n int) {
	st.ledger.look(func(s *sent) {
		st.sink.look(func(a arrivals) {
			if n = len(s.acked) - len(a.times); n <= 0 { // else it is at least that, and cheap to count
				n = s.missing(a)
			}
		})
	})
	return n
}

// kill ends the collector as kill -9 does, notes what it held, and starts it again, with a limit on its files in KiB.
func (st *stage) kill(ctx context.Context, fileKiB int) error {
	f := fault{from: time.Now()}
	st.held = st.holding()
	if err := st.collector.kill(); err != nil {
		return err
	}
	err := st.collector.start(ctx, fileKiB)
	f.to = time.Now()
	st.faults = append(st.faults, f)
	return err
}

// holding is how many acknowledged spans that the processor may hold have not arrived.
func (st *stage) holding() (n int) {
	st.ledger.look(func(s *sent) {
		heldable := s.heldable()
		st.sink.look(func(a arrivals) {
			for id := range heldable {
				if _, acked := s.acked[id]; acked && a.times[id] == 0 {
					n++
				}
			}
		})
	})
	return n
}

// reload has the collector read a changed configuration, and returns when it runs on it.
func (st *stage) reload(ctx context.Context, s settings) error {
	if err := st.configure(s); err != nil {
		return err
	}
	f := fault{from: time.Now()}
	if err := st.collector.reload(ctx); err != nil {
		return err
	}
	f.to = time.Now()
	st.faults = append(st.faults, f)
	return nil
}

// refusals waits until senders were refused n times, for at most bound.
func (st *stage) refusals(ctx context.Context, n int, bound time.Duration) error {
	for end := time.Now().Add(bound); time.Now().Before(end); {
		refused := 0
		st.ledger.look(func(s *sent) { refused = s.retries })
		if refused >= n {
			return nil
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return errors.New("senders were not refused")
}

func (st *stage) count(r *result) {
	st.sink.look(func(a arrivals) { r.count(st.ledger, a, st.faults, st.settings) })
	r.held = st.held
}

func (st *stage) logs() map[string]string { return map[string]string{"collector": logFile(st.dir)} }
