package intervals

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A Finder puts its intervals in order after many questions, and finds the same before and after.
func TestFinder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	all := make([]Interval, 100)
	for i := range all {
		all[i] = Interval{Span: runtest.AnySpan(random.Uint64N, 50), Open: random.IntN(3) > 0}
	}
	interval := func(i int) Interval { return all[i] }
	var f, few Finder
	var w compare.Work
	for range 200 {
		s := runtest.AnySpan(random.Uint64N, 50)
		require.Equal(t, Find(len(all), interval, s), f.Find(len(all), interval, s, &w))
		few.Find(3, interval, s, &w)
	}
	require.NotNil(t, f.index)
	require.Nil(t, few.index, "a few intervals need no order")
}
