package runs

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A tool's span that has lost its parent is the root of a trace of its own. If it has the call ID of a model's request in another trace
// of the log, where no span has the call, it is examined as a span below that response.

// A requester is a response that asked for a call.
type requester struct {
	trace int
	evidence.Span
}

// adopt moves orphans to the traces whose models asked for their calls: of several to the last.
func adopt(log *evidence.Log) (moved []evidence.Span) {
	if len(log.Traces) < 2 {
		return nil
	}
	asked := requesters(log)
	for _, t := range each(log.Traces) {
		of := make(map[pcommon.SpanID]requester) // by the orphans that move
		t.Facts = slices.DeleteFunc(t.Facts, func(f evidence.Fact) bool {
			if f.Call == nil || !f.Parent.IsEmpty() || f.ID.IsEmpty() || f.Kind != evidence.None {
				return false
			}
			by, known := asked[keyOf(f.Call.ID, f.Call.Name)]
			if !known || by.Start > f.Start+evidence.ClockSlack {
				return false
			}
			to := &log.Traces[by.trace]
			moved = append(moved, f.Span)
			f.Parent, of[f.ID] = by.ID, by
			to.Facts = append(to.Facts, f)
			return true
		})
		t.Held = slices.DeleteFunc(t.Held, func(h evidence.Held) bool {
			by, known := of[h.ID]
			if !known {
				return false
			}
			h.Parent, h.Kind = by.ID, evidence.Tool
			log.Traces[by.trace].Held = append(log.Traces[by.trace].Held, h)
			return true
		})
	}
	return moved
}

// requesters returns the responses that asked for calls which no span of their trace has, the last one of each call.
func requesters(log *evidence.Log) map[callKey]requester {
	asked := make(map[callKey]requester)
	for i := range log.Traces {
		called := make(map[string]bool)
		for _, f := range each(log.Traces[i].Facts) {
			if f.Call != nil {
				called[f.Call.ID] = true
			}
		}
		for _, f := range each(log.Traces[i].Facts) {
			if f.Response == nil || f.Response.Shares != nil || f.ID.IsEmpty() {
				continue
			}
			for _, q := range f.Response.Requests {
				if !unique(q.ID) || called[q.ID] {
					continue
				}
				key := keyOf(q.ID, q.Name)
				if known, again := asked[key]; !again || evidence.CompareSpans(&known.Span, &f.Span) < 0 {
					asked[key] = requester{i, f.Span}
				}
			}
		}
	}
	return asked
}

// giveBack moves orphans back that wait for their runs. The traces of the others remember that they were judged.
func giveBack(moved []evidence.Span, log *evidence.Log, x *Examination) {
	if len(moved) == 0 {
		return
	}
	waiting, home := make(map[evidence.Span]bool), make(map[pcommon.TraceID]*evidence.Trace)
	for _, t := range each(log.Traces) {
		home[t.Key.Trace] = t
	}
	for _, t := range each(log.Traces) {
		t.Held = slices.DeleteFunc(t.Held, func(h evidence.Held) bool {
			if h.Trace == t.Key.Trace {
				return false
			}
			h.Parent, h.Kind = pcommon.SpanID{}, evidence.Root
			from := home[h.Trace]
			from.Held = append(from.Held, h)
			return true
		})
		t.Facts = slices.DeleteFunc(t.Facts, func(f evidence.Fact) bool {
			if f.Trace == t.Key.Trace || f.Closed { // a run that closed stays where it was, whatever calls it had
				return false
			}
			f.Parent = pcommon.SpanID{}
			from := home[f.Trace]
			from.Facts, waiting[f.Span] = append(from.Facts, f), true
			return true
		})
	}
	for _, span := range moved {
		if t := home[span.Trace]; !waiting[span] {
			t.Facts = append(t.Facts, evidence.Fact{Span: span, Kind: evidence.Root, Closed: true, ClosedBy: x.By, ClosedAt: x.Now.UnixNano()})
		}
	}
}
