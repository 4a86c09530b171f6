package agentrun

import "cmp"

// maxCopies bounds how many calls one settling copies into the runs around their own: so many for each call, model response
// and candidate of the trace, of which at most [Settings.MaxCalls] count. What is copied is thus a multiple of what came.
const maxCopies = 16

// climb remembers where the ways up from seats end. So each seat is passed once, whatever the shape.
type climb struct {
	ends []int // by seat: the number of the end, from 1; or one of the below
	way  []int
	work *work
}

const (
	notClimbed = 0
	onTheWay   = -1
)

// from is the seat where the way up from a seat ends: the first that stops it, else the last one. A cycle of parents
// ends at the one of its seats that began first.
func (c *climb) from(seats []seat, at int, stops func(*seat) bool, up func(int) int) int {
	end := none
	for c.way = c.way[:0]; end == none; {
		*c.work++
		next := none
		if !stops(&seats[at]) {
			next = up(at)
		}
		if next == none {
			end = at
			break
		}
		if len(c.ends) == 0 {
			c.ends = append(c.ends, make([]int, len(seats))...)
		}
		switch known := c.ends[at]; known {
		case notClimbed:
			c.ends[at] = onTheWay
			c.way = append(c.way, at)
			at = next
		case onTheWay:
			end = c.first(seats, at)
		default:
			end = known - 1
		}
	}
	for _, passed := range c.way {
		c.ends[passed] = end + 1
	}
	return end
}

// first is the seat that began first of the cycle in which the way has come back to a seat.
func (c *climb) first(seats []seat, again int) int {
	best := again
	for i := len(c.way) - 1; c.way[i] != again; i-- {
		if compareSpans(seats[c.way[i]].Span, seats[best].Span) < 0 {
			best = c.way[i]
		}
	}
	return best
}

// climbs are the ways up for each thing that is looked for above a seat.
type climbs struct{ standIns, states, conversations, ready, waiting climb }

func (c *climbs) begin(w *work) {
	for _, one := range []*climb{&c.standIns, &c.states, &c.conversations, &c.ready, &c.waiting} {
		one.ends, one.work = one.ends[:0], w
	}
}

// around is the seat around a seat, or none.
func (r *resolver) around(seats []seat, i int) int {
	if up := r.ascend(seats[i].Parent, seats[i].Process).seat; up != i {
		return up
	}
	return none
}

// outermost is the seat that has the calls of a seat: of nested stand-ins the outermost.
func (r *resolver) outermost(seats []seat, i int) int {
	return r.standIns.from(seats, i,
		func(s *seat) bool { return s.tier == Agent },
		func(i int) int { return r.around(seats, i) })
}

// stateOf is the state of a seat; an inner one has that of the seat around it.
func (r *resolver) stateOf(seats []seat, i int) seatState {
	end := r.states.from(seats, i,
		func(s *seat) bool { return !s.inner },
		func(i int) int {
			up := r.ascend(seats[i].Parent, seats[i].Process).seat
			if up == none {
				up = byTime(seats[:i], seats[i].Span)
			}
			if up == i {
				return none
			}
			return up
		})
	switch {
	case !seats[end].inner:
		return seats[end].state
	case r.patient:
		return seatWaiting
	}
	return seatReady
}

// conversation is the one that the anchor of a seat tells of, else a run around it, else any span of the trace. What
// another process tells of counts only where its own tells of none.
func (r *resolver) conversation(t *trace, seats []seat, i int) string {
	own := seats[i].Process
	if len(seats) > 1 {
		i = r.conversations.from(seats, i,
			func(s *seat) bool { return s.conversation != "" },
			func(i int) int { return r.around(seats, i) })
	}
	if told := seats[i].conversation; told != "" && !seats[i].Process.isForeign(own) {
		return told
	}
	return cmp.Or(t.conversations.own(own), seats[i].conversation, t.conversations.of(own))
}

// takers are the seats that are ready to take what belongs to a seat: itself, and with include those around it. What
// is taken counts as so many calls. Where there is no room for them, the seats that get nothing are short of calls.
func (r *resolver) takers(seats []seat, at, calls int) []int {
	r.taking = r.taking[:0]
	r.turn++
	if r.wholeTrace {
		return r.rootsTaking(seats, calls)
	}
	if seats[at].state == seatReady {
		seats[at].taken = r.turn
		r.taking = append(r.taking, at)
	}
	for r.include {
		r.work++
		at = r.readyAround(seats, at)
		if at == none || seats[at].taken == r.turn { // a cycle of parents
			break
		}
		if r.room < calls {
			r.shorten(seats, at)
			break
		}
		r.room -= calls
		seats[at].taken = r.turn
		r.taking = append(r.taking, at)
	}
	return r.taking
}

// shorten marks a seat, which is ready, and those around it. Where one is marked those around it are.
func (r *resolver) shorten(seats []seat, at int) {
	for at != none && !seats[at].short {
		seats[at].short = true
		at = r.readyAround(seats, at)
	}
}

// readyAround is the next seat around a seat that is ready, or none.
func (r *resolver) readyAround(seats []seat, i int) int {
	up := r.around(seats, i)
	if up == none {
		return none
	}
	end := r.ready.from(seats, up,
		func(s *seat) bool { return s.state == seatReady },
		func(i int) int { return r.around(seats, i) })
	if seats[end].state != seatReady {
		return none
	}
	return end
}

// waits reports whether what belongs to a seat may still count for a run that has not closed.
func (r *resolver) waits(seats []seat, at int) bool {
	if r.wholeTrace {
		return r.rootWaits
	}
	if !r.include {
		return seats[at].state == seatWaiting
	}
	end := r.waiting.from(seats, at,
		func(s *seat) bool { return s.state == seatWaiting },
		func(i int) int { return r.around(seats, i) })
	return seats[end].state == seatWaiting ||
		r.patient && r.around(seats, end) == none && r.unfinished(seats[end].Span)
}
