package scoring

import (
	"math/big"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/exact"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// score measures the alignment.
func (w *nativeRun) score(p *plan) exact.Fraction {
	t := tally{expected: uint64(len(p.required)), called: uint64(len(w.calls))}
	paired := 0
	for j, r := range w.pairs.RowOf {
		switch {
		case r < 0:
			continue
		case p.shape.Rows[r].Need == required:
			t.wanted += uint64(w.pairs.CreditOf[j])
		default:
			t.welcome += uint64(w.pairs.CreditOf[j])
		}
		paired++
	}
	if w.options.ExtraCalls == ForbidExtraCalls && paired < len(w.calls) {
		w.extra = ExtraForbidden
		return exact.Zero
	}
	return t.measure(w.options.Score)
}

// A tally has the numbers of which measures are made: how many rows are required and how many calls were made, and the
// credit of required and of other rows, in units of 1/full. Each credit is at most full times either number, so twice
// a credit, and full times the sum of both numbers, fit a uint64.
type tally struct{ wanted, welcome, expected, called uint64 }

func (t tally) measure(m Measure) exact.Fraction {
	switch m {
	case Precision:
		return exact.Over(t.wanted+t.welcome, t.called*full)
	case F1:
		return t.f1()
	case AllOrNothing:
		if t.wanted < t.expected*full {
			return exact.Zero
		}
		return exact.One
	}
	return exact.Over(t.wanted, t.expected*full)
}

// f1 is 2PR/(P+R), and 0 where both are 0.
func (t tally) f1() exact.Fraction {
	switch {
	case t.expected == 0 && t.called > 0:
		// R is 1, so it is 2P/(P+1).
		return exact.Over(2*t.welcome, t.welcome+t.called*full)
	case t.welcome == 0:
		// This is twice the credit over the length of both lists, even if one of them is empty.
		return exact.Over(2*t.wanted, (t.expected+t.called)*full)
	}
	return t.f1WithOptional()
}

// f1WithOptional, with t = wanted+welcome, r = wanted, m = expected and n = called, is
//
//	2 (t/n full) (r/m full) / (t/n full + r/m full) = 2 t r / (full (t m + r n))
func (t tally) f1WithOptional() exact.Fraction {
	total, wanted := whole(t.wanted+t.welcome), whole(t.wanted)
	num := whole(2)
	num.Mul(num, total).Mul(num, wanted)
	sum := new(big.Int).Mul(total, whole(t.expected))
	sum.Add(sum, new(big.Int).Mul(wanted, whole(t.called)))
	return exact.OverWide(num, sum.Mul(sum, whole(full)))
}

func whole(x uint64) *big.Int { return new(big.Int).SetUint64(x) }

// alignment writes down what was paired.
func (w *nativeRun) alignment(p *plan, a *Alignment) {
	w.unpaired(p, a)
	paired, extra := w.byRow(p)
	if paired == 0 {
		return
	}
	a.Pairs = make([]Pair, 0, paired)
	if extra > 0 {
		a.Expected = make([]*Tool, 0, len(p.required)+extra)
	}
	for r, head := range w.heads {
		need := p.shape.Rows[r].Need
		if need == required && extra > 0 {
			a.Expected = append(a.Expected, p.tools[r])
		}
		for j := head; j >= 0; j = w.nexts[j] {
			at := int(p.requiredAt[r])
			if need != required {
				a.Optional = append(a.Optional, len(a.Expected))
				a.Expected = append(a.Expected, p.tools[r])
			}
			if extra > 0 {
				at = len(a.Expected) - 1
			}
			a.Pairs = append(a.Pairs, Pair{at, w.inRun(int(j)), float64(w.pairs.CreditOf[j]) / full})
		}
	}
}

// unpaired writes the alignment without its pairs.
func (w *nativeRun) unpaired(p *plan, a *Alignment) {
	a.Expected, a.Called, a.Ordered = p.required, w.run, w.options.Order != AnyOrder
	a.ComparesArguments = p.overridden || p.statesArguments && w.options.Arguments != ArgumentsIgnore
	a.ComparesOutput = p.statesOutput && w.options.Output != OutputIgnore
	a.Arguments, a.Output = w.options.Arguments, w.options.Output
}

// byRow lists the calls of each row without sorting or allocating: heads has the first of each, nexts the one that
// follows. It returns how many calls there are in all, and how many of them stand in rows that are not required.
func (w *nativeRun) byRow(p *plan) (paired, extra int) {
	w.heads = reuse.Filled(w.heads, len(p.shape.Rows), -1)
	w.nexts = reuse.Sized(w.nexts, len(w.calls))
	for j, r := range slices.Backward(w.pairs.RowOf) {
		if r < 0 {
			continue
		}
		w.nexts[j], w.heads[r] = w.heads[r], int32(j)
		paired++
		if p.shape.Rows[r].Need != required {
			extra++
		}
	}
	return paired, extra
}
