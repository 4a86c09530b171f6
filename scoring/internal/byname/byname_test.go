package byname

import (
	"slices"
	"testing"
)

func TestFirst(t *testing.T) {
	var x Index
	for round := range 2 { // the memory is used again
		x.Reset(6)
		for number, name := range []string{"a", "b", "a", "a", "b", "a"} {
			x.Add(name, number)
		}
		if want := []string{"a", "b"}; !slices.Equal(x.Names, want) {
			t.Errorf("names %q, want %q", x.Names, want)
		}
		used := map[int]bool{}
		free := func(number int) bool { return !used[number] }
		for _, tc := range []struct {
			use    []int
			name   string
			want   []int
			reason string
		}{
			{nil, "a", []int{0, 2}, "there is room for two"},
			{[]int{0, 3}, "a", []int{2, 5}, "what is used up is skipped, at the front and in between"},
			{[]int{1, 4}, "b", nil, "all are used up"},
			{nil, "c", nil, "the name was never added"},
		} {
			for _, number := range tc.use {
				used[number] = true
			}
			if got := x.First(tc.name, free, make([]int, 0, 2)); !slices.Equal(got, tc.want) {
				t.Errorf("round %d: %v of %s, want %v: %s", round, got, tc.name, tc.want, tc.reason)
			}
		}
		x.Forget()
	}
}

// TestFirstIsCheap: a name whose numbers are used up one by one costs a look or two for each.
func TestFirstIsCheap(t *testing.T) {
	const n = 10_000
	var x Index
	x.Reset(n)
	for number := range n {
		x.Add("a", number)
	}
	used, looks := make([]bool, n), 0
	few := make([]int, 0, 8)
	for range n {
		got := x.First("a", func(number int) bool { looks++; return !used[number] }, few)
		used[got[0]] = true
	}
	if most := 12 * n; looks > most {
		t.Errorf("%d looks, want at most %d", looks, most)
	}
}
