package exact

import (
	"math/big"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

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
