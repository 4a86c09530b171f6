package ownership

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

var noAncestors = ancestors{candidate: none, call: none, own: none}

// mapSpans fills the maps, for the first walk.
func (r *Resolver) mapSpans() {
	r.mapped = true
	if r.above == nil {
		r.above, r.chains = make(map[agentrun.SpanKey]ancestors), make(map[agentrun.SpanKey]chain)
	}
	clear(r.above)
	clear(r.chains)
	r.candidateAt.Reset(r.several)
	r.callAt.Reset(r.several)
	r.parents.Tidy()
	*r.work += compare.Work(len(r.candidates) + len(r.calls))
	for i := range r.candidates {
		r.candidateAt.Add(r.candidates[i].Key(), i, r.isBefore)
	}
	for i := range r.calls {
		r.callAt.Add(r.calls[i].Key(), i, nil)
	}
}

// isBefore reports whether one candidate is before another in the order of spans.
func (r *Resolver) isBefore(i, k int) bool {
	return agentrun.CompareSpans(r.candidates[i].Span, r.candidates[k].Span) < 0
}

// ascend finds the ancestors of a span. Its parent is id, and the process by sent it. Each span is walked over once for each
// process, whatever the shape of the trace. A walk stops at a span that was walked before, and a cycle of parents has no
// ancestors.
func (r *Resolver) ascend(id pcommon.SpanID, by agentrun.Process) ancestors {
	switch {
	case id.IsEmpty():
		return noAncestors
	case len(r.candidates) == 1 && id == r.candidates[0].ID && !r.several:
		return ancestors{candidate: 0, call: none, own: none}
	case !r.mapped:
		r.mapSpans()
	}
	r.path = r.path[:0]
	found := noAncestors
	for !id.IsEmpty() && r.mayStep() {
		if a, seen := r.above[agentrun.SpanKey{Process: by, ID: id}]; seen {
			found = a
			break
		}
		r.above[agentrun.SpanKey{Process: by, ID: id}] = found
		at := r.parents.Of(id, by)
		r.path = append(r.path, walkedSpan{id, at.Own, at.Sender})
		if r.candidateAt.On(id, by, at.Own) != none {
			break
		}
		if at.Disputed {
			r.Contradicted = true
			break
		}
		id = at.Parent
	}
	for _, at := range slices.Backward(r.path) {
		if candidate := r.candidateAt.On(at.id, by, at.own); candidate != none {
			found = ancestors{candidate: candidate, call: none, own: none}
		} else {
			found = found.above(at)
		}
		if call := r.callAt.On(at.id, by, at.own); call != none && r.candidateAt.On(at.id, by, at.own) == none {
			found.call = call
			if at.own {
				found.own = call
			}
		}
		r.above[agentrun.SpanKey{Process: by, ID: at.id}] = found
	}
	return found
}

// mayStep counts a step of a walk. If walks took too many, it is unknown what is above the others.
func (r *Resolver) mayStep() bool {
	*r.work++
	r.steps--
	r.Uncertain = r.Uncertain || r.steps < 0
	return r.steps >= 0
}

// owner is the candidate that a call belongs to, or none.
func (r *Resolver) owner(call agentrun.Span) int {
	up := r.ascend(call.Parent, call.Process)
	i := up.candidate
	if i == none {
		i = r.candidateByTime(call)
		if i != none && r.mayStillArrive && r.broken(call) && r.chainAbove(r.candidates[i].Span).open {
			i = none
		}
	}
	if !r.isCertain(up) {
		r.noteForgotten(i, call)
		if i != none && r.chainAbove(call).foreign {
			r.candidates[i].Guessed = true
		}
		r.Uncertain = r.Uncertain || r.guests && i != none && r.candidates[i].Kind != agentrun.Agent
	}
	if up.candidate != none {
		i = r.outermost(i)
	}
	return i
}

// isCertain reports whether a way leads to a candidate, and only the process that asks and that of the candidate say so. A link of
// another process may be forged.
func (r *Resolver) isCertain(up ancestors) bool {
	return up.candidate != none && (!up.crossed || !up.mixed && !up.via.DiffersFrom(r.candidates[up.candidate].Process))
}

// chain is the chain of parents above a span. open: it ends at a span that has not arrived. foreign: only another process
// has sent one of its spans.
type chain struct{ open, foreign bool }

// chainAbove returns what is known of the chain of parents above s. A cycle is not open.
func (r *Resolver) chainAbove(s agentrun.Span) chain {
	if !r.mapped {
		r.mapSpans()
	}
	r.path = r.path[:0]
	var found chain
	for id := s.Parent; !id.IsEmpty() && r.mayStep(); {
		known, before := r.chains[agentrun.SpanKey{Process: s.Process, ID: id}]
		if before {
			found = known
			break
		}
		at := r.parents.Of(id, s.Process)
		r.chains[agentrun.SpanKey{Process: s.Process, ID: id}] = chain{}
		r.path = append(r.path, walkedSpan{id, at.Own || !at.Seen, at.Sender})
		if !at.Seen || at.Disputed {
			found.open = !at.Seen
			break
		}
		id = at.Parent
	}
	for _, at := range slices.Backward(r.path) {
		found.foreign = found.foreign || !at.own
		r.chains[agentrun.SpanKey{Process: s.Process, ID: at.id}] = found
	}
	return found
}

// ParentOf returns the parent of a span as its process recorded it, and whether that is known for certain.
func (r *Resolver) ParentOf(id pcommon.SpanID, by agentrun.Process) (parent pcommon.SpanID, known bool) {
	if !r.mapped {
		r.mapSpans()
	}
	at := r.parents.Of(id, by)
	return at.Parent, at.Seen && at.Own && !at.Disputed
}
