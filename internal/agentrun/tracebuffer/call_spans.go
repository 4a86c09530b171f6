package tracebuffer

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// A tool call's span is held only so that it goes on with its run, and knows by then what became of its call: see
// [agentrun.Tool]. Nothing waits for it. It stands aside until a closing brings out a run that has its call; so whatever closes
// a run lets go of it, too. Where no run has its call, and none will, it goes on without a verdict.

// shouldHoldCallSpan reports whether a tool call's span is to be held. Its call has been written down before. Of a late one the
// trace is not open; if another span has opened it again since, the caller has to know. When calls are left out, so are
// their spans, and when there are as many as calls may be, no batch brings more: one may be sent over and over.
func (b *Buffer) shouldHoldCallSpan(s agentrun.Span) bool {
	t, open := b.lookUp(s.Trace)
	if !open || t.truncated || s.ID.IsEmpty() || t.heldCallSpans != nil && len(*t.heldCallSpans) >= b.set.MaxCalls {
		return false
	}
	r, closed := t.closedRuns.Closed(&s)
	return !closed || r.ID.IsEmpty() // a copy of what stood for a run is not held either
}

// holdCallSpan takes a tool call's span.
func (b *Buffer) holdCallSpan(t *trace, a agentrun.Anchor) {
	if t.heldCallSpans == nil {
		t.heldCallSpans = new([]agentrun.Anchor)
	}
	*t.heldCallSpans = append(*t.heldCallSpans, a)
	b.resize(t, anchorBytes+a.Size)
}

// receiver is the run that a span aside goes with. The run that its call is of goes before those around it, which have the
// call as well.
type receiver struct {
	run int
	own bool
}

// bySpan is what is known of spans. Of what an earlier version stored it is not known who sent it.
type bySpan[T any] map[agentrun.SpanKey]T

// of is what is known of a held span.
func (m bySpan[T]) of(a *agentrun.Anchor) (v T, known bool) {
	if v, known = m[a.Key()]; !known {
		v, known = m[agentrun.SpanKey{Process: 0, ID: a.ID}]
	}
	return v, known
}

// attachCallSpans gives the spans aside to the runs that have closed. Those stay whose calls do; but for one that has its own
// run, whoever else may count its call later. Spans of calls that might have stood for a run, and do not, go with the runs
// as well: they are in without a verdict from first on.
func (t *trace) attachCallSpans(runs []agentrun.Run, h *agentrun.ClosedBatch, first int) {
	receivers := receiversOf(runs)
	h.Passthrough = append(h.Passthrough[:first], slices.DeleteFunc(h.Passthrough[first:], func(a agentrun.Anchor) bool {
		with, taken := receivers.of(&a)
		if taken {
			a.Kind = agentrun.Tool
			runs[with.run].Companions = append(runs[with.run].Companions, a)
		}
		return taken
	})...)
	if t.heldCallSpans == nil {
		return
	}
	stays := make(bySpan[bool], len(t.calls))
	for i := range t.calls {
		stays[t.calls[i].Key()] = true
	}
	var kept []agentrun.Anchor
	for _, a := range *t.heldCallSpans {
		with, taken := receivers.of(&a)
		staying, _ := stays.of(&a)
		switch {
		case taken && (with.own || !staying):
			runs[with.run].Companions = append(runs[with.run].Companions, a)
		case staying:
			kept = append(kept, a)
		default:
			h.Passthrough = append(h.Passthrough, a)
		}
	}
	*t.heldCallSpans = kept
}

// receiversOf are the takers by the spans of their calls.
func receiversOf(runs []agentrun.Run) bySpan[receiver] {
	calls := 0
	for i := range runs {
		calls += len(runs[i].Calls)
	}
	receivers := make(bySpan[receiver], calls)
	for i := range runs {
		for c := range runs[i].Calls {
			call := &runs[i].Calls[c]
			if known, taken := receivers[call.Key()]; !taken || !known.own && call.Source == agentrun.SourceOwn {
				receivers[call.Key()] = receiver{i, call.Source == agentrun.SourceOwn}
			}
		}
	}
	return receivers
}
