package scoring

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/match"
)

const (
	// maxCells bounds the expected calls times the calls, if the order counts or a method of another system compares each pair.
	maxCells = 1 << 20
	// maxConcurrentWork bounds the work on orders of calls that overlap: a cell and a call, some nanoseconds.
	maxConcurrentWork = 1 << 24
)

var (
	tooManyCells   = fmt.Sprintf("expected calls times calls are more than %d", maxCells)
	tooManyRivals  = "too many calls compete for the expected tools"
	tooConcurrent  = "more calls ran at the same time than can be put in order"
	reordered      = "calls that ran at the same time were taken in the order that fits best"
	notInPositions = "the calls do not follow the expected ones position by position"
)

// An Interval is when a call ran, in nanoseconds of any clock. The zero Interval means that the time is unknown.
type Interval = match.Interval

// align pairs calls with rows, given their credits. fits is false if the required order is impossible. If the pairing is too much
// work, why says so.
func (w *nativeRun) align(p *plan) (fits bool, why string) {
	switch {
	case w.options.Order == AnyOrder && p.distinct && !w.edges.Partial:
		w.assigner.FirstCome(&p.shape, &w.edges, &w.pairs)
	case w.options.Order == AnyOrder:
		w.edges.Group(len(p.classes))
		if !w.assigner.Assign(&p.shape, &w.edges, &w.pairs, &w.assignWork) {
			return false, tooManyRivals
		}
	case len(p.shape.Rows)*len(w.calls) > maxCells && !w.isPositional(p):
		return false, tooManyCells
	case w.options.Order == ExactOrder:
		return w.exactOrder(p)
	default:
		return true, w.inOrder(p)
	}
	return true, ""
}

// inOrder finds the pairs of greatest credit that do not cross, in the best order that the times of the calls allow.
func (w *nativeRun) inOrder(p *plan) (why string) {
	w.edges.Group(len(p.classes))
	w.ordered.Pair(&p.shape, &w.edges, &w.pairs)
	_, why = w.reorder(p, match.Skipping, w.pairs.Weight(&p.shape))
	return why
}

// isPositional reports whether exact order needs no table: position by position, or not at all.
func (w *nativeRun) isPositional(p *plan) bool {
	return w.options.Order == ExactOrder && len(p.required) == len(p.shape.Rows)
}

// exactOrder pairs position by position. fits is false if a call or a required row has no partner. The pairs are then those
// of inOrder, and explain what is wrong.
func (w *nativeRun) exactOrder(p *plan) (fits bool, why string) {
	var started match.Weight
	switch {
	case !w.isPositional(p):
		w.edges.Group(len(p.classes))
		c := w.concurrent(p, match.Consuming)
		for j := range w.calls {
			c.Times[j] = Interval{Start: uint64(2*j + 1), End: uint64(2*j + 2)}
		}
		var ok bool
		if started, ok = c.Pair(&w.pairs); !ok {
			return false, tooConcurrent
		}
	case len(p.shape.Rows) != len(w.calls):
		w.a.Broken = notAsMany(w.a.Broken, len(p.shape.Rows), len(w.calls))
		w.explain(p)
		return false, ""
	default:
		for _, e := range w.edges.All {
			if p.shape.Rows[e.Column].Class == e.Class {
				w.pairs.Add(e.Column, e.Column, e.Credit)
			}
		}
		started = w.pairs.Weight(&p.shape)
	}
	if fits, why = w.reorder(p, match.Consuming, started); fits || why != "" {
		return fits, why
	}
	w.a.Notes = append(w.a.Notes, notInPositions)
	w.explain(p)
	return false, ""
}

// explain pairs in order after exact pairing failed. If that is too much work, it finds no pairs. The score is 0 either way.
func (w *nativeRun) explain(p *plan) {
	if len(p.shape.Rows)*len(w.calls) > maxCells || w.inOrder(p) != "" {
		w.a.Guessed = true
	}
}

