package agentrun

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// ancestors are the nearest seat at or above a span, and the nearest call that is nearer than it; own is that as far as
// the span's own process tells of all that is between. Each may be none. crossed: it takes the word of another process
// that the seat is above.
type ancestors struct {
	seat, call, own int
	crossed         bool
}

var noAncestors = ancestors{none, none, none, false}

// passed is a span that a walk has passed; own: the process for which it walks has sent it.
type passed struct {
	id  pcommon.SpanID
	own bool
}

// survey fills the maps, for the first walk.
func (r *resolver) survey() {
	r.mapped = true
	if r.above == nil {
		r.seatAt = make(map[pcommon.SpanID]int)
		r.callAt = make(map[pcommon.SpanID]int)
		r.above = make(map[spanKey]ancestors)
		r.open = make(map[spanKey]bool)
	}
	clear(r.seatAt)
	clear(r.callAt)
	clear(r.above)
	clear(r.open)
	r.parents = r.trace.parents()
	r.work += work(len(r.seats) + len(r.calls))
	for i := range r.seats {
		r.seatAt[r.seats[i].ID] = i
	}
	for i := range r.calls {
		r.callAt[r.calls[i].id] = i
	}
	if r.several {
		r.distinguish()
	}
	delete(r.seatAt, pcommon.SpanID{})
	delete(r.callAt, pcommon.SpanID{})
}

// ascend finds the ancestors of a span of a process whose parent is id. Each span is walked over once for each process,
// whatever the shape: a walk stops where another has been, and a cycle of parents has no ancestors.
func (r *resolver) ascend(id pcommon.SpanID, by Process) ancestors {
	switch {
	case id.IsEmpty():
		return noAncestors
	case len(r.seats) == 1 && id == r.seats[0].ID && !r.several:
		return ancestors{0, none, none, false}
	case !r.mapped:
		r.survey()
	}
	r.path = r.path[:0]
	found := noAncestors
	for !id.IsEmpty() {
		r.work++
		if a, seen := r.above[spanKey{by, id}]; seen {
			found = a
			break
		}
		r.above[spanKey{by, id}] = found
		at := r.parents.of(id, by)
		r.path = append(r.path, passed{id, at.own})
		if r.seatOn(id, by, at.own) != none {
			break
		}
		if at.disputed {
			r.trace.contested = true // it is not known what is above, and whose the calls are
			break
		}
		id = at.parent
	}
	for _, at := range slices.Backward(r.path) {
		if seat := r.seatOn(at.id, by, at.own); seat != none {
			found = ancestors{seat, none, none, false}
		} else if found.crossed = found.crossed || !at.own; found.crossed {
			found.own = none
		}
		if call := r.callOn(at.id, by, at.own); call != none && r.seatOn(at.id, by, at.own) == none {
			found.call = call
			if at.own {
				found.own = call
			}
		}
		r.above[spanKey{by, at.id}] = found
	}
	return found
}

// owner is the seat that a call belongs to, or none.
func (r *resolver) owner(seats []seat, call Span) int {
	if i := r.ascend(call.Parent, call.Process).seat; i != none {
		return r.outermost(seats, i)
	}
	i := r.seatByTime(seats, call)
	if i != none && r.patient && r.unfinished(call) && r.unfinished(seats[i].Span) {
		return none
	}
	return i
}

// unfinished reports whether the chain of parents above s ends at a span that has not come. A cycle is finished.
func (r *resolver) unfinished(s Span) bool {
	if !r.mapped {
		r.survey()
	}
	r.path = r.path[:0]
	id, open := s.Parent, false
	for !id.IsEmpty() {
		r.work++
		known, before := r.open[spanKey{s.Process, id}]
		if before {
			open = known
			break
		}
		at := r.parents.of(id, s.Process)
		r.open[spanKey{s.Process, id}] = false
		r.path = append(r.path, passed{id, at.own})
		if !at.seen || at.disputed {
			open = !at.seen
			break
		}
		id = at.parent
	}
	for _, at := range r.path {
		r.open[spanKey{s.Process, at.id}] = open
	}
	return open
}
