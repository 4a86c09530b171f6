package intervals_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
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
			all[i] = intervals.Interval{Span: randomSpan(random, times), Open: random.IntN(3) > 0}
			if i > 0 && random.IntN(4) == 0 {
				all[i].Span = all[random.IntN(i)].Span
			}
		}
		ordered := intervals.NewIndex(all)
		for range 50 {
			call := randomSpan(random, times+2)
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

// randomSpan is one of no length every now and then, or of all time, or one that ends before it starts.
func randomSpan(random *rand.Rand, times uint64) agentrun.Span {
	start := random.Uint64N(times)
	s := agentrun.Span{ID: pcommon.SpanID{byte(random.IntN(8))}, Start: pcommon.Timestamp(start)}
	s.End = s.Start + pcommon.Timestamp(random.Uint64N(times))
	switch random.IntN(12) {
	case 0:
		s.End = s.Start
	case 1:
		s.Start, s.End = 0, math.MaxUint64
	case 2:
		s.Start, s.End = s.End, s.Start
	case 3:
		s.End = math.MaxUint64
	}
	return s
}
