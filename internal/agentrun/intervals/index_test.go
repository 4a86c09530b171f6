package intervals_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

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
			want := intervals.Find(len(all), func(i int) intervals.Interval { return all[i] }, call)
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
