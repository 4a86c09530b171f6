package climb

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"

// Places are numbered from 0 to N-1. Its functions must not use the Cache that calls them.
type Places struct {
	N int
	// Stops reports whether the way ends at a place.
	Stops func(at int) bool
	// Up returns the place above a place, or -1.
	Up func(at int) int
	// First reports whether one place comes before another. A circle ends at the first of its places.
	First func(one, another int) bool
}

// A Cache remembers where the ways up end. The zero Cache must be reset first.
type Cache struct {
	ends []int // by place: the number of the end, from 1; or one of the constants below
	way  []int
	work *compare.Work
}

const (
	notClimbed = 0
	onTheWay   = -1
)

// Reset forgets all ways. From then on, work is counted in w.
func (c *Cache) Reset(w *compare.Work) { c.ends, c.work = c.ends[:0], w }

// From returns the place where the way up from a place ends.
func (c *Cache) From(at int, p Places) int {
	if p.N < 2 {
		return at
	}
	const none = -1
	end := none
	for c.way = c.way[:0]; end == none; {
		*c.work++
		next := none
		if !p.Stops(at) {
			next = p.Up(at)
		}
		if next == none {
			end = at
			break
		}
		if len(c.ends) == 0 {
			c.ends = append(c.ends, make([]int, p.N)...)
		}
		switch known := c.ends[at]; known {
		case notClimbed:
			c.ends[at] = onTheWay
			c.way = append(c.way, at)
			at = next
		case onTheWay:
			end = c.first(at, p)
		default:
			end = known - 1
		}
	}
	for _, passed := range c.way {
		c.ends[passed] = end + 1
	}
	return end
}

// first returns the first place of a circle. again is the place at which the way came back to itself.
func (c *Cache) first(again int, p Places) int {
	best := again
	for i := len(c.way) - 1; c.way[i] != again; i-- {
		if p.First(c.way[i], best) {
			best = c.way[i]
		}
	}
	return best
}