// concurrent returns the problem of calls that overlap. The caller fills its times.
func (w *nativeRun) concurrent(p *plan, rule match.Rule) match.Concurrent {
	return match.Concurrent{Shape: &p.shape, Edges: &w.edges, Times: make([]Interval, len(w.calls)), Rule: rule, Work: &w.concurrentWork}
}

// reorder replaces the pairs by better ones, if the calls that overlap in time allow any. started is the weight of the pairs in
// the order of the starts. fits is false if the rule allows no pairs.
//
// Calls without any order gain most, so if they gain nothing, the pairs stay. If their pairs cross in no order that the times
// allow, they are the best ones. Only otherwise the orders are searched.
func (w *nativeRun) reorder(p *plan, rule match.Rule, started match.Weight) (fits bool, why string) {
	fits = started != match.Impossible
	settled := len(p.required) == len(p.shape.Rows) && started == match.Weight{Major: full * int64(len(p.required))} // no order gains more
	unknown := func(c Call) bool { return c.Time == Interval{} }
	if w.options.Concurrent != ConcurrentAnyOrder || settled || slices.ContainsFunc(w.calls, unknown) {
		return fits, ""
	}
	c := w.concurrent(p, rule)
	for j := range w.calls {
		c.Times[j] = w.calls[j].Time
	}
	if c.HaveOneOrder() {
		return fits, ""
	}
	w.edges.Group(len(p.classes))
	var free match.Pairs
	free.Reset(len(w.calls))
	if !w.assigner.Assign(&p.shape, &w.edges, &free, &w.assignWork) {
		return fits, tooManyRivals
	}
	most := free.Weight(&p.shape)
	if started.Less(most) && !c.Allows(&free) {
		var ok bool
		if most, ok = c.Pair(&free); !ok {
			return fits, tooConcurrent
		}
	}
	if !started.Less(most) {
		return fits, ""
	}
	w.pairs = free
	w.a.Notes = append(w.a.Notes, reordered)
	return true, ""
}

// A tally has the credit of required rows (wanted) and of other rows (welcome), how many calls were expected and made, and which share
// of the calls is authorised: kept of made. Twice a credit, and full times all calls, fit a uint64.
type tally struct{ wanted, welcome, expected, called, kept, made uint64 }

// score measures the alignment.
func (w *nativeRun) score(p *plan) float64 {
	sum := w.pairs.Weight(&p.shape)
	extra := len(w.calls) - len(w.a.Pairs)
	var t tally // filled in place: the CPU would wait for the parts of a literal before it copies the whole
	t.wanted, t.welcome, t.expected, t.called = uint64(sum.Major), uint64(sum.Minor), uint64(len(p.required)), uint64(len(w.calls))
	t.kept, t.made = 1, 1
	if allowed := w.e.settings.Allowed; allowed != nil {
		w.findUnauthorised(p, allowed)
		extra = len(w.a.Unauthorised)
	}
	switch {
	case extra > 0 && w.options.ExtraCalls == ForbidExtraCalls:
		w.a.Extra = ExtraForbidden
		return 0
	case len(w.a.Unauthorised) > 0:
		w.a.Extra = ExtraLowers
		if w.options.Score == AllOrNothing {
			return 0
		}
		t.kept, t.made = t.called-uint64(extra), t.called
	}
	return w.options.Score.of(&t)
}

// of returns recall, precision or F1, their harmonic mean (van Rijsbergen, 1979), times the share of calls that are authorised. If no
// call is required, recall is 1. If none was made, precision is 1.
func (m Measure) of(t *tally) float64 {
	unit, wanted, total := uint64(full), t.wanted, t.wanted+t.welcome
	if wanted%full == 0 && total%full == 0 { // no credit is partial
		unit, wanted, total = 1, wanted/full, total/full
	}
	expected, called := t.expected*unit, t.called*unit
	switch {
	case m == Recall:
		return t.over(wanted, expected)
	case m == Precision:
		return t.over(total, called)
	case m == AllOrNothing:
		return oneIf(wanted >= expected)
	case expected == 0 && called > 0: // 2P/(P+1)
		return t.over(2*total, total+called)
	case total == wanted: // twice the credit over the length of both lists, even if one of them is empty
		return t.over(2*wanted, expected+called)
	}
	// 2 (total/called) (wanted/expected) / (total/called + wanted/expected)
	sum := new(big.Int).Add(product(total, t.expected), product(wanted, t.called))
	return t.rounded(product(2, total, wanted), sum.Mul(sum, product(unit)))
}

