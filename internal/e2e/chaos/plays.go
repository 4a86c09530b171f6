package main

import (
	"context"
	"fmt"
	"time"
)

// steady lets the load continue for some seconds.
func steady(seconds int) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		if err := sleep(ctx, time.Duration(seconds)*time.Second); err != nil {
			return err
		}
		return st.finish(ctx)
	}
}

// terminateHolding stops the collector when the load has come to its end and at least that number of spans is held.
func terminateHolding(held int) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		st.senders.done.Wait() // the load has an end of its own
		for st.missing() > st.holding() {
			if err := sleep(ctx, 50*time.Millisecond); err != nil {
				return fmt.Errorf("spans that the collector must not hold did not arrive: %w", err)
			}
		}
		if st.held = st.holding(); st.held < held {
			return fmt.Errorf("%d spans were held, not %d: nothing is shown", st.held, held)
		}
		return st.collector.terminate()
	}
}

// killAtRandom kills the collector several times under load, and starts it again.
func killAtRandom(times int) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		for range times {
			if err := sleep(ctx, time.Duration(400+st.rng.IntN(1000))*time.Millisecond); err != nil {
				return err
			}
			if err := st.kill(ctx, 0); err != nil {
				return err
			}
		}
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
		return st.finish(ctx)
	}
}

// refuseMeanwhile has the sink refuse for a time, with some time of peace before and after.
func refuseMeanwhile(peace, trouble time.Duration) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		for _, part := range []struct {
			refuses bool
			lasts   time.Duration
		}{{false, peace}, {true, trouble}, {false, peace}} {
			st.sink.refuses.Store(part.refuses)
			if err := sleep(ctx, part.lasts); err != nil {
				return err
			}
		}
		return st.finish(ctx)
	}
}

// reloadOften changes the configuration several times under load. Each threshold gives the same verdicts.
func reloadOften(times int) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		changed := st.settings
		for i := range times {
			if err := sleep(ctx, time.Duration(700+st.rng.IntN(600))*time.Millisecond); err != nil {
				return err
			}
			changed.wait = st.settings.wait / time.Duration(1+(i+1)%2)
			changed.threshold = passMark + 0.1*float64((i+1)%2)
			if err := st.reload(ctx, changed); err != nil {
				return err
			}
		}
		if err := sleep(ctx, 500*time.Millisecond); err != nil {
			return err
		}
		return st.finish(ctx)
	}
}

// freeTheDisk waits until the limit on files refuses senders, continues for a while, and restarts without the limit.
func freeTheDisk(while time.Duration) func(context.Context, *stage) error {
	return func(ctx context.Context, st *stage) error {
		if err := st.refusals(ctx, 20, 15*time.Second); err != nil {
			return err
		}
		if err := sleep(ctx, while); err != nil {
			return err
		}
		if err := st.kill(ctx, 0); err != nil {
			return err
		}
		if err := sleep(ctx, while); err != nil {
			return err
		}
		return st.finish(ctx)
	}
}
