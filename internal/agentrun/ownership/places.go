package ownership

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// distinguish indexes candidates and calls by span id and process. For the id alone, the first candidate in the order of spans
// counts.
func (r *Resolver) distinguish() {
	r.candidateOf, r.callOf = make(map[agentrun.SpanKey]int, len(r.candidates)), make(map[agentrun.SpanKey]int, len(r.calls))
	for i := range r.candidates {
		s := &r.candidates[i]
		r.candidateOf[s.Key()] = i
		if first, known := r.candidateAt[s.ID]; known && agentrun.CompareSpans(s.Span, r.candidates[first].Span) < 0 {
			r.candidateAt[s.ID] = i
		}
	}
	for i := range r.calls {
		r.callOf[r.calls[i].Key()] = i
	}
}

// candidateOn returns the candidate of a span that a walk for a process passes, or none. own says that the process has sent
// the span itself. Then no span of another process represents a run with that ID.
func (r *Resolver) candidateOn(id pcommon.SpanID, by agentrun.Process, own bool) int {
	return r.placeOn(r.candidateOf, r.candidateAt, id, by, own)
}

// callOn returns the call of a span in the same way.
func (r *Resolver) callOn(id pcommon.SpanID, by agentrun.Process, own bool) int {
	return r.placeOn(r.callOf, r.callAt, id, by, own)
}

// placeOn looks a span up among those of a process and of unknown processes, if several processes have a part. Otherwise, or
// if the process has not sent the span, it looks the span up among all.
func (r *Resolver) placeOn(of map[agentrun.SpanKey]int, all map[pcommon.SpanID]int, id pcommon.SpanID, by agentrun.Process, own bool) int {
	if r.several {
		for _, process := range [...]agentrun.Process{by, 0} {
			if place, known := of[agentrun.SpanKey{Process: process, ID: id}]; known {
				return place
			}
		}
		if own {
			return none
		}
	}
	return placeOf(all, id)
}

func placeOf(places map[pcommon.SpanID]int, id pcommon.SpanID) int {
	if place, known := places[id]; known {
		return place
	}
	return none
}
