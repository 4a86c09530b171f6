package scoring

import (
	"fmt"
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
