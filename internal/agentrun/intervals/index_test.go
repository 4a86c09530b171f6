package intervals_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A search in ordered intervals finds the same as an examination one by one.
func TestIntervalsFindWhatALookAtEachFinds(t *testing.T) {
	inner, outer, nobodys, seeds := 0, 0, 0, 3_000
	if testing.Short() {
		seeds /= 4
	}
	for seed := range uint64(seeds) {
		random := rand.New(rand.NewPCG(seed, 1))
		times := uint64(1 + random.IntN(40)) // the fewer, the more ties
		all := make([]intervals.Interval, random.IntN(60))
		for i := range all {
			all[i] = intervals.Interval{Span: runtest.AnySpan(random.Uint64N, times), Open: random.IntN(3) > 0}
			if i > 0 && random.IntN(4) == 0 {
				all[i].Span = all[random.IntN(i)].Span
			}
		}
		ordered := intervals.NewIndex(all)
		for range 50 {
			call := runtest.AnySpan(random.Uint64N, times+2)
			want := lookAtEach(all, call)
			require.Equal(t, want, ordered.Find(call), "seed %d, call %v", seed, call)
			switch {
			case want < 0:
				nobodys++
			case all[want].Contains(call):
				inner++
			default:
				outer++
			}
		}
	}
	require.Positive(t, inner)
	require.Positive(t, outer)
	require.Positive(t, nobodys)
}

// lookAtEach is the rule of Find, word by word.
func lookAtEach(all []intervals.Interval, call agentrun.Span) int {
	inner, outer := -1, -1
	for i := range all {
		s := &all[i]
		if s.Contains(call) && (inner < 0 || intervals.Narrower(s.Span, all[inner].Span)) {
			inner = i
		}
		if call.Start <= s.End && s.Open && (outer < 0 || agentrun.CompareStart(s.Span, all[outer].Span) < 0) {
			outer = i
		}
	}
	if inner >= 0 {
		return inner
	}
	return outer
}
