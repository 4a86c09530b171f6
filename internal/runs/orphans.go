package runs

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// A tool's span that has lost its parent is the root of a trace of its own. If it has the call ID of a model's request in another trace
// of the log, where no span has the call, it is examined as a span below that response.

// orphans are the places of traces in the log, by spans that are examined in another one.
type orphans map[evidence.Span]int

// A requester is a response that asked for a call.
type requester struct {
	trace  int
	agents bool // the trace has agents
	evidence.Span
	tool string
}

// isOrphan reports whether a fact is that of a tool's span without a parent.
func isOrphan(f *evidence.Fact) bool {
	return f.Call != nil && f.Parent.IsEmpty() && !f.ID.IsEmpty() && f.Kind == evidence.None && unique(f.Call.ID)
}

// adopt moves orphans to the traces whose models asked for their calls.
func adopt(log *evidence.Log) orphans {
	if len(log.Traces) < 2 {
		return nil
	}
	asked := requesters(log)
	moved := make(orphans)
	for i := range log.Traces {
		t := &log.Traces[i]
		t.Facts = slices.DeleteFunc(t.Facts, func(f evidence.Fact) bool {
			if !isOrphan(&f) {
				return false
			}
			by := requesterOf(&f, asked[f.Call.ID])
			if by == nil || by.trace == i || pastSpan(t, f.ID) {
				return false
			}
			moved[f.Span] = i
			f.Parent = by.ID
			log.Traces[by.trace].Facts = append(log.Traces[by.trace].Facts, f)
			for k := range t.Held {
				if h := t.Held[k]; h.ID == f.ID {
					h.Kind, h.Parent = evidence.Tool, by.ID
					log.Traces[by.trace].Held = append(log.Traces[by.trace].Held, h)
				}
			}
			t.Held = slices.DeleteFunc(t.Held, func(h evidence.Held) bool { return h.ID == f.ID })
			return true
		})
	}
	return moved
}

// requesters returns the responses that asked for calls which no span of their trace has, by the IDs of calls.
func requesters(log *evidence.Log) map[string][]requester {
	asked := make(map[string][]requester)
	for i := range log.Traces {
		facts := log.Traces[i].Facts
		called := make(map[string]bool)
		agents := false
		for k := range facts {
			if agents = agents || facts[k].Kind == agentKind; facts[k].Call != nil {
				called[facts[k].Call.ID] = true
			}
		}
		for k := range facts {
			f := &facts[k]
			if f.Response == nil || f.Response.Shares != nil || f.ID.IsEmpty() {
				continue
			}
			for _, q := range f.Response.Requests {
				if unique(q.ID) && !called[q.ID] {
					asked[q.ID] = append(asked[q.ID], requester{i, agents, f.Span, toolname.Key(q.Name)})
				}
			}
		}
	}
	return asked
}

// requesterOf returns the response that asked for a call: in a trace with agents if there is one, and the last before the call.
func requesterOf(f *evidence.Fact, asked []requester) (best *requester) {
	for i := range asked {
		q := &asked[i]
		if q.tool != toolname.Key(f.Call.Name) || q.Start > f.Start+evidence.ClockSlack {
			continue
		}
		if best == nil || q.agents && !best.agents || q.agents == best.agents && evidence.CompareSpans(&best.Span, &q.Span) < 0 {
			best = q
		}
	}
	return best
}

// pastSpan reports whether a run of a span has closed.
func pastSpan(t *evidence.Trace, id pcommon.SpanID) bool {
	return slices.ContainsFunc(t.Facts, func(f evidence.Fact) bool { return f.Closed && f.ID == id })
}

// giveBack moves orphans back that wait for their runs. The traces of the others remember that they were judged.
func (o orphans) giveBack(log *evidence.Log, x *Examination) {
	if len(o) == 0 {
		return
	}
	waiting := make(map[evidence.Span]bool)
	for i := range log.Traces {
		t := &log.Traces[i]
		t.Facts = slices.DeleteFunc(t.Facts, func(f evidence.Fact) bool {
			if f.Trace == t.Key.Trace {
				return false
			}
			f.Parent = pcommon.SpanID{}
			from := &log.Traces[o[f.Span]]
			from.Facts = append(from.Facts, f)
			waiting[f.Span] = true
			return true
		})
		t.Held = slices.DeleteFunc(t.Held, func(h evidence.Held) bool {
			if h.Trace == t.Key.Trace {
				return false
			}
			from := slices.IndexFunc(log.Traces, func(t evidence.Trace) bool { return t.Key.Trace == h.Trace })
			h.Parent = pcommon.SpanID{}
			log.Traces[from].Held = append(log.Traces[from].Held, h)
			return true
		})
	}
	for span, from := range o {
		if t := &log.Traces[from]; !waiting[span] {
			t.Facts = append(t.Facts, evidence.Fact{Span: span, Kind: evidence.Root, Closed: true, ClosedBy: x.By, ClosedAt: x.Now.UnixNano()})
		}
	}
}
