package intervals

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A Reach finds what reading all intervals finds.
func TestReach(t *testing.T) {
	for seed := range uint64(2000) {
		random := rand.New(rand.NewPCG(seed, 1))
		time := func() pcommon.Timestamp { return pcommon.Timestamp(random.IntN(12)) }
		all := make([]agentrun.Span, random.IntN(6))
		for i := range all {
			all[i].Start = time()
			all[i].End = all[i].Start + time()
		}
		r := NewReach(len(all), func(i int) agentrun.Span { return all[i] })
		for range 20 {
			one, another, began, ended := random.IntN(7)-1, random.IntN(7)-1, time(), time()
			want := false
			for i := range all {
				want = want || i != one && i != another && all[i].Start <= began && all[i].End >= ended
			}
			require.Equal(t, want, r.OtherThan(began, ended, one, another), "seed %d, %v: other than %d and %d, began until %d, ended from %d", seed, all, one, another, began, ended)
		}
	}
}
