package steps

import "testing"

func TestSpend(t *testing.T) {
	b := Of(10)
	for _, tc := range []struct {
		n, left int
		ok      bool
		reason  string
	}{
		{4, 6, true, "there are enough"},
		{6, 0, true, "the last ones may be spent"},
		{0, 0, true, "nothing costs nothing"},
		{1, 0, false, "none are left"},
		{0, 0, false, "once spent, a budget stays so"},
	} {
		if ok := b.Spend(tc.n); ok != tc.ok || b.Left() != tc.left || b.Spent() == tc.ok {
			t.Errorf("Spend(%d) = %v, %d left, spent %v: %s", tc.n, ok, b.Left(), b.Spent(), tc.reason)
		}
	}
}
