package reconcile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// Few calls are compared one by one and many are hashed. Both drop the copies, and keep one call of each other record.
func TestRepeatsAreDroppedHoweverManyCallsThereAre(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, few - 1, few, few + 1, 63, 64, 65, 500} {
		t.Run(fmt.Sprintf("calls=%d", n), func(t *testing.T) {
			var calls, want []agentrun.PendingCall
			for range n {
				id := byte(random.IntN(1 + n/4)) // 0 is the id of no span, which is never a copy
				c := tool(agentrun.Process(random.IntN(3)), id, 0, 0, [...]string{"a", "b"}[random.IntN(2)], "", "")
				calls = append(calls, c)
				if id == 0 || !slices.Contains(want, c) {
					want = append(want, c)
				}
			}
			var w compare.Work
			kept, _ := DropRepeats(calls, &w)
			if !slices.Equal(kept, want) {
				t.Errorf("of %d calls %d are left, want %d: the first record of each span, process and name", n, len(kept), len(want))
			}
		})
	}
}
