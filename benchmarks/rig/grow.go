package rig

import (
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/collector/consumer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// A Growth is what many runs, or large ones, cost.
type Growth struct {
	In   time.Duration // CPU while spans came in, unmarshalling included
	Out  time.Duration // CPU while all runs closed and came out
	Heap int64         // that is kept in between
}

// Grow sends the runs, and then shuts the contender down, which closes them.
func Grow(c Contender, runs workload.Small, wait time.Duration) (Growth, error) {
	var g Growth
	want := runs.Load()
	k := newSink(want)
	t, err := c.start(wait, k)
	if err != nil {
		return g, err
	}
	before := heap()
	for load := range runs.Requests() {
		spent, err := timed(func() error { return send(load.Requests, t) })
		if err != nil {
			return g, err
		}
		g.In += spent
	}
	g.Heap = heap() - before
	g.Out, err = timed(t.stop)
	if err != nil {
		return g, err
	}
	return g, k.check(c.judges)
}

func timed(f func() error) (time.Duration, error) {
	before, err := CPUTime()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	after, err := CPUTime()
	return after - before, err
}

// RunBy is Run with several senders, each with its share of the requests.
func RunBy(senders int, c Contender, load *workload.Load, wait time.Duration) (Cost, error) {
	return measure(c, load, wait, func(to consumer.Traces) error {
		errs := make([]error, senders)
		var done sync.WaitGroup
		for i := range senders {
			done.Go(func() {
				for r := i; r < len(load.Requests) && errs[i] == nil; r += senders {
					errs[i] = send(load.Requests[r:r+1], to)
				}
			})
		}
		done.Wait()
		return errors.Join(errs...)
	})
}
