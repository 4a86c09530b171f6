package ownership

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// The resolver sorts candidates after many searches, and finds the same before and after.
func TestAResolverFindsTheSameBeforeAndAfterOrdering(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	candidates := make([]Candidate, 100)
	for i := range candidates {
		candidates[i].Span, candidates[i].State = runtest.AnySpan(random.Uint64N, 50), State(random.IntN(3))
	}
	r := Resolver{candidates: candidates, work: new(compare.Work)}
	for range 200 {
		call := runtest.AnySpan(random.Uint64N, 50)
		require.Equal(t, fallbackByTime(candidates, call), r.timeIndex.find(r.candidates, call, r.work))
	}
	require.NotNil(t, r.intervals)
	few := Resolver{candidates: candidates[:3], work: new(compare.Work)}
	for range 200 {
		few.timeIndex.find(few.candidates, candidates[0].Span, few.work)
	}
	require.Nil(t, few.intervals, "a few candidates need no order")
}
