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

// A fleet is one case of several collectors while it is played: a front that spreads spans by load_balancing, and scorers behind it.
type fleet struct {
	scenario
	seed    uint64
	binary  string
	dir     string
	rng     *rand.Rand
	front   *collector
	scorers []*scorer
	ledger  *ledger
	senders *senders
	giveUp  context.CancelFunc // ends the senders
	faults  []fault
}

// A scorer is a collector with a sink of its own.
type scorer struct {
	*collector
	sink *sink
	out  bool // the front does not know it, or not any more
}

// fleetCases are those with several collectors. Their load is some 110 runs a second, each under way for up to three seconds.
// Senders begin one after the other, so that at any moment runs are at all their stages.
func fleetCases(short bool) []scenario {
	long := pick(short, 12*time.Second, 24*time.Second)
	moved := promise{duplicates: true, cuts: true, partial: anyNumber}
	returned, forgotten, added, drained := promise{duplicates: true}, moved, moved, moved
	returned.reason = "A scorer is killed with kill -9 and comes back with its storage and address. Meanwhile its senders wait. A span that it " +
		"had released, but not yet struck off, comes twice."
	forgotten.reason = "The killed scorer's traces move to the others, and back when it returns. A run that was under way at either time has " +
		"its calls in two places."
	added.reason = "A fourth scorer takes a quarter of the traces. Runs under way that move have their calls in two places."
	drained.reason = "The front forgets a scorer, which is stopped when its last runs have closed. Runs under way that move have their calls " +
		"in two places."
	cases := []scenario{
		{name: "steady", fleet: lasting(long), promise: promise{reason: "All spans of a trace reach one scorer, so a run is judged once and with " +
			"all its calls."}},
		{name: "kill-and-return", fleet: killInPlace(long), promise: returned},
		{name: "kill-and-move", fleet: killAndMove(long), promise: forgotten},
		{name: "add", fleet: addOne(long), promise: added},
		{name: "drain", fleet: drainOne(long), promise: drained},
	}
	for i := range cases {
		cases[i].settings = settings{wait: time.Second, storage: true}
		cases[i].load = load{senders: 100, rate: 100, shape: small, stagger: 4 * time.Second}
		cases[i].quiet = 4 * time.Second
		cases[i].bound = 4 * time.Minute
	}
	return cases
}

