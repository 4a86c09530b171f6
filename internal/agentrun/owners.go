package agentrun

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// Spans of several processes meet in one trace, because each process hands its ids on to the services and servers of tools
// that it calls. Servers of tools need not be trusted, so a process takes nothing away from the runs of another:
//
//   - if several processes sent a span with the id of a call's parent, the span of the call's own process counts;
//   - a call of unknown origin belongs to a run of its own process, if there is one at its time;
//   - a call whose nearest agent is of another process counts for that agent and for the nearest run of its own process;
//     neither is complete. If there is no such run yet, the call waits, because its agent's span may come last.
//
// Most traces have one process, and skip all of this.

// owners finds the runs of a call's own process.
type owners struct {
	several bool
	// rootWaits: a root that stands for the whole trace is not to be closed yet.
	rootWaits bool
	// seatOf and callOf are the seats and calls by their spans; own are the seats of each process.
	seatOf, callOf map[spanKey]int
	own            map[Process]*ownSeats
	// below are calls right below one of another process: the spans of those.
	below map[spanKey]pcommon.SpanID
}

// ownSeats are the seats of a process: their spans and states, and their places among all.
type ownSeats struct {
	timed
	seats []seat
	at    []int
}

// areSeveral reports whether several processes have a part in what is settled.
func areSeveral(t *trace, seats []seat) bool {
	var one Process
	another := func(p Process) bool {
		if one == 0 {
			one = p
		}
		return one.isForeign(p)
	}
	for i := range seats {
		if another(seats[i].Process) {
			return true
		}
	}
	for i := range t.calls {
		if another(t.calls[i].process) {
			return true
		}
	}
	for i := range t.answers {
		if another(t.answers[i].Process) {
			return true
		}
	}
	return false
}

// distinguish indexes seats and calls by span id and process. For the id alone, the first seat in the order of spans counts.
func (r *resolver) distinguish() {
	r.seatOf, r.callOf = make(map[spanKey]int, len(r.seats)), make(map[spanKey]int, len(r.calls))
	for i := range r.seats {
		s := &r.seats[i]
		r.seatOf[s.key()] = i
		if first, known := r.seatAt[s.ID]; known && compareSpans(s.Span, r.seats[first].Span) < 0 {
			r.seatAt[s.ID] = i
		}
	}
	for i := range r.calls {
		r.callOf[r.calls[i].key()] = i
	}
}

// seatOn is the seat of a span that a walk for a process passes, or none. The span is own if the process has sent it: then
// no other one stands for a run with its id.
func (r *resolver) seatOn(id pcommon.SpanID, by Process, own bool) int {
	if !r.several {
		return placeOf(r.seatAt, id)
	}
	for _, process := range [...]Process{by, 0} {
		if seat, known := r.seatOf[spanKey{process, id}]; known {
			return seat
		}
	}
	if own {
		return none
	}
	return placeOf(r.seatAt, id)
}

// callOn is the call of a span, likewise.
func (r *resolver) callOn(id pcommon.SpanID, by Process, own bool) int {
	if !r.several {
		return placeOf(r.callAt, id)
	}
	for _, process := range [...]Process{by, 0} {
		if call, known := r.callOf[spanKey{process, id}]; known {
			return call
		}
	}
	if own {
		return none
	}
	return placeOf(r.callAt, id)
}

func placeOf(places map[pcommon.SpanID]int, id pcommon.SpanID) int {
	if place, known := places[id]; known {
		return place
	}
	return none
}

// seatByTime is the seat of unknown origin that a span belongs to by its time, or none: one of its own process rather than
// another.
func (r *resolver) seatByTime(seats []seat, s Span) int {
	if r.several {
		if own := r.ownByTime(seats, s); own != none {
			return own
		}
	}
	return r.byTime(seats, s)
}

func (r *resolver) ownByTime(seats []seat, s Span) int {
	if r.own == nil {
		r.own = make(map[Process]*ownSeats)
		for i := range seats {
			of := r.own[seats[i].Process]
			if of == nil {
				of = new(ownSeats)
				r.own[seats[i].Process] = of
			}
			of.seats, of.at = append(of.seats, seat{Span: seats[i].Span, state: seats[i].state}), append(of.at, i)
		}
		r.work += work(len(seats))
	}
	of := r.own[s.Process]
	if of == nil {
		return none
	}
	i := of.find(of.seats, s, &r.work)
	if i == none {
		return none
	}
	return of.at[i]
}

// A claim says to which runs a call or an answer belongs whose nearest run is known.
type claim struct {
	// own is the nearest run of its own process. It is none if only another process has a run around it.
	own     int
	foreign bool // the nearest run is another process's
	patient bool // the run of its own process may still come
}

// claim finds the runs of a span whose nearest run is at.
func (r *resolver) claim(seats []seat, at int, s Span) claim {
	if !r.several && !r.ascend(s.Parent, s.Process).crossed || r.wholeTrace {
		return claim{own: at}
	}
	c := claim{own: at, foreign: seats[at].Process.isForeign(s.Process)}
	switch {
	case c.foreign:
		c.own = r.ownSeat(seats, at, s)
		c.patient = c.own == none && r.patient && seats[at].tier == Agent
	case r.ascend(s.Parent, s.Process).crossed: // another process says that the run is around
		c.own = r.ownByTime(seats, s)
	}
	switch {
	case c.own == none && !c.foreign, c.own != none && r.outermost(seats, c.own) == at:
		return claim{own: at} // as the own process has it, or as the root has it of what its service was called by
	case c.own == none && seats[at].tier != Agent:
		return claim{own: at}
	case c.own != none:
		c.foreign, seats[c.own].contested = true, true
		if !seats[at].Process.isForeign(s.Process) {
			seats[at].contested = true
		}
	}
	return c
}

// maxAround is how many runs around each other are looked through for one of the same process.
const maxAround = 64

// ownSeat is the nearest run of its own process around a span, or none. The run at is nearer, and another process's.
func (r *resolver) ownSeat(seats []seat, at int, s Span) int {
	for up, n := r.around(seats, at), 0; up != none && n < maxAround; up, n = r.around(seats, up), n+1 {
		r.work++
		if !seats[up].Process.isForeign(s.Process) {
			return up
		}
	}
	return r.ownByTime(seats, s)
}

// isOwn reports whether a run that takes a span is the one that it is of: that of its own process, or the nearest one where
// no other is known.
func (c claim) isOwn(i, at int) bool { return i == c.own || c.own == none && i == at }

// adds adds the run of its own process to those that take a span.
func (c claim) adds(seats []seat, takers []int) []int {
	if !c.foreign || c.own == none || seats[c.own].state != seatReady {
		return takers
	}
	if slices.Contains(takers, c.own) {
		return takers
	}
	return append(takers, c.own)
}

// waits reports whether the run of its own process may still take a span.
func (c claim) waits(seats []seat) bool {
	return c.patient || c.foreign && c.own != none && seats[c.own].state == seatWaiting
}

// rootsTaking are the roots that take what is told of a whole trace: all that stand for it. Where there is no room for
// copies, those that get nothing are short of calls.
func (r *resolver) rootsTaking(seats []seat, calls int) []int {
	for i := range seats {
		switch {
		case seats[i].state != seatReady:
			continue
		case len(r.taking) == 0:
		case seats[i].short:
			return r.taking // and so are all behind it
		case r.room < calls:
			for ; i < len(seats); i++ {
				seats[i].short = true
			}
			return r.taking
		default:
			r.room -= calls
		}
		r.taking = append(r.taking, i)
	}
	return r.taking
}
