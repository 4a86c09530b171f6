package scoring

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/intervalorder"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// Calls that overlap in time have no order among each other. If the order counts, the native method takes the order of them
// that fits best: see package intervalorder.
//
// The work is bounded. A run beyond the bound is not evaluable, unless a bound on the best score shows that no order gains
// more.

const (
	tooConcurrent = "more calls ran at the same time than can be put in order"
	reordered     = "calls that ran at the same time were taken in the order that fits best"
)

// An Interval is when a call ran, in nanoseconds of any clock. The zero Interval means that the time is unknown. An end
// before the start counts as the start.
type Interval struct{ Start, End uint64 }

// reorder replaces the pairs by better ones, if the calls that overlap in time allow any. started is the weight of the
// pairs in the order of the starts. fits is false if the rule allows no pairs. why is not empty if the search is too much
// work.
func (w *nativeRun) reorder(p *plan, rule ordered.SkipRule, started weight) (fits bool, why string) {
	fits = started != ordered.Impossible
	if w.options.Concurrent != ConcurrentAnyOrder || fits && intervalorder.Settled(&p.shape, &w.edges, &w.pairs) {
		return fits, ""
	}
	if slices.ContainsFunc(w.calls, func(c Call) bool { return c.Time == Interval{} }) {
		return fits, ""
	}
	w.times = reuse.Sized(w.times, len(w.calls))
	for i := range w.calls {
		w.times[i] = intervalorder.Interval(w.calls[i].Time)
	}
	problem := intervalorder.Problem{Shape: &p.shape, Edges: &w.edges, Times: w.times, Rule: rule}
	switch problem.Improve(&w.pairs, started, &w.concurrentWork) {
	case intervalorder.TooMuch:
		return fits, tooConcurrent
	case intervalorder.Better:
		w.notes = append(w.notes, reordered)
		return true, ""
	}
	return fits, ""
}
