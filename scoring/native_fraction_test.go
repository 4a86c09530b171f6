package scoring

import (
	"math/big"
	"testing"
)

func TestFullIsDivisible(t *testing.T) {
	for n := int64(1); n <= 36; n++ {
		if full%n != 0 {
			t.Errorf("a share of %d keys is no whole number of units", n)
		}
	}
	var most big.Int
	most.Mul(big.NewInt(full), big.NewInt(2*maxCalls))
	if !most.IsUint64() || !new(big.Int).Div(&most, big.NewInt(2)).IsInt64() {
		t.Error("a sum of credits may overflow")
	}
}

func TestFractionFloat(t *testing.T) {
	for _, tc := range []struct {
		num, den uint64
		want     float64
		reason   string
	}{
		{1, 3, 1. / 3, "correctly rounded"},
		{full, 3 * full, 1. / 3, "in lowest terms"},
		{0, 7, 0, "nothing of something"},
		{0, 0, 1, "nothing of nothing"},
		{1<<63 - 1, 1 << 63, 1, "beyond 53 bits it is rounded once"},
		{1<<62 + 1, 1 << 63, 0.5, "for the same reason"},
		{3838214162130230407, 6630286415544892929, 0.5788911551590636, "not three times, which gives 0.5788911551590635"},
	} {
		if got := over(tc.num, tc.den).float(); got != tc.want {
			t.Errorf("%d/%d = %v, want %v: %s", tc.num, tc.den, got, tc.want, tc.reason)
		}
	}
}

// F1 with optional calls and shares of credit leaves 64 bits; it must still be exact, and comparable.
func TestWideF1(t *testing.T) {
	x := tally{wanted: 3*full - 1, welcome: full - 7, expected: 5, called: 7}
	got := x.measure(F1)
	p := new(big.Rat).SetFrac(whole(x.wanted+x.welcome), whole(x.called*full))
	r := new(big.Rat).SetFrac(whole(x.wanted), whole(x.expected*full))
	want := new(big.Rat).Mul(p, r)
	want.Mul(want, big.NewRat(2, 1)).Quo(want, new(big.Rat).Add(p, r))
	if got.rat().Cmp(want) != 0 {
		t.Errorf("f1 is %v, want %v", got.rat(), want)
	}
	if got.wide == nil {
		t.Error("the case is no longer wide; choose another")
	}
	if got.compare(one) >= 0 || one.compare(got) <= 0 || got.compare(got) != 0 {
		t.Error("a wide fraction does not compare")
	}
}
