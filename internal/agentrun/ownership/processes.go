package ownership

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
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
	// seatOf and callOf are the candidates and calls by their spans; own are the candidates of each process.
	seatOf, callOf map[agentrun.SpanKey]int
	own            map[agentrun.Process]*ownCandidates
}

// ownCandidates are the candidates of a process: their spans and states, and their places among all.
type ownCandidates struct {
	timeIndex
	candidates []Candidate
	at         []int
}

// areSeveral reports whether several processes have a part in what is examined.
func areSeveral(x *Examined) bool {
	var one agentrun.Process
	another := func(p agentrun.Process) bool {
		if one == 0 {
			one = p
		}
		return one.DiffersFrom(p)
	}
	for i := range x.Candidates {
		if another(x.Candidates[i].Process) {
			return true
		}
	}
	for i := range x.Calls {
		if another(x.Calls[i].Process) {
			return true
		}
	}
	for i := range x.Responses {
		if another(x.Responses[i].Process) {
			return true
		}
	}
	return false
}

// distinguish indexes candidates and calls by span id and process. For the id alone, the first candidate in the order of spans
// counts.
func (r *Resolver) distinguish() {
	r.seatOf, r.callOf = make(map[agentrun.SpanKey]int, len(r.candidates)), make(map[agentrun.SpanKey]int, len(r.calls))
	for i := range r.candidates {
		s := &r.candidates[i]
		r.seatOf[s.Key()] = i
		if first, known := r.candidateAt[s.ID]; known && agentrun.CompareSpans(s.Span, r.candidates[first].Span) < 0 {
			r.candidateAt[s.ID] = i
		}
	}
	for i := range r.calls {
		r.callOf[r.calls[i].Key()] = i
	}
}

// candidateOn is the candidate of a span that a walk for a process passes, or none. The span is own if the process has sent it:
// then no other one stands for a run with its id.
func (r *Resolver) candidateOn(id pcommon.SpanID, by agentrun.Process, own bool) int {
	return r.placeOn(r.seatOf, r.candidateAt, id, by, own)
}

// callOn is the call of a span, likewise.
func (r *Resolver) callOn(id pcommon.SpanID, by agentrun.Process, own bool) int {
	return r.placeOn(r.callOf, r.callAt, id, by, own)
}

// placeOn looks for a span among those of a process, and of an unknown one, where several processes have a part. Else, and
// if the process has not sent the span, it looks among all.
func (r *Resolver) placeOn(of map[agentrun.SpanKey]int, all map[pcommon.SpanID]int, id pcommon.SpanID, by agentrun.Process, own bool) int {
	if r.several {
		for _, process := range [...]agentrun.Process{by, 0} {
			if place, known := of[agentrun.SpanKey{Process: process, ID: id}]; known {
				return place
			}
		}
		if own {
			return none
		}
	}
	return placeOf(all, id)
}

func placeOf(places map[pcommon.SpanID]int, id pcommon.SpanID) int {
	if place, known := places[id]; known {
		return place
	}
	return none
}

// candidateByTime is the candidate of unknown origin that a span belongs to by its time, or none: one of its own process rather
// than another.
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
			of.candidates, of.at = append(of.candidates, Candidate{Span: r.candidates[i].Span, State: r.candidates[i].State}), append(of.at, i)
		}
		*r.work += compare.Work(len(r.candidates))
	}
	of := r.own[s.Process]
	if of == nil {
		return none
	}
	i := of.fallbackByTime(of.candidates, s, r.work)
	if i == none {
		return none
	}
	return of.at[i]
}

// A claim says to which runs a call or a response belongs whose nearest run is known.
type claim struct {
	// own is the nearest run of its own process. It is none if only another process has a run around it.
	own     int
	foreign bool // the nearest run is another process's
	patient bool // the run of its own process may still come
}

// claim finds the runs of a span whose nearest run is at.
func (r *Resolver) claim(at int, s agentrun.Span) claim {
	if !r.several && !r.ascend(s.Parent, s.Process).crossed || r.set.WholeTrace {
		return claim{own: at}
	}
	c := claim{own: at, foreign: r.candidates[at].Process.DiffersFrom(s.Process)}
	switch {
	case c.foreign:
		c.own = r.ownCandidate(at, s)
		c.patient = c.own == none && r.mayStillArrive && r.candidates[at].Kind == agentrun.Agent
	case r.ascend(s.Parent, s.Process).crossed: // another process says that the run is around
		c.own = r.ownCandidateByTime(s)
	}
	switch {
	case c.own == none && !c.foreign, c.own != none && r.outermost(c.own) == at:
		return claim{own: at} // as the own process has it, or as the root has it of what its service was called by
	case c.own == none && r.candidates[at].Kind != agentrun.Agent:
		return claim{own: at}
	case c.own != none:
		c.foreign, r.candidates[c.own].Contradicted = true, true
		if !r.candidates[at].Process.DiffersFrom(s.Process) {
			r.candidates[at].Contradicted = true
		}
	}
	return c
}

// maxAround is how many runs around each other are looked through for one of the same process.
const maxAround = 64

// ownCandidate is the nearest run of its own process around a span, or none. The run at is nearer, and another process's.
func (r *Resolver) ownCandidate(at int, s agentrun.Span) int {
	for up, n := r.around(at), 0; up != none && n < maxAround; up, n = r.around(up), n+1 {
		*r.work++
		if !r.candidates[up].Process.DiffersFrom(s.Process) {
			return up
		}
	}
	return r.ownCandidateByTime(s)
}

// isOwn reports whether a run that takes a span is the one that it is of: that of its own process, or the nearest one where
// no other is known.
func (c claim) isOwn(i, at int) bool { return i == c.own || c.own == none && i == at }

// adds adds the run of its own process to those that take a span.
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
	return c.patient || c.foreign && c.own != none && candidates[c.own].State == Waiting
}

// rootsTaking are the roots that take what is told of a whole trace: all that stand for it. Where there is no room for
// copies, those that get nothing are short of calls.
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
