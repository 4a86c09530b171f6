package tracebuffer

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

// attachCallSpans moves held call spans from passthrough, beginning at first, to the closed runs that have their calls. A
// span whose call no run has stays for later, unless it represents a run itself. Held spans that could have represented a
// run, and do not, accompany the runs too.
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