// over returns num/den, or 1 if den is 0, times the share of authorised calls. It is rounded once, to the nearest float64, so lists of tools
// that are equally good have equal scores.
func (t *tally) over(num, den uint64) float64 {
	switch {
	case den == 0:
		return float64(t.kept) / float64(t.made)
	case den <= 1<<53/maxCalls: // unless a credit is partial, and then the products are exact
		return float64(num*t.kept) / float64(den*t.made)
	}
	return t.rounded(product(num), product(den))
}

func (t *tally) rounded(num, den *big.Int) float64 {
	f := new(big.Rat).SetFrac(num.Mul(num, product(t.kept)), den.Mul(den, product(t.made)))
	x, _ := f.Float64()
	return x
}

// product returns a product that may have more than 64 bits.
func product(x uint64, others ...uint64) *big.Int {
	p := new(big.Int).SetUint64(x)
	for _, x := range others {
		p.Mul(p, new(big.Int).SetUint64(x))
	}
	return p
}

// findUnauthorised fills the calls that are not authorised: the calls in no pair whose names are neither expected nor allowed.
func (w *nativeRun) findUnauthorised(p *plan, allowed []string) {
	for j, r := range w.pairs.RowOf {
		name := w.calls[j].Name
		if r >= 0 || len(p.index.Of(name, &w.found, &w.work)) > 0 {
			continue
		}
		if !slices.ContainsFunc(allowed, func(pattern string) bool { return w.work.Match(pattern, name) }) {
			w.a.Unauthorised = append(w.a.Unauthorised, w.inRun(j))
		}
	}
}

// alignPairs adds the pairs to the alignment, and the optional tools that were called.
func (w *nativeRun) alignPairs(p *plan) {
	a := &w.a
	next := slices.Grow(w.found[:0], len(p.shape.Rows)+1)[:len(p.shape.Rows)+1] // the places of the next pairs, by row
	clear(next)
	for _, r := range w.pairs.RowOf {
		if r >= 0 {
			next[r+1]++
		}
	}
	for r := range p.shape.Rows {
		next[r+1] += next[r]
	}
	a.Pairs = make([]Pair, next[len(p.shape.Rows)])
	for j, r := range w.pairs.RowOf {
		if r >= 0 {
			a.Pairs[next[r]] = Pair{int(r), w.inRun(j), float64(w.pairs.CreditOf[j]) / full}
			next[r]++
		}
	}
	w.found = next
	if len(p.required) == len(p.shape.Rows) {
		return
	}
	a.Expected = make([]*Tool, 0, len(p.required))
	pairs := a.Pairs
	for r, row := range p.shape.Rows {
		if row.Need == match.Required {
			a.Expected = append(a.Expected, p.tools[r])
		}
		for ; len(pairs) > 0 && pairs[0].Expected == r; pairs = pairs[1:] {
			if row.Need != match.Required {
				a.Optional = append(a.Optional, len(a.Expected))
				a.Expected = append(a.Expected, p.tools[r])
			}
			pairs[0].Expected = len(a.Expected) - 1
		}
	}
}

// unpair makes the alignment one without pairs.
func (w *nativeRun) unpair(p *plan) {
	w.a = Alignment{}
	a, o := &w.a, w.options
	a.Expected, a.Called, a.Ordered, a.HasOptional = p.required, w.run, o.Order != AnyOrder, len(p.required) < len(p.shape.Rows)
	a.Arguments, a.Credit, a.Output = o.Arguments, o.Credit, o.Output
	a.ComparesArguments, a.ComparesOutput = p.modes || p.arguments && o.Arguments != ArgumentsIgnore, p.output && o.Output != OutputIgnore
	if o.Score == Precision || o.Score == F1 {
		a.Extra = ExtraLowers
	}
}
