package exact

import (
	"math/big"
	"testing"
)

func TestFractionFloat(t *testing.T) {
	for _, tc := range []struct {
		num, den uint64
		want     float64
		reason   string
	}{
		{1, 3, 1. / 3, "correctly rounded"},
		{144403552893600, 3 * 144403552893600, 1. / 3, "in lowest terms"},
		{0, 7, 0, "nothing of something"},
		{0, 0, 1, "nothing of nothing"},
		{1<<63 - 1, 1 << 63, 1, "beyond 53 bits it is rounded once"},
		{1<<62 + 1, 1 << 63, 0.5, "for the same reason"},
		{3838214162130230407, 6630286415544892929, 0.5788911551590636, "not three times, which gives 0.5788911551590635"},
	} {
		if got := Over(tc.num, tc.den).Float(); got != tc.want {
			t.Errorf("%d/%d = %v, want %v: %s", tc.num, tc.den, got, tc.want, tc.reason)
		}
	}
}

// A number that leaves 64 bits is kept whole, and compares with those that do not.
func TestWide(t *testing.T) {
	large := new(big.Int).Lsh(big.NewInt(1), 100)
	third := OverWide(large, new(big.Int).Mul(large, big.NewInt(3)))
	if third != Over(1, 3) {
		t.Errorf("a third is %v, however it is written", third)
	}
	above := OverWide(new(big.Int).Add(large, big.NewInt(1)), new(big.Int).Mul(large, big.NewInt(3)))
	same := above
	switch {
	case above.Compare(third) <= 0 || third.Compare(above) >= 0 || above.Compare(same) != 0:
		t.Error("a number just above a third is not above it")
	case above.Float() != 1./3:
		t.Errorf("it is nearest to a third, not to %v", above.Float())
	}
}
