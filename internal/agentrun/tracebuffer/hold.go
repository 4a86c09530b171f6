package tracebuffer

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
)

// begin opens a trace. closed has its runs that closed earlier, as the decision cache knows them.
func (b *Buffer) begin(now time.Time, id pcommon.TraceID, closed closedruns.Runs) *trace {
	t := b.pool.take()
	t.id, t.lastSeen, t.begun, t.closedRuns = id, now, pcommon.NewTimestampFromTime(now), append(t.closedRuns, closed...)
	if len(closed) > 0 {
		b.decisions.Forget(id) // an open trace has its closed runs itself
	}
	b.traces[id] = t
	t.insertBefore(&b.idle)
	b.open++
	b.resize(t, traceBytes)
	b.set.Known(id, true) // from here on nothing passes without being linked
	if t.forgotten = b.decisions.Dropped(id); b.set.Replay {
		t.forgotten.Closed = 0 // in a replay, a span comes once
	}
	b.addEarlierParents(t)
	return t
}

// ShouldHold reports whether a span of that kind must be held. The caller must have added all other spans of the batch
// before.
func (b *Buffer) ShouldHold(s agentrun.Span, kind agentrun.AnchorKind) bool {
	if kind == agentrun.Tool {
		return b.shouldHoldCallSpan(s)
	}
	t, known := b.lookUp(s.Trace)
	r, closed := b.closedRun(t, s)
	switch {
	case closed && !r.ID.IsEmpty():
		return false
	case kind == agentrun.Agent: // whether or not a limit has closed the trace since it was seen
		return true
	case !known:
		return false
	case b.set.WholeTrace:
		return true
	}
	// An agent of another process says nothing about this process's calls: see package represent.
	of := t.processTable.Of(s.Process)
	if kind == agentrun.Workflow {
		return of&byprocess.HasAgent == 0
	}
	return of&(byprocess.HasAgent|byprocess.HasWorkflow) == 0 && (of&byprocess.HasCalls != 0 || t.called && !t.kinds[agentrun.Agent] && !t.kinds[agentrun.Workflow])
}

// restoreClosed remembers the closed runs of t that are not known yet.
func (b *Buffer) restoreClosed(t *trace, closed closedruns.Runs) {
	before := len(t.closedRuns)
	for _, r := range closed {
		if !t.closedRuns.Has(r) {
			t.remember(r)
		}
	}
	t.trimClosed()
	b.resize(t, (len(t.closedRuns)-before)*closedruns.RunBytes)
}

// A tool call's span is held so that it leaves with its run and has the verdict of its call: see [agentrun.Tool]. Nothing
// waits for such a span. It stays until a closing returns the run that has its call. If no run ever has its call, it leaves
// without a verdict.

// shouldHoldCallSpan reports whether a tool call's span must be held. Its call has been added before. A late call's trace is
// usually not open; if another span has opened it again, the caller must leave the late call out. Spans of calls that were
// left out are not held. At the bound no batch adds any more, because a sender may send one batch again and again.
func (b *Buffer) shouldHoldCallSpan(s agentrun.Span) bool {
	t, open := b.lookUp(s.Trace)
	if !open || t.truncated || s.ID.IsEmpty() || t.heldCallSpans != nil && len(*t.heldCallSpans) >= b.set.MaxCalls {
		return false
	}
	r, closed := t.closedRuns.Closed(&s)
	return !closed || r.ID.IsEmpty() // a copy of a run's anchor is not held either
}

// holdCallSpan takes a tool call's span.
func (b *Buffer) holdCallSpan(t *trace, a agentrun.Anchor) {
	if t.heldCallSpans == nil {
		t.heldCallSpans = new([]agentrun.Anchor)
	}
	*t.heldCallSpans = append(*t.heldCallSpans, a)
	b.resize(t, anchorBytes+a.Size)
}
