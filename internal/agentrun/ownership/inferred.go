package ownership

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
)

// inferredAgents finds what is around an inferred agent of unknown origin, by its time. A process has few inferred agents, and a
// trace may have many. So one is compared with those of its own process, and with the candidates that are not inferred.
type inferredAgents struct {
	first int // the first one; all candidates behind it are inferred
	of    map[agentrun.Process][]int
	times intervals.Finder // of the candidates in front
	// places are those that one agent is compared with.
	places []int
}

// aroundInferred returns the candidate around inferred agent i by its time, or none. Only candidates before it count, so no two
// are around each other.
func (r *Resolver) aroundInferred(i int) int {
	if r.inferred == nil {
		r.inferred = newInferredAgents(r.candidates)
		*r.work += compare.Work(len(r.candidates))
	}
	v := r.inferred
	s := r.candidates[i].Span
	v.places = v.places[:0]
	if nearest := v.times.Find(v.first, r.interval, s, r.work); nearest != none {
		v.places = append(v.places, nearest)
	}
	before, _ := slices.BinarySearch(v.of[s.Process], i)
	v.places = append(v.places, v.of[s.Process][:before]...)
	*r.work += compare.Work(len(v.places))
	if found := intervals.Find(len(v.places), func(k int) intervals.Interval { return r.interval(v.places[k]) }, s); found != none {
		return v.places[found]
	}
	return none
}

func newInferredAgents(candidates []Candidate) *inferredAgents {
	v := &inferredAgents{first: len(candidates), of: make(map[agentrun.Process][]int)}
	for i := range candidates {
		if s := &candidates[i]; s.Inferred {
			v.first = min(v.first, i)
			v.of[s.Process] = append(v.of[s.Process], i)
		}
	}
	return v
}
