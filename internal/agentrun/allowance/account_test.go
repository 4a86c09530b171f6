package allowance_test

import (
	"testing"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/allowance"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// A trace rests twice as long each time that it cannot pay, up to the longest rest. Once it has paid, the next rest is short.
func TestHowLongATraceRests(t *testing.T) {
	const longest = 5 * time.Second
	now := time.Unix(1000, 0)
	var a allowance.Account
	for i, step := range []struct {
		grown  int
		spent  compare.Work
		want   time.Duration
		reason string
	}{
		{2000, 400, 0, "its spans have paid for 1,000 steps"},
		{0, 600, 0, "the rest of the steps is enough"},
		{0, 1, time.Second, "nothing is left"},
		{-2000, 1, 2 * time.Second, "a trace that shrinks pays nothing"},
		{0, 1, 4 * time.Second, "it rests twice as long each time"},
		{0, 1, longest, "at most for the longest time"},
		{0, 1, longest, "and not longer"},
		{20, 10, 0, "it has paid"},
		{0, 1, time.Second, "so the next rest is short again"},
	} {
		a.Pay(step.grown)
		a.Charge(step.spent, now, longest)
		var got time.Duration
		if a.Rests(now) {
			got = a.Until().Sub(now)
		}
		if got != step.want {
			t.Errorf("step %d: the trace rests for %s, want %s: %s", i, got, step.want, step.reason)
		}
		now = now.Add(got)
		if a.Rests(now) {
			t.Errorf("step %d: the rest is not over when it ends", i)
		}
	}
}

// No sender can save up so much that the account overflows.
func TestWhatATraceSavesUpIsBounded(t *testing.T) {
	var a allowance.Account
	now := time.Unix(1000, 0)
	for range 10 {
		a.Pay(1 << 40)
	}
	a.Charge(1<<30, now, time.Minute)
	if a.Rests(now) {
		t.Error("a trace cannot spend what it saved up")
	}
	a.Charge(1, now, time.Minute)
	if !a.Rests(now) {
		t.Error("a trace saves up more than the bound")
	}
}
