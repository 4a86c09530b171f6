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

// FuzzMeasures compares the measures with their definitions, rounded once.
func FuzzMeasures(f *testing.F) {
	f.Add(uint16(3), uint16(4), uint16(4), uint64(2*full), uint64(full))
	f.Add(uint16(0), uint16(4), uint16(3), uint64(0), uint64(full))
	f.Add(uint16(5), uint16(7), uint16(7), uint64(3*full-1), uint64(full-7))
	f.Add(uint16(maxExpected), uint16(maxCalls), uint16(1), uint64(7), uint64(full/3))
	f.Add(uint16(2), uint16(0), uint16(0), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, expected, called, kept uint16, wanted, welcome uint64) {
		x := tally{expected: uint64(expected), called: uint64(called % (maxCalls + 1)), kept: 1, made: 1}
		x.wanted = wanted % (min(x.expected, x.called)*full + 1)
		x.welcome = welcome % (x.called*full - x.wanted + 1)
		fraction := func(num, den uint64) *big.Rat { return new(big.Rat).SetFrac(product(num), product(den)) }
		share := big.NewRat(1, 1)
		if x.called > 0 {
			x.kept, x.made = uint64(kept)%(x.called+1), x.called
			share = fraction(x.kept, x.made)
		}
		over := func(num, den uint64) *big.Rat {
			if den == 0 {
				return big.NewRat(1, 1)
			}
			return fraction(num, den)
		}
		r, p := over(x.wanted, x.expected*full), over(x.wanted+x.welcome, x.called*full)
		f1 := new(big.Rat)
		if sum := new(big.Rat).Add(p, r); sum.Sign() > 0 {
			f1.Mul(p, r).Mul(f1, big.NewRat(2, 1)).Quo(f1, sum)
		}
		for measure, exact := range map[Measure]*big.Rat{Recall: r, Precision: p, F1: f1} {
			want, _ := exact.Mul(exact, share).Float64()
			if got := measure.of(&x); got != want {
				t.Errorf("%+v: %v is %v, want %v", x, measure, got, want)
			}
		}
	})
}
