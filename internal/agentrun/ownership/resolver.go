package ownership

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// none is the index of no candidate and of no call. Results of exported functions have it as well: it stays -1.
const none = -1

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

// DecideStates finds out which candidates are to be closed, and which wait for a run around them.
func (r *Resolver) DecideStates() {
	for i := range r.candidates {
		r.candidates[i].State = r.stateOf(i)
		r.rootWaits = r.rootWaits || r.set.WholeTrace && r.candidates[i].State == Waiting
	}
}

// CallsAbove are the nearest call above a call, and the nearest one that the call's own process recorded; -1 if there is none.
func (r *Resolver) CallsAbove(call *agentrun.PendingCall) (nearest, own int) {
	up := r.ascend(call.Parent, call.Process)
	return up.call, up.own
}

// Disposition is what becomes of a call when its trace is examined.
type Disposition uint8

const (
	Counts Disposition = iota // it has gone to its run
	Stays                     // its run, or one around that, may still close
	Late                      // its run has closed
)

// ForgetCalls must be called before calls move. From then on CallsAbove must not be called.
func (r *Resolver) ForgetCalls() { r.calls = nil }

// GiveCall gives a call to its candidate, and with [agentrun.Settings.Include] to those around it.
func (r *Resolver) GiveCall(call *agentrun.PendingCall) Disposition {
	span := call.Span()
	candidates, at := r.candidates, r.OwnerOf(span)
	if at == none {
		return Stays
	}
	if call.Traits.UnknownTool && candidates[at].lacks(call, r.tools) {
		return Counts // for nobody: nothing was executed
	}
	claim := r.claim(at, span)
	for _, i := range claim.adds(candidates, r.receivers(at, 1)) {
		candidates[i].Calls = append(candidates[i].Calls, *call)
		if !claim.isOwn(i, at) {
			candidates[i].Calls[len(candidates[i].Calls)-1].Source = agentrun.SourceShared
		}
		call.Counted = true
	}
	switch {
	case r.waits(at), claim.waits(candidates):
		return Stays
	case call.Counted:
		return Counts
	}
	return Late
}

// GiveResponse gives a response to its candidate, as GiveCall does, and reports whether it stays with its trace.
func (r *Resolver) GiveResponse(a *agentrun.ModelResponse) (stays bool) {
	s := a.Span
	if a.OfAgent {
		s.Parent = s.ID
	}
	candidates, at := r.candidates, r.OwnerOf(s)
	if at == none {
		return true
	}
	// A model that was offered tools makes a run of a span that is above it. By its time alone it may be another's.
	offered := a.Offered && (r.set.WholeTrace || s.Parent.IsEmpty() || r.ascend(s.Parent, s.Process).seat != none)
	claim := r.claim(at, s)
	for _, i := range claim.adds(candidates, r.receivers(at, max(1, len(a.Requests)+len(a.Results)))) {
		a.Counted = true
		candidates[i].Responses = append(candidates[i].Responses, *a)
		candidates[i].Responses[len(candidates[i].Responses)-1].Offered = offered
	}
	return r.waits(at) || claim.waits(candidates)
}

// OwnerOf is the candidate that a call or a response belongs to, or -1.
func (r *Resolver) OwnerOf(s agentrun.Span) int {
	if !r.set.WholeTrace {
		return r.owner(s)
	}
	if len(r.candidates) == 0 {
		return none
	}
	return 0
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
