package ownership

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/climb"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// ways are the ways up from candidates, for each thing that is looked for above one.
type ways struct{ standIns, states, conversations, ready, waiting climb.Cache }

func (c *ways) reset(w *compare.Work) {
	for _, one := range []*climb.Cache{&c.standIns, &c.states, &c.conversations, &c.ready, &c.waiting} {
		one.Reset(w)
	}
}

// climb returns the candidate where the way up from the candidate at ends: the first that stops it, else the last one. A cycle of
// parents ends at the one of its candidates that began first.
func (r *Resolver) climb(c *climb.Cache, at int, stops func(*Candidate) bool, up func(int) int) int {
	return c.From(at, climb.Places{
		N: len(r.candidates), Up: up,
		Stops: func(i int) bool { return stops(&r.candidates[i]) },
		First: r.isBefore,
	})
}

// Around returns the candidate whose run encloses that of candidate i, or -1 if there is none. If both are of one process, and only
// another process says so, it is unknown what encloses the run.
func (r *Resolver) Around(i int) int {
	s := r.candidates[i].Span
	up := r.ascend(s.Parent, s.Process)
	switch {
	case up.candidate == i:
		return none
	case !r.isCertain(up) && (r.set.Include || r.set.Conversations || r.candidates[i].Kind != agentrun.Agent):
		r.noteUnlinked(s, s.Start, i, up.candidate)
	}
	if up.crossed && up.candidate != none && !r.candidates[up.candidate].Process.DiffersFrom(s.Process) {
		r.Uncertain = r.Uncertain || r.set.Include || r.set.Conversations || r.candidates[i].Kind != agentrun.Agent
		return none
	}
	return up.candidate
}

// NoteInside notes that it matters whether candidate i is inside of another one of its process.
func (r *Resolver) NoteInside(i int) {
	s := r.candidates[i].Span
	if !r.isCertain(r.ascend(s.Parent, s.Process)) {
		r.noteUnlinked(s, s.Start, i, none)
	}
}

// outermost returns the candidate that has the calls of a candidate: the outermost of nested stand-ins.
func (r *Resolver) outermost(i int) int {
	return r.climb(&r.ways.standIns, i,
		func(s *Candidate) bool { return s.Kind == agentrun.Agent },
		func(i int) int { return r.Around(i) })
}

// stateOf returns the state of a candidate. An inner one has the state of the candidate around it.
func (r *Resolver) stateOf(i int) State {
	end := r.climb(&r.ways.states, i,
		func(s *Candidate) bool { return !s.Inferred },
		func(i int) int {
			up := r.ascend(r.candidates[i].Parent, r.candidates[i].Process).candidate
			if up == none {
				up = r.aroundInferred(i)
			}
			if up == i {
				return none
			}
			return up
		})
	switch {
	case !r.candidates[end].Inferred:
		return r.candidates[end].State
	case r.mayStillArrive:
		return Waiting
	}
	return Ready
}

// ConversationAt returns the candidate that names the conversation of a candidate: itself, or else a run around it.
func (r *Resolver) ConversationAt(i int) int {
	return r.climb(&r.ways.conversations, i,
		func(s *Candidate) bool { return s.Conversation != "" },
		func(i int) int { return r.Around(i) })
}

// receivers returns the candidates that are ready to take the calls of a candidate: itself, and with Include those around it.
// Each receiver takes room for its copies of the calls. If there is too little room, the candidates that get nothing are
// marked as truncated.
func (r *Resolver) receivers(at, calls int) []int {
	r.taking = r.taking[:0]
	r.turn++
	if r.set.WholeTrace {
		return r.rootsTaking(calls)
	}
	if r.candidates[at].State == Ready {
		r.candidates[at].taken = r.turn
		r.taking = append(r.taking, at)
	}
	for r.set.Include {
		*r.work++
		at = r.readyAround(at)
		if at == none || r.candidates[at].taken == r.turn { // a cycle of parents
			break
		}
		if r.room < calls {
			r.shorten(at)
			break
		}
		r.room -= calls
		r.candidates[at].taken = r.turn
		r.taking = append(r.taking, at)
	}
	return r.taking
}

// shorten marks a candidate, which is ready, and those around it. Where one is marked those around it are.
func (r *Resolver) shorten(at int) {
	for at != none && !r.candidates[at].Truncated {
		r.candidates[at].Truncated = true
		at = r.readyAround(at)
	}
}

// readyAround returns the next candidate around a candidate that is ready, or none.
func (r *Resolver) readyAround(i int) int {
	up := r.Around(i)
	if up == none {
		return none
	}
	end := r.climb(&r.ways.ready, up,
		func(s *Candidate) bool { return s.State == Ready },
		func(i int) int { return r.Around(i) })
	if r.candidates[end].State != Ready {
		return none
	}
	return end
}

// waits reports whether calls of a candidate may still count for a run that has not closed.
func (r *Resolver) waits(at int) bool {
	if r.set.WholeTrace {
		return r.rootWaits
	}
	if !r.set.Include {
		return r.candidates[at].State == Waiting
	}
	end := r.climb(&r.ways.waiting, at,
		func(s *Candidate) bool { return s.State == Waiting },
		func(i int) int { return r.Around(i) })
	return r.candidates[end].State == Waiting ||
		r.mayStillArrive && r.Around(end) == none && r.chainAbove(r.candidates[end].Span).open
}
