package ownership

import (
	"cmp"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/intervals"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/places"
)

// Resolver finds out which candidate a call belongs to. Its maps are reused from trace to trace, and filled when the first
// walk needs them. In many runs every span is right below the only agent, and no walk is needed.
type Resolver struct {
	set  *agentrun.Settings
	work *compare.Work
	// tools returns the tools that an agent's span lists. It may be nil.
	tools       func(ptrace.Span) []string
	candidates  []Candidate
	calls       []agentrun.PendingCall
	parents     *parents.Table
	candidateAt places.Index
	callAt      places.Index
	// above remembers the answer for every span that a walk has passed.
	above map[agentrun.SpanKey]ancestors
	path  []walkedSpan
	steps int // how many more steps walks may take
	// chains has, for every span that a walk has passed, the chain that begins at it.
	chains map[agentrun.SpanKey]chain
	// ways are the ways from candidates to those around them.
	ways      ways
	times     intervals.Finder
	inferred  *inferredAgents   // nil until one is asked for
	callTimes *intervals.Finder // likewise
	// owners are for traces in which several processes have a part.
	owners
	// room is how many calls may still be copied into runs around their own, and turn how many were given to candidates.
	room, turn int
	taking     []int
	// mayStillArrive: missing spans may still arrive, so a call of unknown origin is not given to a run inside of others.
	mayStillArrive, guests bool
	mapped                 bool // the maps are of this trace
	// Contradicted: a walk met a span with several parents, so it is unknown what is above it, and who owns the calls.
	// Uncertain: a chain of parents is broken, and what may be forgotten could lead to another run.
	Contradicted, Uncertain bool
	unlinked, forgotten     pcommon.Timestamp
}

// NewResolver returns a Resolver that counts its work in w. The function tools returns the tools that an agent's span lists, and
// may be nil.
func NewResolver(set *agentrun.Settings, tools func(ptrace.Span) []string, w *compare.Work) Resolver {
	return Resolver{set: set, tools: tools, work: w}
}

// Examined is the part of a trace that is examined: its links, its candidates, and the calls and responses that wait for
// one. The calls are in order.
type Examined struct {
	Parents    *parents.Table
	Candidates []Candidate
	Calls      []agentrun.PendingCall
	Responses  []agentrun.ModelResponse
	// Received is how many calls, responses and requests the trace received. MayStillArrive: spans that have not arrived may
	// do so.
	Received       int
	MayStillArrive bool
	// Guests: a stand-in is held that came before any call of its process, only because another process has calls.
	Guests bool
	// Unlinked is until when links may have come that are forgotten. Forgotten is until when runs may have begun that closed and
	// are forgotten. Each is 0 if there are none.
	Unlinked, Forgotten pcommon.Timestamp
}

// Begin must be called first for each trace.
func (r *Resolver) Begin(x Examined) {
	r.parents, r.candidates, r.calls, r.mapped = x.Parents, x.Candidates, x.Calls, false
	r.room = MaxCopies * min(r.set.MaxCalls, x.Received)
	r.mayStillArrive, r.guests, r.unlinked, r.forgotten, r.Contradicted, r.Uncertain = x.MayStillArrive, x.Guests, x.Unlinked, x.Forgotten, false, false
	r.ways.reset(r.work)
	r.steps = x.Parents.Steps()
	r.turn, r.times, r.inferred, r.callTimes, r.owners = 0, intervals.Finder{}, nil, nil, owners{several: areSeveral(&x)}
}

// Release gives up references to a trace, and maps that a long trace made large.
func (r *Resolver) Release() {
	const long = 1 << 12
	r.parents, r.candidates, r.calls, r.times, r.inferred, r.callTimes, r.owners = nil, nil, nil, intervals.Finder{}, nil, nil, owners{}
	if max(len(r.above), r.candidateAt.Len(), r.callAt.Len(), len(r.chains)) > long {
		r.candidateAt, r.callAt, r.above, r.chains, r.path = places.Index{}, places.Index{}, nil, nil, nil
		r.ways, r.taking = ways{}, nil
	}
}

// ancestors has the nearest candidate at or above a span, and the nearest call below that candidate. own is the nearest such
// call if only links of the span's own process are followed. Each may be none. crossed: only links of another process lead
// to the candidate. It is via, or one of several if they are mixed.
type ancestors struct {
	candidate, call, own int
	crossed, mixed       bool
	via                  agentrun.Process
}

// above adds a span to the end of the way to the candidate.
func (a ancestors) above(at walkedSpan) ancestors {
	if !at.own {
		a.mixed = a.mixed || a.crossed && a.via.DiffersFrom(at.sender)
		a.crossed, a.via = true, at.sender
	}
	if a.crossed {
		a.own = none
	}
	return a
}

// walkedSpan is a span that a walk has passed, and who sent it. A walk is for one process; own: this process has sent it.
type walkedSpan struct {
	id     pcommon.SpanID
	own    bool
	sender agentrun.Process
}

// A trace may have spans of several processes, because a process passes its IDs to the services and tool servers that it
// calls. Tool servers need not be trusted, so a process takes nothing away from the runs of another:
//
//   - if several processes sent a span with the ID of a call's parent, the span of the call's own process counts;
//   - a call of unknown origin belongs to a run of its own process, if there is one at its time;
//   - if a call's nearest agent is of another process, the call counts for it and for the nearest run of its own process.
//     Neither is complete. If there is no such run yet, the call waits, because its agent's span may arrive last.

// owners finds the runs of a call's own process.
type owners struct {
	several bool
	// rootWaits: a root that represents the whole trace must not close yet.
	rootWaits bool
	// own has the candidates of each process.
	own map[agentrun.Process]*ownCandidates
}

// ownCandidates has the candidates of a process: their times, and their places among all candidates.
type ownCandidates struct {
	intervals.Finder
	times []intervals.Interval
	at    []int
}

// areSeveral reports whether several processes have a part in the examined trace.
func areSeveral(x *Examined) bool {
	one, sole := agentrun.SoleProcess(x.Calls, x.Responses)
	for i := range x.Candidates {
		sole = sole && !one.DiffersFrom(x.Candidates[i].Process)
		one = cmp.Or(one, x.Candidates[i].Process)
	}
	return !sole
}

// MaxCopies bounds how many calls one closing copies into the runs around their own. It allows this many for each call and
// model response of the trace; at most [agentrun.Settings.MaxCalls] of them count. So the copies are at most a multiple of
// what arrived.
const MaxCopies = 8
