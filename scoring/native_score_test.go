package scoring

import (
	"math/big"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/exact"
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

// F1 with optional calls and shares of credit leaves 64 bits; it must still be exact, and comparable.
func TestWideF1(t *testing.T) {
	x := tally{wanted: 3*full - 1, welcome: full - 7, expected: 5, called: 7}
	got := x.measure(F1)
	p := new(big.Rat).SetFrac(whole(x.wanted+x.welcome), whole(x.called*full))
	r := new(big.Rat).SetFrac(whole(x.wanted), whole(x.expected*full))
	want := new(big.Rat).Mul(p, r)
	want.Mul(want, big.NewRat(2, 1)).Quo(want, new(big.Rat).Add(p, r))
	if got.Rat().Cmp(want) != 0 {
		t.Errorf("f1 is %v, want %v", got.Rat(), want)
	}
	if got.Rat().Num().IsUint64() && got.Rat().Denom().IsUint64() {
		t.Error("the case is no longer wide; choose another")
	}
	same := got
	if got.Compare(exact.One) >= 0 || exact.One.Compare(got) <= 0 || got.Compare(same) != 0 {
		t.Error("a wide fraction does not compare")
	}
}
