package ownership

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
)

// byTime returns the innermost candidate whose time contains the span. Otherwise it returns the first open candidate that had
// not ended when the span began; or none, which is -1. A closed run owns only calls in its time: a call that began earlier
// probably belongs to a run whose span has not arrived.
func (r *Resolver) byTime(s agentrun.Span) int {
	return r.times.Find(len(r.candidates), r.interval, s, r.work)
}

// interval is the time of a candidate.
func (r *Resolver) interval(i int) intervals.Interval {
	return intervals.Interval{Span: r.candidates[i].Span, Open: r.candidates[i].State != Closed}
}

// A table forgets links and closed runs when it is full. So a chain of parents may be broken, or another process may have sent a
// link in the place of one that is forgotten. Then no run of the trace is complete if what is forgotten could change the
// owner of a span.

// noteForgotten notes that nothing but the time of a call, or a link of another process, leads to the candidate at.
func (r *Resolver) noteForgotten(at int, call agentrun.Span) {
	r.noteUnlinked(call, 0, at, none)
	if r.forgotten > 0 && at != none && min(call.Start, r.candidates[at].Start) <= r.forgotten && r.broken(call) {
		r.Uncertain = true // the call may be of a run that has closed
	}
}

// noteUnlinked notes that nothing but the time of s, or a link of another process, leads to the candidates one and another. A
// link that is forgotten may have led to a further one. That one began before the link came, because the link's span is
// below it. It ended at a time or later.
func (r *Resolver) noteUnlinked(s agentrun.Span, ended pcommon.Timestamp, one, another int) {
	if r.unlinked == 0 || r.Uncertain || !r.broken(s) {
		return
	}
	r.Uncertain = r.times.OtherThan(len(r.candidates), r.interval, min(r.unlinked, s.Start), ended, r.work, one, another)
}

// noteUnlinkedCall notes that it is unknown what is above a call. A forgotten link may have led to a call at its time.
func (r *Resolver) noteUnlinkedCall(call *agentrun.PendingCall) {
	if s := call.Span(); r.unlinked > 0 && !r.Uncertain && r.broken(s) {
		if r.callTimes == nil {
			r.callTimes = new(intervals.Finder)
		}
		times := func(i int) intervals.Interval { return intervals.Interval{Span: r.calls[i].Span()} }
		r.Uncertain = r.callTimes.OtherThan(len(r.calls), times, min(r.unlinked, s.Start), s.End, r.work, r.callAt.On(s.ID, s.Process, true))
	}
}

// NoteUnknown notes that it is unknown what is above a span. A forgotten link may say it.
func (r *Resolver) NoteUnknown() { r.Uncertain = r.Uncertain || r.unlinked > 0 }

// mayBeLinked reports whether a forgotten link may lead from s to a candidate.
func (r *Resolver) mayBeLinked(s agentrun.Span) bool {
	if r.unlinked == 0 || !r.broken(s) {
		return false
	}
	r.Uncertain = true
	return true
}

// broken reports whether a span above s has not come, or only from another process.
func (r *Resolver) broken(s agentrun.Span) bool {
	above := r.chainAbove(s)
	return above.open || above.foreign
}
