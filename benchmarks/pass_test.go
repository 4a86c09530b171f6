package benchmarks

import (
	"context"
	"fmt"
	"runtime"
	"syscall"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A Cost is what a load costs.
type Cost struct {
	CPU    time.Duration // of the whole process, until the last span came out
	Wall   time.Duration // until the last request was accepted
	Allocs uint64
}

// usage is what has been used since the process began.
type usage struct {
	cpu    time.Duration
	allocs uint64
}

func used() (usage, error) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	cpu, err := CPUTime()
	return usage{cpu, m.Mallocs}, err
}

// Run sends the load through the contender, from bytes, and waits until every span came out.
func Run(c Contender, load *Load, wait time.Duration) (Cost, error) {
	return measure(c, load, wait, func(to consumer.Traces) error { return send(load.Requests, to) })
}

// RunAlone does so with traces that were unmarshalled before, so that small costs are not lost in that one.
func RunAlone(c Contender, load *Load, wait time.Duration) (Cost, error) {
	var ready []ptrace.Traces
	for _, request := range load.Requests {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(request)
		if err != nil {
			return Cost{}, err
		}
		ready = append(ready, td)
	}
	return measure(c, load, wait, func(to consumer.Traces) error {
		for i, td := range ready {
			ready[i] = ptrace.Traces{} // what is consumed is not kept alive here
			if err := to.ConsumeTraces(context.Background(), td); err != nil {
				return err
			}
		}
		return nil
	})
}

// send does what a receiver does.
func send(requests [][]byte, to consumer.Traces) error {
	for _, request := range requests {
		td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(request)
		if err != nil {
			return err
		}
		if err := to.ConsumeTraces(context.Background(), td); err != nil {
			return err
		}
	}
	return nil
}

func measure(c Contender, load *Load, wait time.Duration, feed func(consumer.Traces) error) (Cost, error) {
	k := newSink(load)
	t, err := c.start(wait, k)
	if err != nil {
		return Cost{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	runtime.GC()
	before, err := used()
	if err != nil {
		return Cost{}, err
	}
	began := time.Now()
	if err := feed(t); err != nil {
		return Cost{}, fmt.Errorf("%s refused: %w", c.Name, err)
	}
	wall := time.Since(began)
	k.wait(wait)
	stop := t.stop
	if c.storage { // it is made empty after the last span came out
		err, stop = stop(), func() error { return nil }
	}
	if err != nil {
		return Cost{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	after, err := used()
	if err != nil {
		return Cost{}, err
	}
	if err := stop(); err != nil {
		return Cost{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	if err := k.check(c.judges); err != nil {
		return Cost{}, fmt.Errorf("%s, %s: %w", load.Kind.Name, c.Name, err)
	}
	return Cost{after.cpu - before.cpu, wall, after.allocs - before.allocs}, nil
}

// A Holding is what a contender keeps alive.
type Holding struct {
	Bytes int64 // heap while it waits, less the heap when it had just started
	Spans int   // that are still held then
}

// settle is how long queues between a contender's goroutines have to become empty.
const settle = 500 * time.Millisecond

// rest is how long the previous contender has to release its memory. groupbytrace polls its queue once a second, and only
// then sees its shutdown.
const rest = 1500 * time.Millisecond

// Hold sends the load through the contender and measures the heap while it waits.
func Hold(c Contender, load *Load, wait time.Duration) (Holding, error) {
	k := newSink(load)
	time.Sleep(rest)
	t, err := c.start(wait, k)
	if err != nil {
		return Holding{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	started := heap()
	began := time.Now()
	if err := send(load.Requests, t); err != nil {
		return Holding{}, fmt.Errorf("%s refused: %w", c.Name, err)
	}
	time.Sleep(settle)
	full := heap()
	held := load.Spans - int(k.spans.Load())
	if took := time.Since(began); took > wait {
		return Holding{}, fmt.Errorf("%s: sending took %s, longer than the wait of %s: send fewer spans", c.Name, took, wait)
	}
	k.wait(wait)
	if err := t.stop(); err != nil {
		return Holding{}, fmt.Errorf("%s: %w", c.Name, err)
	}
	if err := k.check(c.judges); err != nil {
		return Holding{}, fmt.Errorf("%s, %s: %w", load.Kind.Name, c.Name, err)
	}
	return Holding{Bytes: full - started, Spans: held}, nil
}

// heap is what is alive. What a sync.Pool has is dropped by the second collection.
func heap() int64 {
	var m runtime.MemStats
	for range 3 {
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// CPUTime is the time that all threads of the process have run, in user code and in the kernel. The processors that are
// compared work in goroutines and wait for timers, so the time on the wall says little about their cost.
func CPUTime() (time.Duration, error) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0, err
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), nil
}