// perform plays the case and ends all that it started.
func (f *fleet) perform(ctx context.Context) (err error) {
	sending, giveUp := context.WithCancel(ctx)
	f.giveUp = giveUp
	defer func() { err = errors.Join(err, f.end()) }()
	for range 3 {
		if err := f.add(ctx); err != nil {
			return err
		}
	}
	if f.front, err = f.make(ctx, "front"); err != nil {
		return err
	}
	if err := errors.Join(f.configureFront(), f.front.start(ctx, 0)); err != nil {
		return fmt.Errorf("the front: %w", err)
	}
	if f.senders, err = startSenders(sending, f.load, f.seed, f.ledger, f.front.endpoint); err != nil {
		return err
	}
	return f.fleet(ctx, f)
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

// add starts a further scorer. The front learns of it when it is configured. The scorer's exporter has no queue, so that what it
// holds is the processor's.
func (f *fleet) add(ctx context.Context) error {
	c, err := f.make(ctx, fmt.Sprintf("scorer-%d", len(f.scorers)))
	if err != nil {
		return err
	}
	sink, err := startSink()
	if err != nil {
		return err
	}
	f.scorers = append(f.scorers, &scorer{collector: c, sink: sink})
	set := f.settings
	set.noQueue = true
	if err := errors.Join(set.write(c.dir, c.endpoint, sink.endpoint), c.start(ctx, 0)); err != nil {
		return fmt.Errorf("a scorer: %w", err)
	}
	return nil
}

// configureFront writes the front's configuration for the scorers that it shall know. It has no queue, so that it acknowledges a
// span only when a scorer has it.
func (f *fleet) configureFront() error {
	var known []string
	for _, s := range f.scorers {
		if !s.out {
			known = append(known, s.endpoint)
		}
	}
	return replaceFile(configFile(f.front.dir), fmt.Sprintf(`
receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}
exporters:
  load_balancing:
    routing_key: traceID
    protocol:
      otlp: {timeout: 5s, tls: {insecure: true}, compression: none, sending_queue: {enabled: false}, retry_on_failure: {enabled: false}}
    retry_on_failure: {enabled: true, initial_interval: 100ms, max_interval: 500ms, max_elapsed_time: 8s}
    resolver: {static: {hostnames: [%s]}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [load_balancing]}}
`, f.front.endpoint, strings.Join(known, ", ")))
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
	if err := f.configureFront(); err != nil {
		return err
	}
	return f.front.reload(ctx)
}

// arrivals has the spans that all sinks received.
func (f *fleet) arrivals() arrivals {
	all := newArrivals()
	for _, s := range f.scorers {
		s.sink.look(func(a arrivals) {
			for id, times := range a.times {
				all.times[id] += times
			}
			for id, v := range a.verdicts {
				all.verdicts[id] = slices.Concat(all.verdicts[id], v)
			}
		})
	}
	return all
}

// finish ends the load, waits until all has arrived or nothing more does, and stops the collectors.
func (f *fleet) finish(ctx context.Context) error {
	timer := time.AfterFunc(2*grace, f.giveUp)
	f.senders.stop()
	timer.Stop()
	for before, last := -1, time.Now(); ; {
		n := 0
		f.ledger.look(func(s *sent) { n = s.missing(f.arrivals()) })
		if n != before {
			before, last = n, time.Now()
		}
		// Copies come after the first: what is acknowledged may be there, and a run may still be judged once more.
		if time.Since(last) > f.quiet && n == 0 || time.Since(last) > 4*f.quiet || sleep(ctx, 200*time.Millisecond) != nil {
			break
		}
	}
	err := f.front.terminate()
	for _, s := range f.scorers {
		if s.process != nil {
			err = errors.Join(err, s.terminate())
		}
	}
	return err
}

func (f *fleet) count(r *result) {
	r.count(f.ledger, f.arrivals(), f.faults, f.settings)
}

func (f *fleet) logs() map[string]string {
	all := map[string]string{}
	for _, c := range f.collectors() {
		all[filepath.Base(c.dir)] = logFile(c.dir)
	}
	return all
}

func lasting(d time.Duration) func(context.Context, *fleet) error {
	return func(ctx context.Context, f *fleet) error {
		if err := sleep(ctx, d); err != nil {
			return err
		}
		return f.finish(ctx)
	}
}

// between does something in the middle of a load.
func between(d time.Duration, do func(context.Context, *fleet) error) func(context.Context, *fleet) error {
	return func(ctx context.Context, f *fleet) error {
		if err := sleep(ctx, d/3); err != nil {
			return err
		}
		if err := do(ctx, f); err != nil {
			return err
		}
		return lasting(d/3)(ctx, f)
	}
}

func killInPlace(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		return f.during(func() error {
			victim := f.scorers[f.rng.IntN(len(f.scorers))]
			if err := victim.kill(); err != nil {
				return err
			}
			if err := sleep(ctx, time.Second); err != nil {
				return err
			}
			return victim.start(ctx, 0)
		})
	})
}

func killAndMove(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		victim := f.scorers[f.rng.IntN(len(f.scorers))]
		victim.out = true
		err := f.during(func() error {
			if err := victim.kill(); err != nil {
				return err
			}
			return f.reroute(ctx)
		})
		if err != nil {
			return err
		}
		if err := sleep(ctx, d/3); err != nil {
			return err
		}
		victim.out = false
		return f.during(func() error {
			if err := victim.start(ctx, 0); err != nil {
				return err
			}
			return f.reroute(ctx)
		})
	})
}

func addOne(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		return f.during(func() error {
			if err := f.add(ctx); err != nil {
				return err
			}
			return f.reroute(ctx)
		})
	})
}

func drainOne(d time.Duration) func(context.Context, *fleet) error {
	return between(d, func(ctx context.Context, f *fleet) error {
		victim := f.scorers[0]
		victim.out = true
		if err := f.during(func() error { return f.reroute(ctx) }); err != nil {
			return err
		}
		// Its runs close: run.wait, and what a busy machine adds.
		if err := sleep(ctx, f.settings.wait+slack); err != nil {
			return err
		}
		return victim.terminate()
	})
}
