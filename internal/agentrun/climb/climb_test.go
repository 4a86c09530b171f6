package climb

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// ups are places in a list: above[i] is the place above place i.
func ups(above []int, stops ...int) Places {
	return Places{
		N:     len(above),
		Up:    func(at int) int { return above[at] },
		Stops: func(at int) bool { return slices.Contains(stops, at) },
		First: func(one, another int) bool { return one < another },
	}
}

func TestFrom(t *testing.T) {
	for _, tc := range []struct {
		name   string
		places Places
		want   []int // the end of the way from each place
	}{
		{"one place", ups([]int{0}), []int{0}},
		{"to the top", ups([]int{-1, 0, 1, 1}), []int{0, 0, 0, 0}},
		{"two tops", ups([]int{-1, 0, -1, 2}), []int{0, 0, 2, 2}},
		{"to what stops", ups([]int{-1, 0, 1, 2}, 1), []int{0, 1, 1, 1}},
		{"a circle", ups([]int{2, 0, 1}), []int{0, 0, 0}},
		{"a way into a circle", ups([]int{1, 2, 1}), []int{1, 1, 1}},
		{"a circle with a place that stops", ups([]int{2, 0, 1}, 1), []int{1, 1, 1}},
		{"a place above itself", ups([]int{0, 0}), []int{0, 0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for first := range tc.want { // whichever place is asked for first
				var c Cache
				var w compare.Work
				c.Reset(&w)
				c.From(first, tc.places)
				for at, want := range tc.want {
					require.Equal(t, want, c.From(at, tc.places), "place %d after %d", at, first)
				}
			}
		})
	}
}

// Each place is passed once, whatever was asked before.
func TestEachPlaceIsPassedOnce(t *testing.T) {
	const n = 1_000
	above := make([]int, n)
	for i := range above {
		above[i] = i - 1
	}
	var c Cache
	var w compare.Work
	c.Reset(&w)
	for i := n - 1; i >= 0; i-- {
		require.Zero(t, c.From(i, ups(above)))
	}
	require.LessOrEqual(t, w, compare.Work(2*n))
}
