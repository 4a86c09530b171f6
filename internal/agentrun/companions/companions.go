// Package companions gives the held spans of tool calls to the runs that have the calls.
//
// With annotate.calls the span of a tool call is held, so that it has the verdict of its call and leaves with its run. Nothing
// waits for such a span: it accompanies its run as one of [agentrun.Run.Companions], or leaves without a verdict. A call may
// count for several runs. Then its span leaves with the run that owns the call, or else with the first run that has it.
//
//	agent a
//	  call c      run of a: the span of c is its companion
//	call d        waits for another run: the span of d stays
//	call e        was dropped: the span of e leaves without a verdict
//
// The trace buffer asks once for each closing ([Attach]). Spans and calls are hashed, so a closing takes as many steps as it has
// spans and calls.
package companions

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// receiver is the run that a held call span leaves with. The owner of its call comes before the runs around it, which have
// the call too.
type receiver struct {
	run int
	own bool
}

// bySpan has a value for each span. Records of early versions do not say which process sent a span.
type bySpan[T any] map[agentrun.SpanKey]T

// of returns the value of a held span.
func (m bySpan[T]) of(a *agentrun.Anchor) (v T, known bool) {
	if v, known = m[a.Key()]; !known {
		v, known = m[agentrun.SpanKey{Process: 0, ID: a.ID}]
	}
	return v, known
}

// Attach moves held spans to the runs that have their calls: the runs of h from firstRun on, which one closing made. The held
// spans are those that the closing passes through, from firstSpan on, and the spans of calls in held. held is nil if no spans
// of calls are held. stay are the calls that stay with their trace.
//
// A span whose call no run has stays in held if its call stays, and is passed through otherwise. Held spans that could have
// represented a run, and do not, accompany the runs too.
func Attach(h *agentrun.ClosedBatch, firstRun, firstSpan int, held *[]agentrun.Anchor, stay []agentrun.PendingCall) {
	runs := h.Runs[firstRun:]
	receivers := receiversOf(runs)
	h.Passthrough = append(h.Passthrough[:firstSpan], slices.DeleteFunc(h.Passthrough[firstSpan:], func(a agentrun.Anchor) bool {
		with, taken := receivers.of(&a)
		if taken {
			a.Kind = agentrun.Tool
			runs[with.run].Companions = append(runs[with.run].Companions, a)
		}
		return taken
	})...)
	if held == nil {
		return
	}
	stays := make(bySpan[bool], len(stay))
	for i := range stay {
		stays[stay[i].Key()] = true
	}
	var kept []agentrun.Anchor
	for _, a := range *held {
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
	*held = kept
}

// receiversOf are the receivers by the spans of their calls.
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
