package intervals

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// A Finder answers questions about a list of intervals, which must stay as it is. Where there are many of them, and many
// questions, it puts them in order first.
type Finder struct {
	asked int // how many spans were looked for
	index *Index
	reach *Reach // nil until it is asked
}

// Find returns what the function Find returns.
func (f *Finder) Find(n int, interval func(int) Interval, s agentrun.Span, w *compare.Work) int {
	const few = 16 // up to this number, reading all is faster than sorting them
	if f.asked++; f.asked <= few || n <= few {
		*w += compare.Work(n)
		return Find(n, interval, s)
	}
	if f.index == nil {
		all := make([]Interval, n)
		for i := range all {
			all[i] = interval(i)
		}
		f.index = NewIndex(all)
	}
	return f.index.Find(s)
}

// OtherThan returns what [Reach.OtherThan] returns.
func (f *Finder) OtherThan(n int, interval func(int) Interval, began, ended pcommon.Timestamp, w *compare.Work, except ...int) bool {
	if f.reach == nil {
		*w += compare.Work(n)
		f.reach = NewReach(n, func(i int) agentrun.Span { return interval(i).Span })
	}
	return f.reach.OtherThan(began, ended, except...)
}

// Find returns the innermost of n intervals that contains a span. Otherwise it returns the first open one that had not ended
// when the span began; or none, which is -1.
func Find(n int, interval func(int) Interval, s agentrun.Span) int {
	inner, outer := none, none
	var innermost, first agentrun.Span
	for i := range n {
		v := interval(i)
		if v.Contains(s) && (inner == none || Narrower(v.Span, innermost)) {
			inner, innermost = i, v.Span
		}
		if s.Start <= v.End && v.Open && (outer == none || agentrun.CompareStart(v.Span, first) < 0) {
			outer, first = i, v.Span
		}
	}
	if inner != none {
		return inner
	}
	return outer
}
