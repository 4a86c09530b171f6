package ownership

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
)

// timeIndex are candidates that are asked for by time. Where there are many of them, and many spans of unknown origin, they are
// put in order first.
type timeIndex struct {
	lost      int // how many spans of unknown origin there were
	intervals *intervals.Index
	reach     *intervals.Reach // nil until it is asked
}

// find returns what fallbackByTime returns.
func (v *timeIndex) find(candidates []Candidate, call agentrun.Span, w *compare.Work) int {
	const few = 16 // up to this number, reading all is faster than sorting them
	if v.lost++; v.lost <= few || len(candidates) <= few {
		*w += compare.Work(len(candidates))
		return fallbackByTime(candidates, call)
	}
	if v.intervals == nil {
		all := make([]intervals.Interval, len(candidates))
		for i := range candidates {
			all[i] = intervals.Interval{Span: candidates[i].Span, Open: candidates[i].State != Closed}
		}
		v.intervals = intervals.NewIndex(all)
	}
	return v.intervals.Find(call)
}

// fallbackByTime returns the innermost candidate whose time contains the call. Otherwise it returns the first open candidate
// that had not ended when the call began; or none, which is -1. A closed run owns only calls in its time: a call that began
// earlier probably belongs to a run whose span has not arrived.
func fallbackByTime(candidates []Candidate, call agentrun.Span) int {
	inner, outer := -1, -1
	for i := range candidates {
		s := &candidates[i]
		if s.Contains(call) && (inner < 0 || intervals.Narrower(s.Span, candidates[inner].Span)) {
			inner = i
		}
		if call.Start <= s.End && s.State != Closed && (outer < 0 || agentrun.CompareStart(s.Span, candidates[outer].Span) < 0) {
			outer = i
		}
	}
	if inner >= 0 {
		return inner
	}
	return outer
}

// noteUnlinked notes that the chain of parents of s led to no candidate, and that time alone leads to the candidate at, or to
// none. A forgotten link may have led to another one. That one began before the link came, because the link's span is below
// it. It ended at a time or later.
func (r *Resolver) noteUnlinked(at int, s agentrun.Span, ended pcommon.Timestamp) {
	if r.unlinked == 0 || r.Uncertain || !r.chainIncomplete(s) {
		return
	}
	if r.reach == nil {
		r.reach = intervals.NewReach(len(r.candidates), func(i int) agentrun.Span { return r.candidates[i].Span })
		*r.work += compare.Work(len(r.candidates))
	}
	r.Uncertain = r.reach.OtherThan(at, min(r.unlinked, s.Start), ended)
}
