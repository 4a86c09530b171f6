package ownership

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
)

// candidateByTime returns the candidate that a span of unknown origin belongs to by its time, or none. It prefers candidates
// of the span's own process.
func (r *Resolver) candidateByTime(s agentrun.Span) int {
	if r.several {
		if own := r.ownCandidateByTime(s); own != none {
			return own
		}
	}
	return r.byTime(s)
}

func (r *Resolver) ownCandidateByTime(s agentrun.Span) int {
	if r.own == nil {
		r.own = make(map[agentrun.Process]*ownCandidates)
		for i := range r.candidates {
			of := r.own[r.candidates[i].Process]
			if of == nil {
				of = new(ownCandidates)
				r.own[r.candidates[i].Process] = of
			}
			of.times, of.at = append(of.times, r.interval(i)), append(of.at, i)
		}
		*r.work += compare.Work(len(r.candidates))
	}
	of := r.own[s.Process]
	if of == nil {
		return none
	}
	i := of.Find(len(of.times), func(i int) intervals.Interval { return of.times[i] }, s, r.work)
	if i == none {
		return none
	}
	return of.at[i]
}

// A claim says to which runs a call or a response belongs if its nearest run is known.
type claim struct {
	// own is the nearest run of the span's own process. It is none if only another process has a run around the span.
	own       int
	foreign   bool // the nearest run is another process's
	mayArrive bool // the run of its own process may still arrive
}

// claim finds the runs of a span whose nearest run is the candidate at.
func (r *Resolver) claim(at int, s agentrun.Span) claim {
	if !r.several && !r.ascend(s.Parent, s.Process).crossed || r.set.WholeTrace {
		return claim{own: at}
	}
	c := claim{own: at, foreign: r.candidates[at].Process.DiffersFrom(s.Process)}
	switch {
	case c.foreign:
		c.own = r.ownCandidate(at, s)
		c.mayArrive = c.own == none && r.mayStillArrive && (r.candidates[at].Kind == agentrun.Agent || r.chainAbove(s).open)
	case r.ascend(s.Parent, s.Process).crossed: // another process says that the run is around
		c.own = r.ownCandidateByTime(s)
	}
	switch {
	case c.own == none && !c.foreign, c.own != none && r.outermost(c.own) == at:
		return claim{own: at} // the span is of the run's own process, or of a service whose caller has the root
	case c.own == none && r.candidates[at].Kind != agentrun.Agent:
		return claim{own: at, mayArrive: c.mayArrive}
	case c.own != none:
		c.foreign, r.candidates[c.own].Contradicted = true, true
		if !r.candidates[at].Process.DiffersFrom(s.Process) {
			r.candidates[at].Contradicted = true
		}
	}
	return c
}

// maxAround bounds how many runs around each other are searched for one of the same process.
const maxAround = 64

// ownCandidate is the nearest run of the span's own process around it, or none. The run at is nearer, but of another
// process.
func (r *Resolver) ownCandidate(at int, s agentrun.Span) int {
	for up, n := r.Around(at), 0; up != none && n < maxAround; up, n = r.Around(up), n+1 {
		*r.work++
		if !r.candidates[up].Process.DiffersFrom(s.Process) {
			return up
		}
	}
	return r.ownCandidateByTime(s)
}

// isOwn reports whether a span belongs to candidate i: the run of its own process, or the nearest run if there is none.
func (c claim) isOwn(i, at int) bool { return i == c.own || c.own == none && i == at }

// adds adds the run of the span's own process to the receivers.
func (c claim) adds(candidates []Candidate, receivers []int) []int {
	if !c.foreign || c.own == none || candidates[c.own].State != Ready {
		return receivers
	}
	if slices.Contains(receivers, c.own) {
		return receivers
	}
	return append(receivers, c.own)
}

// waits reports whether the run of its own process may still take a span.
func (c claim) waits(candidates []Candidate) bool {
	return c.mayArrive || c.foreign && c.own != none && candidates[c.own].State == Waiting
}

// rootsTaking returns the roots that represent the whole trace, and so receive all calls. If too few copies are left, roots
// that get nothing are marked as truncated.
func (r *Resolver) rootsTaking(calls int) []int {
	for i := range r.candidates {
		switch {
		case r.candidates[i].State != Ready:
			continue
		case len(r.taking) == 0:
		case r.candidates[i].Truncated:
			return r.taking // and so are all behind it
		case r.room < calls:
			for ; i < len(r.candidates); i++ {
				r.candidates[i].Truncated = true
			}
			return r.taking
		default:
			r.room -= calls
		}
		r.taking = append(r.taking, i)
	}
	return r.taking
}
