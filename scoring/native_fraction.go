package scoring

import (
	"cmp"
	"math/big"
	"math/bits"
)

// full is the credit of a pair that agrees in everything. It is the least common multiple of 1 to 36, so that any
// share of up to 36 keys is a whole number of units and a sum does not depend on its order. (36 is as far as it
// goes: [maxCalls] times full must fit an int64.) A share of more keys is rounded down to a unit, 7e-15 of a pair.
const full = 144403552893600

// A fraction is an exact score in lowest terms. den is never 0.
type fraction struct {
	num, den uint64
	// wide is the value if it does not fit num/den, as for an F1 score with optional calls and partial credits.
	wide *big.Rat
}

var (
	zero = fraction{num: 0, den: 1}
	one  = fraction{num: 1, den: 1}
)

// over is num/den, or 1 if den is 0: nothing is required, so nothing is missing.
func over(num, den uint64) fraction {
	if den == 0 {
		return one
	}
	g := gcd(num, den)
	return fraction{num: num / g, den: den / g}
}

// overWide is num/den for numbers beyond 64 bits. den is not 0.
func overWide(num, den *big.Int) fraction {
	r := new(big.Rat).SetFrac(num, den)
	if r.Num().IsUint64() && r.Denom().IsUint64() {
		return fraction{num: r.Num().Uint64(), den: r.Denom().Uint64()}
	}
	return fraction{wide: r}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// float is the float64 nearest to f. It is correctly rounded, so it keeps the order of fractions.
func (f fraction) float() float64 {
	const exact = 1 << 53
	if f.wide == nil && f.num <= exact && f.den <= exact {
		return float64(f.num) / float64(f.den)
	}
	x, _ := f.rat().Float64()
	return x
}

func (f fraction) rat() *big.Rat {
	if f.wide != nil {
		return f.wide
	}
	var num, den big.Int
	return new(big.Rat).SetFrac(num.SetUint64(f.num), den.SetUint64(f.den))
}

// compare orders fractions by value.
func (f fraction) compare(g fraction) int {
	if f.wide != nil || g.wide != nil {
		return f.rat().Cmp(g.rat())
	}
	hi, lo := bits.Mul64(f.num, g.den)
	hi2, lo2 := bits.Mul64(g.num, f.den)
	return cmp.Or(cmp.Compare(hi, hi2), cmp.Compare(lo, lo2))
}
