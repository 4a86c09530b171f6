package reuse

import (
	"slices"
	"testing"
)

func TestMemoryIsUsedAgain(t *testing.T) {
	old := make([]int, 2, 8)
	for _, tc := range []struct {
		n      int
		same   bool
		reason string
	}{
		{0, true, "nothing needs no memory"},
		{8, true, "the old slice has room for eight"},
		{9, false, "the old slice has no room for nine"},
	} {
		got := Filled(old, tc.n, 7)
		if len(got) != tc.n || !slices.Equal(got, slices.Repeat([]int{7}, tc.n)) {
			t.Errorf("%d elements are %v: %s", tc.n, got, tc.reason)
		}
		if same := &got[:1][0] == &old[0]; same != tc.same {
			t.Errorf("%d elements stand in the old memory: %v, want %v: %s", tc.n, same, tc.same, tc.reason)
		}
	}
}
