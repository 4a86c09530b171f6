package agentrun

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// none is the index of nobody.
const none = -1

// resolver finds out which seat a call belongs to. Its maps are kept between traces to save the garbage.
type resolver struct {
	parents map[pcommon.SpanID]pcommon.SpanID
	seatAt  map[pcommon.SpanID]int
	callAt  map[pcommon.SpanID]int
	// above remembers the answer for every span that a walk has passed.
	above map[pcommon.SpanID]ancestors
	path  []pcommon.SpanID
	// open remembers, for every span that a walk has passed, whether the chain above it ends at a span that has not come.
	open map[pcommon.SpanID]bool
	// patient: what has not come may come, so a call of unknown origin is not given to a run inside of others.
	patient bool
}

// ancestors are the nearest seat at or above a span, and the nearest call that is nearer than it. Either may be none.
type ancestors struct{ seat, call int }

// assign gives the calls of t to the seats that they belong to. Those of a seat that is not ready, or of none, stay
// with t. It returns how many belonged to closed runs and are dropped, and how many spans told of a call again.
func (r *resolver) assign(t *trace, seats []seat, wholeTrace bool) (late, duplicates int) {
	if len(t.calls) == 0 {
		return 0, 0
	}
	spans := len(t.calls)
	for i := range t.calls {
		t.calls[i].rank = t.ranks[t.calls[i].callID]
	}
	slices.SortFunc(t.calls, compareRecords)
	t.dropRepeats()
	calls := t.calls
	r.begin(t, seats, calls)
	into := r.merge(calls)
	rest := make([]record, 0, 4)
	kept := 0
	for i := range calls {
		if into[i] != none {
			continue
		}
		kept++
		owner := none
		switch {
		case !wholeTrace:
			owner = r.owner(seats, calls[i].span())
		case len(seats) > 0:
			owner = 0
		}
		switch {
		case owner == none || seats[owner].state == seatWaiting:
			rest = append(rest, calls[i])
		case seats[owner].state == seatPast:
			late++
		default:
			seats[owner].calls = append(seats[owner].calls, calls[i])
		}
	}
	duplicates = spans - kept
	t.calls = rest
	return late, duplicates
}

func (r *resolver) begin(t *trace, seats []seat, calls []record) {
	if r.above == nil {
		r.seatAt = make(map[pcommon.SpanID]int)
		r.callAt = make(map[pcommon.SpanID]int)
		r.above = make(map[pcommon.SpanID]ancestors)
		r.open = make(map[pcommon.SpanID]bool)
	}
	clear(r.seatAt)
	clear(r.callAt)
	clear(r.above)
	clear(r.open)
	r.parents = t.parents()
	for i := range seats {
		r.seatAt[seats[i].ID] = i
	}
	for i := range calls {
		r.callAt[calls[i].id] = i
	}
	delete(r.seatAt, pcommon.SpanID{})
	delete(r.callAt, pcommon.SpanID{})
}

// ascend finds the ancestors of a span whose parent is id. Each span is walked over once, whatever the shape: a
// walk stops where another has been, and a cycle of parents has no ancestors.
func (r *resolver) ascend(id pcommon.SpanID) ancestors {
	r.path = r.path[:0]
	found := ancestors{none, none}
	for !id.IsEmpty() {
		if a, seen := r.above[id]; seen {
			found = a
			break
		}
		r.above[id] = found
		r.path = append(r.path, id)
		if _, seated := r.seatAt[id]; seated {
			break
		}
		id = r.parents[id]
	}
	for _, id := range slices.Backward(r.path) {
		if i, ok := r.seatAt[id]; ok {
			found = ancestors{i, none}
		} else if i, ok := r.callAt[id]; ok {
			found.call = i
		}
		r.above[id] = found
	}
	return found
}

// merge folds calls that are right below a call of the same name into it. It returns for each call the one that
// it was folded into, or none.
func (r *resolver) merge(calls []record) []int {
	into := make([]int, len(calls))
	for i := range into {
		into[i] = none
	}
	outermost := func(i int) int {
		for into[i] != none {
			if next := into[into[i]]; next != none {
				into[i] = next // halves the way for the next one
			}
			i = into[i]
		}
		return i
	}
	for i := range calls {
		up := r.ascend(calls[i].parent).call
		if up == none || calls[up].name != calls[i].name {
			continue
		}
		// In a cycle of parents a call is its own ancestor; there the first one stays.
		if top := outermost(up); top != i {
			into[i] = top
		}
	}
	for i := range calls {
		if into[i] != none {
			calls[outermost(i)].absorb(calls[i])
		}
	}
	return into
}

// owner is the seat that a call belongs to, or none.
func (r *resolver) owner(seats []seat, call Span) int {
	i := r.ascend(call.Parent).seat
	if i == none {
		i = byTime(seats, call)
		if i != none && r.patient && r.unfinished(call) && r.unfinished(seats[i].Span) {
			return none
		}
		return i
	}
	// Of nested stand-ins the outermost counts. A step for each seat is enough, cycles of parents included.
	for range seats {
		if seats[i].tier == Agent {
			break
		}
		up := r.ascend(seats[i].Parent).seat
		if up == none || up == i {
			break
		}
		i = up
	}
	return i
}

// unfinished reports whether the chain of parents above s ends at a span that has not come. A cycle is finished.
func (r *resolver) unfinished(s Span) bool {
	r.path = r.path[:0]
	id, open := s.Parent, false
	for !id.IsEmpty() {
		known, passed := r.open[id]
		if passed {
			open = known
			break
		}
		r.open[id] = false
		r.path = append(r.path, id)
		parent, seen := r.parents[id]
		if !seen {
			open = true
			break
		}
		id = parent
	}
	for _, id := range r.path {
		r.open[id] = open
	}
	return open
}
