package conditions

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Candidates come in the order of the configuration, from however many lists.
func TestCandidatesComeInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for n := range 20 {
		lists, want := make([][]int, n), make([]int, 0, 100)
		for i := 0; n > 0 && i < 100; i++ {
			list := random.IntN(n)
			lists[list] = append(lists[list], i)
			want = append(want, i)
		}
		got := make([]int, 0, 100)
		for i, ok := Next(lists); ok; i, ok = Next(lists) {
			got = append(got, i)
		}
		require.Equal(t, want, got)
	}
}
