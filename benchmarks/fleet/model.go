package main

import (
	"math/rand/v2"
	"slices"
	"sort"
)

// A run has the times, in seconds, at which one agent began and its spans arrive: those of its calls, then its own.
type run struct {
	position uint32
	start    float64
	calls    []float64
	end      float64
}

// begin is when the run's first span arrives.
func (r run) begin() float64 {
	if len(r.calls) > 0 {
		return min(r.calls[0], r.end)
	}
	return r.end
}

// A change is a moment at which the balancers learn that the scorers have changed.
type change struct {
	at float64
	// from and to are when the change of the fleet began and ended. Both are equal to at if it took no time.
	from, to float64
	ring     ring
	began    map[int]float64 // when scorers started that were not there before
}

// A fleet is a list of its changes in order. The first change is its start.
type fleet []change

// at returns the index of the last change that balancers know at time t.
func (f fleet) at(t float64) int {
	return max(0, sort.Search(len(f), func(i int) bool { return f[i].at > t })-1)
}

// A fate is the outcome of a run.
type fate int

const (
	once       fate = iota // one verdict, the right one
	incomplete             // the scorer started after the run began, and says so
	torn                   // some calls are at another scorer, and no verdict says so
)

// fate follows the run's spans. moved reports whether the run's trace changed its scorer while the run was under way.
func (f fleet) fate(r run) (what fate, moved, underWay bool) {
	first, last := f.at(r.begin()), f.at(r.end)
	for i := max(1, first); i <= min(last+1, len(f)-1); i++ {
		underWay = underWay || f[i].from <= r.end && f[i].to >= r.begin()
	}
	if first == last {
		return once, false, underWay
	}
	judge := f[last].ring.of(r.position)
	for i := first; i < last; i++ {
		moved = moved || f[i].ring.of(r.position) != judge
	}
	if !moved {
		return once, false, underWay
	}
	elsewhere := slices.ContainsFunc(r.calls, func(t float64) bool { return f[f.at(t)].ring.of(r.position) != judge })
	switch started, fresh := f[last].began[judge]; {
	case fresh && started > r.start:
		return incomplete, true, underWay
	case elsewhere:
		return torn, true, underWay
	}
	return once, true, underWay
}

// figures count the outcomes of many runs.
type figures struct {
	runs, underWay, moved, once, incomplete, torn float64
}

func (g *figures) add(what fate, moved, underWay bool) {
	g.runs++
	if underWay {
		g.underWay++
	}
	if moved {
		g.moved++
	}
	switch what {
	case once:
		g.once++
	case incomplete:
		g.incomplete++
	case torn:
		g.torn++
	}
}

func (g figures) times(n float64) figures {
	return figures{g.runs * n, g.underWay * n, g.moved * n, g.once * n, g.incomplete * n, g.torn * n}
}

func position(rng *rand.Rand) uint32 { return uint32(rng.IntN(positions)) }
