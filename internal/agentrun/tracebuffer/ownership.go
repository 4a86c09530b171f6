package tracebuffer

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// none is the index of no candidate and of no call.
const none = -1

// resolver finds out which candidate a call belongs to. Its maps are kept between traces to save the garbage, and filled when
// the first walk needs them: in many a run everything is right below its one agent, and nobody walks.
type resolver struct {
	set  *agentrun.Settings
	work *compare.Work
	// tools are those that an agent's span lists. It may be nil.
	tools       func(ptrace.Span) []string
	candidates  []candidate
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
	// climbs are the ways from candidates to those around them.
	walkUpCaches
	timeIndex
	// owners are for traces in which several processes have a part.
	owners
	// room is how many calls may still be copied into runs around their own, and turn how many were given to candidates.
	room, turn int
	taking     []int
	// mayStillArrive: what has not come may come, so a call of unknown origin is not given to a run inside of others.
	mayStillArrive bool
	// contradicted: a walk met a span with several parents, so it is not known what is above, and whose the calls are.
	contradicted bool
}

// examined is what is examined of a trace: its links, the runs that calls may belong to, and what waits for one. The calls are
// in order.
type examined struct {
	parents    *Parents
	candidates []candidate
	calls      []agentrun.PendingCall
	responses  []agentrun.ModelResponse
	// received is how many calls, responses and requests were received. mayStillArrive: spans that have not come may come.
	received       int
	mayStillArrive bool
}

// begin has to be called before anybody walks.
func (r *resolver) begin(x examined) {
	r.parents, r.candidates, r.calls, r.mapped = x.parents, x.candidates, x.calls, false
	r.room = maxCopies * min(r.set.MaxCalls, x.received)
	r.mayStillArrive, r.contradicted = x.mayStillArrive, false
	r.walkUpCaches.begin(r.work)
	r.turn, r.timeIndex, r.owners = 0, timeIndex{}, owners{several: areSeveral(&x)}
}

// decideStates finds out which candidates are to be closed, and which wait for a run around them.
func (r *resolver) decideStates() {
	for i := range r.candidates {
		r.candidates[i].state = r.stateOf(i)
		r.rootWaits = r.rootWaits || r.set.WholeTrace && r.candidates[i].state == stateWaiting
	}
}

// callsAbove are the nearest call above a call, and the nearest one that its own process tells of; each may be none.
func (r *resolver) callsAbove(call *agentrun.PendingCall) (nearest, own int) {
	up := r.ascend(call.Parent, call.Process)
	return up.call, up.own
}

// disposition is what becomes of a call when its trace is examined.
type disposition uint8

const (
	callCounts disposition = iota // it has gone to its run
	callStays                     // its run, or one around that, may still close
	callIsLate                    // its run has closed
)

// forgetCalls has to be called before calls move. From then on nobody asks which call is above another.
func (r *resolver) forgetCalls() { r.calls = nil }

// giveCall gives a call to its candidate, and with include to those around it.
func (r *resolver) giveCall(call *agentrun.PendingCall) disposition {
	span := call.Span()
	candidates, at := r.candidates, r.ownerOf(span)
	if at == none {
		return callStays
	}
	if call.Traits.UnknownTool && candidates[at].lacks(call, r.tools) {
		return callCounts // for nobody: nothing was executed
	}
	claim := r.claim(at, span)
	for _, i := range claim.adds(candidates, r.receivers(at, 1)) {
		candidates[i].calls = append(candidates[i].calls, *call)
		if !claim.isOwn(i, at) {
			candidates[i].calls[len(candidates[i].calls)-1].Source = agentrun.SourceShared
		}
		call.Counted = true
	}
	switch {
	case r.waits(at), claim.waits(candidates):
		return callStays
	case call.Counted:
		return callCounts
	}
	return callIsLate
}

// giveResponse reports whether the response is to stay with its trace.
func (r *resolver) giveResponse(a *agentrun.ModelResponse) (stays bool) {
	s := a.Span
	if a.OfAgent {
		s.Parent = s.ID
	}
	candidates, at := r.candidates, r.ownerOf(s)
	if at == none {
		return true
	}
	// A model that was offered tools makes a run of a span that is above it. By its time alone it may be another's.
	offered := a.Offered && (r.set.WholeTrace || s.Parent.IsEmpty() || r.ascend(s.Parent, s.Process).seat != none)
	claim := r.claim(at, s)
	for _, i := range claim.adds(candidates, r.receivers(at, max(1, len(a.Requests)+len(a.Results)))) {
		a.Counted = true
		candidates[i].responses = append(candidates[i].responses, *a)
		candidates[i].responses[len(candidates[i].responses)-1].Offered = offered
	}
	return r.waits(at) || claim.waits(candidates)
}

// ownerOf is the candidate that a call or a response belongs to, or none.
func (r *resolver) ownerOf(s agentrun.Span) int {
	if !r.set.WholeTrace {
		return r.owner(s)
	}
	if len(r.candidates) == 0 {
		return none
	}
	return 0
}

// release gives up what keeps a trace alive, and maps that a long one has made large.
func (r *resolver) release() {
	const long = 1 << 12
	r.parents, r.candidates, r.calls, r.timeIndex, r.owners = nil, nil, nil, timeIndex{}, owners{}
	if max(len(r.above), len(r.candidateAt), len(r.callAt), len(r.incomplete)) > long {
		r.candidateAt, r.callAt, r.above, r.incomplete, r.path = nil, nil, nil, nil, nil
		r.walkUpCaches, r.taking = walkUpCaches{}, nil
	}
}
