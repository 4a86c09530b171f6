package scoring

import (
	"slices"
	"testing"
)

// checkVerdict checks the laws in the doc comments of Verdict and Alignment.
func checkVerdict(t *testing.T, name string, v Verdict) {
	t.Helper()
	if v.Passed != (v.Status == Scored && v.Score >= v.Threshold) {
		t.Errorf("%s: passed %v with status %v, score %v, threshold %v", name, v.Passed, v.Status, v.Score, v.Threshold)
	}
	if (v.Why == "") != (v.Status == Scored) {
		t.Errorf("%s: status %v with why %q", name, v.Status, v.Why)
	}
	checkAlignment(t, name, v.Alignment)
}

func checkAlignment(t *testing.T, name string, a Alignment) {
	t.Helper()
	called := make(map[int]bool)
	for _, j := range slices.Concat(a.Repeats, a.Forbidden) {
		if called[j] || j < 0 || j >= len(a.Called) {
			t.Errorf("%s: repeats %v and forbidden %v of %d calls", name, a.Repeats, a.Forbidden, len(a.Called))
		}
		called[j] = true
	}
	last := -1
	for _, p := range a.Pairs {
		if p.Expected <= last || p.Expected >= len(a.Expected) || p.Called < 0 || p.Called >= len(a.Called) || called[p.Called] {
			t.Errorf("%s: pairs %v of %d tools and %d calls, repeats %v", name, a.Pairs, len(a.Expected), len(a.Called), a.Repeats)
		}
		if !(0 < p.Credit && p.Credit <= 1) {
			t.Errorf("%s: credit %v", name, p.Credit)
		}
		last = p.Expected
		called[p.Called] = true
	}
}
