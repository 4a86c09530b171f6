package tracebuffer

import (
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
)

// A late span arrives after its run has closed. If its trace is not open, traceFor recognizes a late call. In an open trace,
// the call waits until the trace is examined, and assign finds that it is [ownership.Late]. Either way the call is not kept.
// [Buffer.Closed] recognizes a late anchor.

// traceFor returns the trace of a call or a response, and opens it if necessary. If the trace is not open and the span
// certainly belongs to a closed run, the span is late. Then no trace is opened, and late says by how much.
func (b *Buffer) traceFor(now time.Time, s agentrun.Span) (t *trace, late time.Duration, isLate bool) {
	if t, open := b.lookUp(s.Trace); open {
		return t, 0, false
	}
	r, closed := b.decisions.Called(&s)
	if !closed && b.set.WholeTrace {
		r, closed = b.decisions.Latest(s.Trace)
		closed = closed && !r.Process.DiffersFrom(s.Process) // the root of its own process may not have arrived
	}
	if closed {
		return nil, r.Since(now), true
	}
	return b.begin(now, s.Trace, b.decisions.Of(s.Trace)), 0, false
}

// closedRun returns the closed run that s represents: see [closedruns.Runs.Closed]. t is its trace, or nil if that is not
// open.
func (b *Buffer) closedRun(t *trace, s agentrun.Span) (r closedruns.Run, closed bool) {
	if t != nil {
		return t.closedRuns.Closed(&s)
	}
	return b.decisions.Closed(&s)
}

// Closed reports whether the run that a represents has closed. If it closed without its anchor, late is a run that says so:
// its calls were judged without it, and it has none. A tool call's span is closed if its trace is not open.
func (b *Buffer) Closed(a agentrun.Anchor) (late *agentrun.Run, closed bool) {
	t, open := b.lookUp(a.Trace)
	if a.Kind == agentrun.Tool {
		return nil, !open
	}
	r, closed := b.closedRun(t, a.Span)
	if closed && r.ID.IsEmpty() {
		late = &agentrun.Run{Trace: a.Trace, Anchors: []agentrun.Anchor{a}, ClosedBy: r.Reason, AnchorLate: true}
	}
	return late, closed
}
