package ownership

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// Resolver finds out which candidate a call belongs to. Its maps are kept between traces to save the garbage, and filled when
// the first walk needs them: in many a run everything is right below its one agent, and nobody walks.
type Resolver struct {
	set  *agentrun.Settings
	work *compare.Work
	// tools are those that an agent's span lists. It may be nil.
	tools       func(ptrace.Span) []string
	candidates  []Candidate
	calls       []agentrun.PendingCall
	mapped      bool // the maps are of this trace
	parents     *Parents
	candidateAt map[pcommon.SpanID]int
	callAt      map[pcommon.SpanID]int
	// above remembers the answer for every span that a walk has passed.
	above map[agentrun.SpanKey]ancestors
	path  []walkedSpan
	// incomplete remembers, for every span that a walk has passed, whether the chain above it ends at a span that has not come.
	incomplete map[agentrun.SpanKey]bool
	// walkUpCaches are the ways from candidates to those around them.
	walkUpCaches
	timeIndex
	// owners are for traces in which several processes have a part.
	owners
	// room is how many calls may still be copied into runs around their own, and turn how many were given to candidates.
	room, turn int
	taking     []int
	// mayStillArrive: what has not come may come, so a call of unknown origin is not given to a run inside of others.
	mayStillArrive bool
	// Contradicted: a walk met a span with several parents, so it is not known what is above, and whose the calls are.
	Contradicted bool
}

// NewResolver returns a Resolver that counts its work in w. The function tools returns the tools that an agent's span lists, and
// may be nil.
func NewResolver(set *agentrun.Settings, tools func(ptrace.Span) []string, w *compare.Work) Resolver {
	return Resolver{set: set, tools: tools, work: w}
}

// Examined is what is examined of a trace: its links, the runs that calls may belong to, and what waits for one. The calls are
// in order.
type Examined struct {
	Parents    *Parents
	Candidates []Candidate
	Calls      []agentrun.PendingCall
	Responses  []agentrun.ModelResponse
	// Received is how many calls, responses and requests were received. MayStillArrive: spans that have not come may come.
	Received       int
	MayStillArrive bool
}

// Begin must be called first for each trace.
func (r *Resolver) Begin(x Examined) {
	r.parents, r.candidates, r.calls, r.mapped = x.Parents, x.Candidates, x.Calls, false
	r.room = MaxCopies * min(r.set.MaxCalls, x.Received)
	r.mayStillArrive, r.Contradicted = x.MayStillArrive, false
	r.walkUpCaches.begin(r.work)
	r.turn, r.timeIndex, r.owners = 0, timeIndex{}, owners{several: areSeveral(&x)}
}

// Release gives up what keeps a trace alive, and maps that a long one has made large.
func (r *Resolver) Release() {
	const long = 1 << 12
	r.parents, r.candidates, r.calls, r.timeIndex, r.owners = nil, nil, nil, timeIndex{}, owners{}
	if max(len(r.above), len(r.candidateAt), len(r.callAt), len(r.incomplete)) > long {
		r.candidateAt, r.callAt, r.above, r.incomplete, r.path = nil, nil, nil, nil, nil
		r.walkUpCaches, r.taking = walkUpCaches{}, nil
	}
}

// ancestors are the nearest candidate at or above a span, and the nearest call that is nearer than it; own is that as far as
// the span's own process tells of all that is between. Each may be none. crossed: it takes the word of another process
// that the candidate is above.
type ancestors struct {
	seat, call, own int
	crossed         bool
}

// walkedSpan is a span that a walk has passed; own: the process for which it walks has sent it.
type walkedSpan struct {
	id  pcommon.SpanID
	own bool
}

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

// MaxCopies bounds how many calls one closing copies into the runs around their own: so many for each call and model response
// of the trace, of which at most [agentrun.Settings.MaxCalls] count. What is copied is thus a multiple of what came.
const MaxCopies = 8
