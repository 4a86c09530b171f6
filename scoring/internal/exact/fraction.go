package exact

import (
	"cmp"
	"math/big"
	"math/bits"
)

// A Fraction is an exact number that is not negative, in lowest terms. The zero value is invalid: its den is 0.
type Fraction struct {
	num, den uint64
	// wide is the value if it does not fit num/den. Only an F1 score with optional calls and partial credits needs it.
	wide *big.Rat
}

// The fractions that a score often is.
var (
	Zero = Fraction{num: 0, den: 1}
	One  = Fraction{num: 1, den: 1}
)

// Over returns num/den, or 1 if den is 0: nothing is required, so nothing is missing.
func Over(num, den uint64) Fraction {
	if den == 0 {
		return One
	}
	g := gcd(num, den)
	return Fraction{num: num / g, den: den / g}
}

// OverWide returns num/den for numbers beyond 64 bits. den must not be 0.
func OverWide(num, den *big.Int) Fraction {
	r := new(big.Rat).SetFrac(num, den)
	if r.Num().IsUint64() && r.Denom().IsUint64() {
		return Fraction{num: r.Num().Uint64(), den: r.Denom().Uint64()}
	}
	return Fraction{wide: r}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Float returns the nearest float64. If f <= g, then f.Float() <= g.Float().
func (f Fraction) Float() float64 {
	const exact = 1 << 53
	if f.wide == nil && f.num <= exact && f.den <= exact {
		return float64(f.num) / float64(f.den)
	}
	x, _ := f.Rat().Float64()
	return x
}

// Rat returns f as a big.Rat. The caller must not change it.
func (f Fraction) Rat() *big.Rat {
	if f.wide != nil {
		return f.wide
	}
	var num, den big.Int
	return new(big.Rat).SetFrac(num.SetUint64(f.num), den.SetUint64(f.den))
}

// Times returns the product of two fractions.
func (f Fraction) Times(g Fraction) Fraction {
	r := new(big.Rat).Mul(f.Rat(), g.Rat())
	return OverWide(r.Num(), r.Denom())
}

// Compare orders fractions by value.
func (f Fraction) Compare(g Fraction) int {
	if f.wide != nil || g.wide != nil {
		return f.Rat().Cmp(g.Rat())
	}
	hi, lo := bits.Mul64(f.num, g.den)
	hi2, lo2 := bits.Mul64(g.num, f.den)
	return cmp.Or(cmp.Compare(hi, hi2), cmp.Compare(lo, lo2))
}
