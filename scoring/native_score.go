package scoring

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/exact"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

// score measures the alignment.
func (w *nativeRun) score(p *plan) exact.Fraction {
	t := exact.Tally{Expected: uint64(len(p.required)), Called: uint64(len(w.calls))}
	paired := 0
	for j, r := range w.pairs.RowOf {
		switch {
		case r < 0:
			continue
		case p.shape.Rows[r].Need == match.Required:
			t.Wanted += uint64(w.pairs.CreditOf[j])
		default:
			t.Welcome += uint64(w.pairs.CreditOf[j])
		}
		paired++
	}
	extra := len(w.calls) - paired
	if w.allowed != nil {
		w.findUnauthorised(p)
		extra = len(w.a.Unauthorised)
	}
	switch {
	case extra > 0 && w.options.ExtraCalls == ForbidExtraCalls:
		w.a.Extra = ExtraForbidden
		return exact.Zero
	case len(w.a.Unauthorised) == 0:
		return w.options.Score.of(t)
	}
	w.a.Extra = ExtraLowers
	if w.options.Score == AllOrNothing {
		return exact.Zero
	}
	return w.options.Score.of(t).Times(exact.Over(uint64(len(w.calls)-extra), uint64(len(w.calls))))
}

// findUnauthorised fills the calls that are not authorised: the calls in no pair whose names are neither expected nor allowed.
func (w *nativeRun) findUnauthorised(p *plan) {
	for j, r := range w.pairs.RowOf {
		name := w.calls[j].Name
		if r >= 0 || len(p.index.Of(name, &w.found, &w.work)) > 0 {
			continue
		}
		if !slices.ContainsFunc(w.allowed, func(pattern string) bool { return w.work.Match(pattern, name) }) {
			w.a.Unauthorised = append(w.a.Unauthorised, w.inRun(j))
		}
	}
}

// of computes the measure of a tally.
func (m Measure) of(t exact.Tally) exact.Fraction {
	switch m {
	case Precision:
		return t.Precision()
	case F1:
		return t.F1()
	case AllOrNothing:
		return t.AllOrNothing()
	}
	return t.Recall()
}

// alignPairs adds the pairs to the alignment.
func (w *nativeRun) alignPairs(p *plan) {
	paired, extra := w.byRow(p)
	if paired == 0 {
		return
	}
	a := &w.a
	a.Pairs = make([]Pair, 0, paired)
	if extra > 0 {
		a.Expected = make([]*Tool, 0, len(p.required)+extra)
	}
	for r, head := range w.heads {
		need := p.shape.Rows[r].Need
		if need == match.Required && extra > 0 {
			a.Expected = append(a.Expected, p.tools[r])
		}
		for j := head; j >= 0; j = w.nexts[j] {
			at := int(p.requiredAt[r])
			if need != match.Required {
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

// unpaired fills what the alignment has without pairs.
func (w *nativeRun) unpaired(p *plan) {
	a := &w.a
	a.Expected, a.Called, a.Ordered = p.required, w.run, w.options.Order != AnyOrder
	a.ComparesArguments = p.overridden || p.statesArguments && w.options.Arguments != ArgumentsIgnore
	a.ComparesOutput = p.statesOutput && w.options.Output != OutputIgnore
	a.Arguments, a.Credit, a.Output = w.options.Arguments, w.options.Credit, w.options.Output
}

// byRow makes a linked list of the calls of each row: heads has the first call of a row, nexts the call behind another. It
// returns the number of paired calls, and how many of them are in rows that are not required.
func (w *nativeRun) byRow(p *plan) (paired, extra int) {
	w.heads = slices.Grow(w.heads[:0], len(p.shape.Rows))[:len(p.shape.Rows)]
	for r := range w.heads {
		w.heads[r] = -1
	}
	w.nexts = slices.Grow(w.nexts[:0], len(w.calls))[:len(w.calls)]
	for j, r := range slices.Backward(w.pairs.RowOf) {
		if r < 0 {
			continue
		}
		w.nexts[j], w.heads[r] = w.heads[r], int32(j)
		paired++
		if p.shape.Rows[r].Need != match.Required {
			extra++
		}
	}
	return paired, extra
}
