package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A fleet is one case of several collectors while it is played: a front that spreads spans, and scorers behind it.
type fleet struct {
	fleetCase
	seed    uint64
	binary  string
	dir     string
	rng     *rand.Rand
	broker  *broker // nil: the front sends to the scorers by itself
	front   *collector
	scorers []*scorer
	ledger  *ledger
	senders *senders
	giveUp  context.CancelFunc

	faults       []fault
	began, ended time.Time // of the load

	frontCPU, scorersCPU float64 // seconds, of the processes that ran at the end
}

// A scorer is a collector with a sink of its own, which shows where spans went.
type scorer struct {
	*collector
	sink *sink
	out  bool // the front does not know it, or not any more
}

// perform plays the case and ends all that it started.
func (f *fleet) perform(ctx context.Context) (err error) {
	sending, giveUp := context.WithCancel(ctx)
	f.giveUp = giveUp
	defer func() { err = errors.Join(err, f.end()) }()
	for range f.members {
		if err := f.add(ctx); err != nil {
			return err
		}
	}
	if f.front, err = f.make(ctx, "front"); err != nil {
		return err
	}
	if err := f.configureFront(); err != nil {
		return err
	}
	if err := f.front.startWithin(ctx, 0, fleetStart); err != nil {
		return fmt.Errorf("the front: %w\n%s", err, f.front.logEnd())
	}
	if err := f.assigned(ctx, len(f.scorers)); err != nil {
		return err
	}
	if f.senders, err = startSenders(sending, f.load, f.seed, f.ledger, f.front.endpoint); err != nil {
		return err
	}
	f.began = time.Now()
	return f.play(ctx, f)
}

func (f *fleet) end() (err error) {
	f.giveUp()
	if f.senders != nil {
		f.senders.done.Wait()
	}
	for _, c := range f.collectors() {
		err = errors.Join(err, c.kill(), c.log.Close())
	}
	for _, s := range f.scorers {
		s.sink.stop()
	}
	return err
}

func (f *fleet) collectors() []*collector {
	var all []*collector
	if f.front != nil {
		all = append(all, f.front)
	}
	for _, s := range f.scorers {
		all = append(all, s.collector)
	}
	return all
}

// make is a collector in a folder of its own, which is not started.
func (f *fleet) make(ctx context.Context, name string) (*collector, error) {
	dir := filepath.Join(f.dir, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return newCollector(ctx, f.binary, dir)
}

// add starts a further scorer. The front learns of it when it is configured.
func (f *fleet) add(ctx context.Context) error {
	c, err := f.make(ctx, fmt.Sprintf("scorer-%d", len(f.scorers)))
	if err != nil {
		return err
	}
	sink, err := startSink()
	if err != nil {
		return err
	}
	s := &scorer{collector: c, sink: sink}
	f.scorers = append(f.scorers, s)
	if err := f.configureScorer(s, len(f.scorers)-1); err != nil {
		return err
	}
	if err := c.startWithin(ctx, 0, fleetStart); err != nil {
		return fmt.Errorf("a scorer: %w\n%s", err, c.logEnd())
	}
	return nil
}

func (c *collector) logEnd() string {
	text, _ := os.ReadFile(logFile(c.dir)) // it is for a message
	return string(text[max(0, len(text)-2000):])
}

// endpoints are where the front finds scorers.
func (f *fleet) endpoints() []string {
	var all []string
	for _, s := range f.scorers {
		if !s.out {
			all = append(all, s.endpoint)
		}
	}
	return all
}

// during notes a fault while do runs.
func (f *fleet) during(do func() error) error {
	at := fault{from: time.Now()}
	err := do()
	at.to = time.Now()
	f.faults = append(f.faults, at)
	return err
}

// reroute has the front read the list of scorers again, as it does when a name resolves to other addresses.
func (f *fleet) reroute(ctx context.Context) error {
	starts, err := f.front.starts()
	if err != nil {
		return err
	}
	if err := errors.Join(f.configureFront(), f.front.process.Reload()); err != nil {
		return err
	}
	for {
		now, err := f.front.starts()
		if err != nil || now > starts {
			return err
		}
		if err := sleep(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the front did not reload: %w", err)
		}
	}
}

// arrivals has the spans that all sinks received, and the largest share of one sink.
func (f *fleet) arrivals() (all arrivals, busiest float64) {
	all = newArrivals()
	total, most := 0, 0
	for _, s := range f.scorers {
		s.sink.look(func(a arrivals) {
			n := 0
			for id, times := range a.times {
				all.times[id] += times
				n += times
			}
			for id, v := range a.verdicts {
				all.verdicts[id] = slices.Concat(all.verdicts[id], v)
			}
			total, most = total+n, max(most, n)
		})
	}
	return all, float64(most) / float64(max(1, total))
}

// missing is how many acknowledged spans have not arrived.
func (f *fleet) missing() (n int) {
	all, _ := f.arrivals()
	f.ledger.look(func(s *sent) {
		for id := range s.acked {
			if all.times[id] == 0 {
				n++
			}
		}
	})
	return n
}

// finish ends the load, waits until all has arrived or nothing more does, and stops the collectors.
func (f *fleet) finish(ctx context.Context) error {
	timer := time.AfterFunc(2*grace, f.giveUp)
	f.senders.stop()
	timer.Stop()
	f.ended = time.Now()
	for before, last := -1, time.Now(); ; {
		n := f.missing()
		if n != before {
			before, last = n, time.Now()
		}
		// Copies come after the first: what is acknowledged may be there, and a run may still be judged once more.
		if time.Since(last) > f.quiet && n == 0 || time.Since(last) > 4*f.quiet || sleep(ctx, 200*time.Millisecond) != nil {
			break
		}
	}
	f.frontCPU, f.scorersCPU = f.cpu()
	err := f.front.terminate()
	for _, s := range f.scorers {
		if s.process != nil {
			err = errors.Join(err, s.terminate())
		}
	}
	return err
}

// panics are those of all logs.
func (f *fleet) panics() (found []string) {
	for _, c := range f.collectors() {
		text, err := os.ReadFile(logFile(c.dir))
		if err != nil {
			return append(found, err.Error())
		}
		found = append(found, panics(text)...)
	}
	return found
}

// logs are the ends of all logs.
func (f *fleet) logs() []byte {
	var b strings.Builder
	for _, c := range f.collectors() {
		text, _ := os.ReadFile(logFile(c.dir)) // it is for a message
		fmt.Fprintf(&b, "== %s\n%s\n", filepath.Base(c.dir), text)
	}
	return []byte(b.String())
}
