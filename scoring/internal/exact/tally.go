package exact

import (
	"math/big"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

// A Tally has the credit of required rows (Wanted) and of other rows (Welcome), in units of 1/[match.Full]. Expected is the
// number of required rows, Called that of calls. Each credit is at most Full times either number, so twice a credit, and Full
// times the sum of both numbers, fit a uint64.
type Tally struct{ Wanted, Welcome, Expected, Called uint64 }

// Recall returns the credit of required rows over their number, or 1 if there are none.
func (t Tally) Recall() Fraction { return Over(t.Wanted, t.Expected*match.Full) }

// Precision returns all credit over the number of calls, or 1 if there are none.
func (t Tally) Precision() Fraction {
	return Over(t.Wanted+t.Welcome, t.Called*match.Full)
}

// AllOrNothing returns 1 if each required row has full credit, else 0.
func (t Tally) AllOrNothing() Fraction {
	if t.Wanted < t.Expected*match.Full {
		return Zero
	}
	return One
}

// F1 returns 2PR/(P+R), or 0 if both are 0.
func (t Tally) F1() Fraction {
	switch {
	case t.Expected == 0 && t.Called > 0:
		// R is 1, so it is 2P/(P+1).
		return Over(2*t.Welcome, t.Welcome+t.Called*match.Full)
	case t.Welcome == 0:
		// This is twice the credit over the length of both lists, even if one of them is empty.
		return Over(2*t.Wanted, (t.Expected+t.Called)*match.Full)
	}
	return t.f1WithOptional()
}

// f1WithOptional, with t = wanted+welcome, r = wanted, m = expected and n = called, is
//
//	2 (t/n Full) (r/m Full) / (t/n Full + r/m Full) = 2 t r / (Full (t m + r n))
func (t Tally) f1WithOptional() Fraction {
	total, wanted := whole(t.Wanted+t.Welcome), whole(t.Wanted)
	num := whole(2)
	num.Mul(num, total).Mul(num, wanted)
	sum := new(big.Int).Mul(total, whole(t.Expected))
	sum.Add(sum, new(big.Int).Mul(wanted, whole(t.Called)))
	return OverWide(num, sum.Mul(sum, whole(match.Full)))
}

func whole(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
