package exact

import (
	"math/big"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

func TestMeasures(t *testing.T) {
	const full = match.Full
	for _, tc := range []struct {
		tally                 Tally
		recall, precision, f1 Fraction
		reason                string
	}{
		{Tally{}, One, One, One, "nothing is missing, and nothing is wrong"},
		{Tally{Wanted: 2 * full, Expected: 3, Called: 3}, Over(2, 3), Over(2, 3), Over(2, 3), "the example of the package"},
		{Tally{Called: 2}, One, Zero, Zero, "nothing was expected, so all calls are wrong"},
		{Tally{Expected: 2}, Zero, One, Zero, "nothing was called, so all is missing"},
		{Tally{Welcome: full, Called: 2}, One, Over(1, 2), Over(2, 3), "one of two calls is of an optional tool"},
		{Tally{Wanted: full, Welcome: full, Expected: 2, Called: 2}, Over(1, 2), One, Over(2, 3), "the optional call counts for precision alone"},
		{Tally{Wanted: full / 2, Expected: 1, Called: 1}, Over(1, 2), Over(1, 2), Over(1, 2), "half of the keys agree"},
	} {
		if r, p, f := tc.tally.Recall(), tc.tally.Precision(), tc.tally.F1(); r.Compare(tc.recall) != 0 || p.Compare(tc.precision) != 0 || f.Compare(tc.f1) != 0 {
			t.Errorf("recall %v, precision %v, F1 %v, want %v, %v, %v: %s", r.Rat(), p.Rat(), f.Rat(), tc.recall.Rat(), tc.precision.Rat(), tc.f1.Rat(), tc.reason)
		}
	}
}

// F1 with optional calls and shares of credit leaves 64 bits; it must still be exact, and comparable.
func TestWideF1(t *testing.T) {
	const full = match.Full
	x := Tally{Wanted: 3*full - 1, Welcome: full - 7, Expected: 5, Called: 7}
	got := x.F1()
	p := new(big.Rat).SetFrac(whole(x.Wanted+x.Welcome), whole(x.Called*full))
	r := new(big.Rat).SetFrac(whole(x.Wanted), whole(x.Expected*full))
	want := new(big.Rat).Mul(p, r)
	want.Mul(want, big.NewRat(2, 1)).Quo(want, new(big.Rat).Add(p, r))
	if got.Rat().Cmp(want) != 0 {
		t.Errorf("f1 is %v, want %v", got.Rat(), want)
	}
	if got.Rat().Num().IsUint64() && got.Rat().Denom().IsUint64() {
		t.Error("the case is no longer wide; choose another")
	}
	same := got
	if got.Compare(One) >= 0 || One.Compare(got) <= 0 || got.Compare(same) != 0 {
		t.Error("a wide fraction does not compare")
	}
}

// FuzzF1 holds F1 against its definition, and all measures against their bounds.
func FuzzF1(f *testing.F) {
	f.Add(uint16(3), uint16(4), uint64(2*match.Full), uint64(match.Full))
	f.Add(uint16(0), uint16(4), uint64(0), uint64(match.Full))
	f.Add(uint16(50_000), uint16(50_000), uint64(7), uint64(match.Full/3))
	f.Fuzz(func(t *testing.T, expected, called uint16, wanted, welcome uint64) {
		tally := Tally{Expected: uint64(expected), Called: uint64(called)}
		tally.Wanted = wanted % (min(tally.Expected, tally.Called)*match.Full + 1)
		tally.Welcome = welcome % (tally.Called*match.Full - tally.Wanted + 1)
		r, p := tally.Recall().Rat(), tally.Precision().Rat()
		one := big.NewRat(1, 1)
		for _, x := range []*big.Rat{r, p, tally.F1().Rat()} {
			if x.Sign() < 0 || x.Cmp(one) > 0 {
				t.Errorf("%+v: %v is not from 0 to 1", tally, x)
			}
		}
		if full := tally.AllOrNothing() == One; full != (r.Cmp(one) == 0) {
			t.Errorf("%+v: all is there: %v, and recall is %v", tally, full, r)
		}
		want := new(big.Rat)
		if sum := new(big.Rat).Add(p, r); sum.Sign() > 0 {
			want.Mul(p, r)
			want.Mul(want, big.NewRat(2, 1)).Quo(want, sum)
		}
		if got := tally.F1().Rat(); got.Cmp(want) != 0 {
			t.Errorf("%+v: F1 is %v, want %v", tally, got, want)
		}
	})
}
