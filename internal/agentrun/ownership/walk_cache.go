package ownership

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// walkUp remembers where the ways up from candidates end. So each candidate is passed once, whatever the shape.
type walkUp struct {
	ends []int // by candidate: the number of the end, from 1; or one of the constants below
	way  []int
	work *compare.Work
}

// from is the candidate where the way up from a candidate ends: the first that stops it, else the last one. A cycle of parents
// ends at the one of its candidates that began first.
func (c *walkUp) from(candidates []Candidate, at int, stops func(*Candidate) bool, up func(int) int) int {
	if len(candidates) < 2 {
		return at
	}
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

// first returns the candidate that began first in a cycle. again is the candidate at which the way came back to itself.
func (c *walkUp) first(candidates []Candidate, again int) int {
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

const (
	notClimbed = 0
	onTheWay   = -1
)
