package tracebuffer

import (
	"cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// maxCopies bounds how many calls one closing copies into the runs around their own: so many for each call and model response
// of the trace, of which at most [Settings.MaxCalls] count. What is copied is thus a multiple of what came.
const maxCopies = 8

// walkUp remembers where the ways up from candidates end. So each candidate is passed once, whatever the shape.
type walkUp struct {
	ends []int // by candidate: the number of the end, from 1; or one of the below
	way  []int
	work *compare.Work
}

const (
	notClimbed = 0
	onTheWay   = -1
)

// from is the candidate where the way up from a candidate ends: the first that stops it, else the last one. A cycle of parents
// ends at the one of its candidates that began first.
func (c *walkUp) from(candidates []candidate, at int, stops func(*candidate) bool, up func(int) int) int {
	end := none
	for c.way = c.way[:0]; end == none; {
		*c.work++
		next := none
		if !stops(&candidates[at]) {
			next = up(at)
		}
		if next == none {
			end = at
			break
		}
		if len(c.ends) == 0 {
			c.ends = append(c.ends, make([]int, len(candidates))...)
		}
		switch known := c.ends[at]; known {
		case notClimbed:
			c.ends[at] = onTheWay
			c.way = append(c.way, at)
			at = next
		case onTheWay:
			end = c.first(candidates, at)
		default:
			end = known - 1
		}
	}
	for _, passed := range c.way {
		c.ends[passed] = end + 1
	}
	return end
}

// first is the candidate that began first of the cycle in which the way has come back to a candidate.
func (c *walkUp) first(candidates []candidate, again int) int {
	best := again
	for i := len(c.way) - 1; c.way[i] != again; i-- {
		if agentrun.CompareSpans(candidates[c.way[i]].Span, candidates[best].Span) < 0 {
			best = c.way[i]
		}
	}
	return best
}

// walkUpCaches are the ways up for each thing that is looked for above a candidate.
type walkUpCaches struct{ standIns, states, conversations, ready, waiting walkUp }

func (c *walkUpCaches) begin(w *compare.Work) {
	for _, one := range []*walkUp{&c.standIns, &c.states, &c.conversations, &c.ready, &c.waiting} {
		one.ends, one.work = one.ends[:0], w
	}
}

// around is the candidate around a candidate, or none.
func (r *resolver) around(candidates []candidate, i int) int {
	if up := r.ascend(candidates[i].Parent, candidates[i].Process).seat; up != i {
		return up
	}
	return none
}

// outermost is the candidate that has the calls of a candidate: of nested stand-ins the outermost.
func (r *resolver) outermost(candidates []candidate, i int) int {
	return r.standIns.from(candidates, i,
		func(s *candidate) bool { return s.kind == agentrun.Agent },
		func(i int) int { return r.around(candidates, i) })
}

// stateOf is the state of a candidate; an inner one has that of the candidate around it.
func (r *resolver) stateOf(candidates []candidate, i int) candidateState {
	end := r.states.from(candidates, i,
		func(s *candidate) bool { return !s.inferred },
		func(i int) int {
			up := r.ascend(candidates[i].Parent, candidates[i].Process).seat
			if up == none {
				up = fallbackByTime(candidates[:i], candidates[i].Span)
			}
			if up == i {
				return none
			}
			return up
		})
	switch {
	case !candidates[end].inferred:
		return candidates[end].state
	case r.mayStillArrive:
		return stateWaiting
	}
	return stateReady
}

// conversation is the one that the anchor of a candidate tells of, else a run around it, else any span of the trace. What
// another process tells of counts only where its own tells of none.
func (r *resolver) conversation(t *trace, candidates []candidate, i int) string {
	own := candidates[i].Process
	if len(candidates) > 1 {
		i = r.conversations.from(candidates, i,
			func(s *candidate) bool { return s.conversation != "" },
			func(i int) int { return r.around(candidates, i) })
	}
	if told := candidates[i].conversation; told != "" && !candidates[i].Process.DiffersFrom(own) {
		return told
	}
	return cmp.Or(t.conversations.own(own), candidates[i].conversation, t.conversations.of(own))
}

// receivers are the candidates that are ready to take what belongs to a candidate: itself, and with include those around it.
// What is taken counts as so many calls. Where there is no room for them, the candidates that get nothing are short of calls.
func (r *resolver) receivers(candidates []candidate, at, calls int) []int {
	r.taking = r.taking[:0]
	r.turn++
	if r.wholeTrace {
		return r.rootsTaking(candidates, calls)
	}
	if candidates[at].state == stateReady {
		candidates[at].taken = r.turn
		r.taking = append(r.taking, at)
	}
	for r.include {
		r.work++
		at = r.readyAround(candidates, at)
		if at == none || candidates[at].taken == r.turn { // a cycle of parents
			break
		}
		if r.room < calls {
			r.shorten(candidates, at)
			break
		}
		r.room -= calls
		candidates[at].taken = r.turn
		r.taking = append(r.taking, at)
	}
	return r.taking
}

// shorten marks a candidate, which is ready, and those around it. Where one is marked those around it are.
func (r *resolver) shorten(candidates []candidate, at int) {
	for at != none && !candidates[at].truncated {
		candidates[at].truncated = true
		at = r.readyAround(candidates, at)
	}
}

// readyAround is the next candidate around a candidate that is ready, or none.
func (r *resolver) readyAround(candidates []candidate, i int) int {
	up := r.around(candidates, i)
	if up == none {
		return none
	}
	end := r.ready.from(candidates, up,
		func(s *candidate) bool { return s.state == stateReady },
		func(i int) int { return r.around(candidates, i) })
	if candidates[end].state != stateReady {
		return none
	}
	return end
}

// waits reports whether what belongs to a candidate may still count for a run that has not closed.
func (r *resolver) waits(candidates []candidate, at int) bool {
	if r.wholeTrace {
		return r.rootWaits
	}
	if !r.include {
		return candidates[at].state == stateWaiting
	}
	end := r.waiting.from(candidates, at,
		func(s *candidate) bool { return s.state == stateWaiting },
		func(i int) int { return r.around(candidates, i) })
	return candidates[end].state == stateWaiting ||
		r.mayStillArrive && r.around(candidates, end) == none && r.chainIncomplete(candidates[end].Span)
}
