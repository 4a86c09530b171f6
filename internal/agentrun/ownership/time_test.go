package ownership

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// The resolver sorts candidates after many searches, and finds the same before and after.
func TestAResolverFindsTheSameBeforeAndAfterOrdering(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	candidates := make([]Candidate, 100)
	for i := range candidates {
		candidates[i].Span, candidates[i].State = randomSpan(random, 50), State(random.IntN(3))
	}
	r := Resolver{candidates: candidates, work: new(compare.Work)}
	for range 200 {
		call := randomSpan(random, 50)
		require.Equal(t, fallbackByTime(candidates, call), r.byTime(call))
	}
	require.NotNil(t, r.intervals)
	few := Resolver{candidates: candidates[:3], work: new(compare.Work)}
	for range 200 {
		few.byTime(candidates[0].Span)
	}
	require.Nil(t, few.intervals, "a few candidates need no order")
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
