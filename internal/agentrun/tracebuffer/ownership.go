package tracebuffer

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// none is the index of no candidate and of no call.
const none = -1

// resolver finds out which candidate a call belongs to. Its maps are kept between traces to save the garbage, and filled when
// the first walk needs them: in many a run everything is right below its one agent, and nobody walks.
type resolver struct {
	trace       *trace
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
	room, turn   int
	taking, into []int
	compare      comparer
	work         compare.Work
	// tools are those that an agent's span lists.
	tools func(ptrace.Span) []string
	// patient: what has not come may come, so a call of unknown origin is not given to a run inside of others.
	mayStillArrive bool
	// wholeTrace: the first candidate has everything. include: a call counts for the runs around its own as well.
	wholeTrace, include bool
}

// assignment is what became of the calls of a trace.
type assignment struct {
	late       []time.Duration // of calls that belong to closed runs, and are dropped: how long after that they came
	duplicates int             // spans that told of a call again
}

// assign gives the calls and answers of t to the candidates that they belong to. Those of a candidate that is not ready, or of
// none, stay with t.
func (r *resolver) assign(t *trace, candidates []candidate) assignment {
	r.begin(t, candidates)
	if len(t.calls)+len(t.responses) == 0 && len(candidates) < 2 {
		return assignment{}
	}
	spans := len(t.calls)
	t.forgetRepeats()
	t.dropRepeatedResponses(&r.work)
	ranks := t.ranks()
	for i := range t.calls {
		t.calls[i].Rank = ranks[agentrun.ProcessCallID{Process: t.calls[i].Process, ID: t.calls[i].CallID}]
	}
	slices.SortFunc(t.calls, agentrun.ComparePendingCalls)
	t.settleRepeats(&r.compare)
	calls := t.calls
	r.calls = calls
	for i := range candidates {
		candidates[i].state = r.stateOf(candidates, i)
		r.rootWaits = r.rootWaits || r.wholeTrace && candidates[i].state == stateWaiting
	}
	into := r.merge(calls)
	r.calls = nil // from here on they move, and nobody asks which call is above another
	if len(candidates) == 1 {
		candidates[0].calls = calls[:0] // what it takes comes to stand where it stood, or in front of that
		candidates[0].responses = make([]agentrun.ModelResponse, 0, len(t.responses))
	}
	var rest []agentrun.PendingCall
	var late []time.Duration
	kept := 0
	for i := range calls {
		if into[i] != none {
			continue
		}
		kept++
		call := calls[i] // what is noted of it is not for the candidate that may have its place
		switch disposition := r.giveCall(candidates, &call); disposition {
		case callStays:
			rest = append(rest, call)
		case callIsLate:
			late = append(late, r.lateness(t, candidates, call.Span()))
		}
	}
	t.calls = rest
	r.assignResponses(t, candidates)
	return assignment{late: late, duplicates: spans - kept}
}

// lateness is how long after its run had closed a call came, or rather the last span of its trace.
func (r *resolver) lateness(t *trace, candidates []candidate, call agentrun.Span) time.Duration {
	return closedruns.Run{At: candidates[r.ownerOf(candidates, call)].closedAt}.Since(t.lastSeen)
}

// disposition is what becomes of a call when its trace is examined.
type disposition uint8

const (
	callCounts disposition = iota // it has gone to its run
	callStays                     // its run, or one around that, may still close
	callIsLate                    // its run has closed
)

// giveCall gives a call to its candidate, and with include to those around it.
func (r *resolver) giveCall(candidates []candidate, call *agentrun.PendingCall) disposition {
	span := call.Span()
	at := r.ownerOf(candidates, span)
	if at == none {
		return callStays
	}
	if call.Traits.UnknownTool && candidates[at].lacks(call, r.tools) {
		return callCounts // for nobody: nothing was executed
	}
	claim := r.claim(candidates, at, span)
	for _, i := range claim.adds(candidates, r.receivers(candidates, at, 1)) {
		candidates[i].calls = append(candidates[i].calls, *call)
		if !claim.isOwn(i, at) {
			candidates[i].calls[len(candidates[i].calls)-1].Source = agentrun.SourceShared
		}
		call.Counted = true
	}
	switch {
	case r.waits(candidates, at), claim.waits(candidates):
		return callStays
	case call.Counted:
		return callCounts
	}
	return callIsLate
}

// assignResponses gives the responses of t to the candidates of the spans that gave them, and with include to those around.
// What belongs to a closed run is dropped: it tells of calls that were judged.
func (r *resolver) assignResponses(t *trace, candidates []candidate) {
	rest := t.responses[:0]
	t.requestCount = 0
	for _, a := range t.responses {
		if r.giveResponse(candidates, &a) {
			rest = append(rest, a)
			t.requestCount += len(a.Requests)
		}
	}
	clear(t.responses[len(rest):])
	t.responses = rest
}

// giveResponse reports whether the response is to stay with its trace.
func (r *resolver) giveResponse(candidates []candidate, a *agentrun.ModelResponse) (stays bool) {
	s := a.Span
	if a.OfAgent {
		s.Parent = s.ID
	}
	at := r.ownerOf(candidates, s)
	if at == none {
		return true
	}
	// A model that was offered tools makes a run of a span that is above it. By its time alone it may be another's.
	offered := a.Offered && (r.wholeTrace || s.Parent.IsEmpty() || r.ascend(s.Parent, s.Process).seat != none)
	claim := r.claim(candidates, at, s)
	for _, i := range claim.adds(candidates, r.receivers(candidates, at, max(1, len(a.Requests)+len(a.Results)))) {
		a.Counted = true
		candidates[i].responses = append(candidates[i].responses, *a)
		candidates[i].responses[len(candidates[i].responses)-1].Offered = offered
	}
	return r.waits(candidates, at) || claim.waits(candidates)
}

// ownerOf is the candidate that a call or a response belongs to, or none.
func (r *resolver) ownerOf(candidates []candidate, s agentrun.Span) int {
	if !r.wholeTrace {
		return r.owner(candidates, s)
	}
	if len(candidates) == 0 {
		return none
	}
	return 0
}

// release gives up what keeps a trace alive, and maps that a long one has made large.
func (r *resolver) release() {
	const long = 1 << 12
	r.trace, r.candidates, r.calls = nil, nil, nil
	r.parents, r.timeIndex, r.compare, r.owners = nil, timeIndex{}, comparer{}, owners{}
	if max(len(r.above), len(r.candidateAt), len(r.callAt), len(r.incomplete), len(r.into)) > long {
		r.candidateAt, r.callAt, r.above, r.incomplete, r.path = nil, nil, nil, nil, nil
		r.walkUpCaches, r.taking, r.into = walkUpCaches{}, nil, nil
	}
}

// begin has to be called before anybody walks.
func (r *resolver) begin(t *trace, candidates []candidate) {
	r.trace, r.candidates, r.mapped = t, candidates, false
	r.walkUpCaches.begin(&r.work)
	r.compare.work = &r.work
	r.turn, r.timeIndex, r.owners = 0, timeIndex{}, owners{several: areSeveral(t, candidates)}
}
