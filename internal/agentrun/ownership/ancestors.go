package ownership

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

var noAncestors = ancestors{none, none, none, false}

// mapSpans fills the maps, for the first walk.
func (r *Resolver) mapSpans() {
	r.mapped = true
	if r.above == nil {
		r.candidateAt = make(map[pcommon.SpanID]int)
		r.callAt = make(map[pcommon.SpanID]int)
		r.above = make(map[agentrun.SpanKey]ancestors)
		r.incomplete = make(map[agentrun.SpanKey]bool)
	}
	clear(r.candidateAt)
	clear(r.callAt)
	clear(r.above)
	clear(r.incomplete)
	r.parents.Tidy()
	*r.work += compare.Work(len(r.candidates) + len(r.calls))
	for i := range r.candidates {
		r.candidateAt[r.candidates[i].ID] = i
	}
	for i := range r.calls {
		r.callAt[r.calls[i].ID] = i
	}
	if r.several {
		r.distinguish()
	}
	delete(r.candidateAt, pcommon.SpanID{})
	delete(r.callAt, pcommon.SpanID{})
}

// ascend finds the ancestors of a span. Its parent is id, and the process by sent it. Each span is walked over once for each
// process, whatever the shape of the trace. A walk stops at a span that was walked before, and a cycle of parents has no
// ancestors.
func (r *Resolver) ascend(id pcommon.SpanID, by agentrun.Process) ancestors {
	switch {
	case id.IsEmpty():
		return noAncestors
	case len(r.candidates) == 1 && id == r.candidates[0].ID && !r.several:
		return ancestors{0, none, none, false}
	case !r.mapped:
		r.mapSpans()
	}
	r.path = r.path[:0]
	found := noAncestors
	for !id.IsEmpty() {
		*r.work++
		if a, seen := r.above[agentrun.SpanKey{Process: by, ID: id}]; seen {
			found = a
			break
		}
		r.above[agentrun.SpanKey{Process: by, ID: id}] = found
		at := r.parents.Of(id, by)
		r.path = append(r.path, walkedSpan{id, at.Own})
		if r.candidateOn(id, by, at.Own) != none {
			break
		}
		if at.Disputed {
			r.Contradicted = true
			break
		}
		id = at.Parent
	}
	for _, at := range slices.Backward(r.path) {
		if candidate := r.candidateOn(at.id, by, at.own); candidate != none {
			found = ancestors{candidate, none, none, false}
		} else if found.crossed = found.crossed || !at.own; found.crossed {
			found.own = none
		}
		if call := r.callOn(at.id, by, at.own); call != none && r.candidateOn(at.id, by, at.own) == none {
			found.call = call
			if at.own {
				found.own = call
			}
		}
		r.above[agentrun.SpanKey{Process: by, ID: at.id}] = found
	}
	return found
}

// owner is the candidate that a call belongs to, or none.
func (r *Resolver) owner(call agentrun.Span) int {
	if i := r.ascend(call.Parent, call.Process).candidate; i != none {
		return r.outermost(i)
	}
	i := r.candidateByTime(call)
	if i != none && r.mayStillArrive && r.chainIncomplete(call) && r.chainIncomplete(r.candidates[i].Span) {
		i = none
	}
	r.noteUnlinked(i, call, 0)
	return i
}

// chainIncomplete reports whether the chain of parents above s ends at a span that has not arrived. A cycle is complete.
func (r *Resolver) chainIncomplete(s agentrun.Span) bool {
	if !r.mapped {
		r.mapSpans()
	}
	r.path = r.path[:0]
	id, open := s.Parent, false
	for !id.IsEmpty() {
		*r.work++
		known, before := r.incomplete[agentrun.SpanKey{Process: s.Process, ID: id}]
		if before {
			open = known
			break
		}
		at := r.parents.Of(id, s.Process)
		r.incomplete[agentrun.SpanKey{Process: s.Process, ID: id}] = false
		r.path = append(r.path, walkedSpan{id, at.Own})
		if !at.Seen || at.Disputed {
			open = !at.Seen
			break
		}
		id = at.Parent
	}
	for _, at := range r.path {
		r.incomplete[agentrun.SpanKey{Process: s.Process, ID: at.id}] = open
	}
	return open
}

// ParentOf returns the parent of a span as its process recorded it, and whether that is known for certain.
func (r *Resolver) ParentOf(id pcommon.SpanID, by agentrun.Process) (parent pcommon.SpanID, known bool) {
	if !r.mapped {
		r.mapSpans()
	}
	at := r.parents.Of(id, by)
	return at.Parent, at.Seen && at.Own && !at.Disputed
}
