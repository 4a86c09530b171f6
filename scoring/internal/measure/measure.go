// Package measure computes exact recall, precision and F1 (van Rijsbergen, 1979) of calls with partial credits.
//
// An expected call and a call that was made are a pair with a credit in [0, 1]. A [Tally] has the sums. Recall R is the
// credit of required calls over their number. Precision P is all credit over the number of calls made. F1 is their harmonic
// mean 2PR/(P+R). If a, b and c are expected and the calls are a, b and x, then R, P and F1 are 2/3.
//
// If no call is required, R is 1. If no call was made, P is 1. Calls of optional tools add credit to P alone, so F1 then
// needs more than 64 bits: see package exact.
//
// measure.go is the whole package.
package measure

import (
	"math/big"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/exact"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

// A Tally has the credit of required rows (Wanted) and of other rows (Welcome), in units of 1/[match.Full]. Expected is the
// number of required rows, Called that of calls. Each credit is at most Full times either number, so twice a credit, and Full
// times the sum of both numbers, fit a uint64.
type Tally struct{ Wanted, Welcome, Expected, Called uint64 }

// Recall returns the credit of required rows over their number, or 1 if there are none.
func (t Tally) Recall() exact.Fraction { return exact.Over(t.Wanted, t.Expected*match.Full) }

// Precision returns all credit over the number of calls, or 1 if there are none.
func (t Tally) Precision() exact.Fraction {
	return exact.Over(t.Wanted+t.Welcome, t.Called*match.Full)
}

// AllOrNothing returns 1 if each required row has full credit, else 0.
func (t Tally) AllOrNothing() exact.Fraction {
	if t.Wanted < t.Expected*match.Full {
		return exact.Zero
	}
	return exact.One
}

// F1 returns 2PR/(P+R), or 0 if both are 0.
func (t Tally) F1() exact.Fraction {
	switch {
	case t.Expected == 0 && t.Called > 0:
		// R is 1, so it is 2P/(P+1).
		return exact.Over(2*t.Welcome, t.Welcome+t.Called*match.Full)
	case t.Welcome == 0:
		// This is twice the credit over the length of both lists, even if one of them is empty.
		return exact.Over(2*t.Wanted, (t.Expected+t.Called)*match.Full)
	}
	return t.f1WithOptional()
}

// f1WithOptional, with t = wanted+welcome, r = wanted, m = expected and n = called, is
//
//	2 (t/n Full) (r/m Full) / (t/n Full + r/m Full) = 2 t r / (Full (t m + r n))
func (t Tally) f1WithOptional() exact.Fraction {
	total, wanted := whole(t.Wanted+t.Welcome), whole(t.Wanted)
	num := whole(2)
	num.Mul(num, total).Mul(num, wanted)
	sum := new(big.Int).Mul(total, whole(t.Expected))
	sum.Add(sum, new(big.Int).Mul(wanted, whole(t.Called)))
	return exact.OverWide(num, sum.Mul(sum, whole(match.Full)))
}

func whole(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
