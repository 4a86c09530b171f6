package ownership

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// A client of a model writes model calls and no span around them. Several loops of model calls may stand below one span:
// one run after the other, or an agent that is a tool of another. Where the messages begin again, a loop begins, and
// each loop is a run. The first one has the span. The others are runs inside of it, without spans of their own.
//
// Only an instrumentation that writes no tool spans tells where messages begin. An agent's span is believed before all
// that: its calls are one run. Only the process that decides about a run tells of its loops: what others recorded stays
// with the first.

// maxRequests bounds how many requests are looked at for one call.
const maxRequests = 16

// loopFinder finds the loops in the responses of one candidate.
type loopFinder struct {
	loops    []Candidate
	byID     map[string]int // the loop that requested a call, by ids that only one call has
	requests []loopRequest  // in order of time
}

// loopRequest is a request of a tool, at the time when the model had answered.
type loopRequest struct {
	name string
	at   pcommon.Timestamp
	loop int
}

// TakeInnerLoops removes from a candidate what belongs to all loops but the first, and returns those.
func (s *Candidate) TakeInnerLoops(w *compare.Work) []Candidate {
	home := s.Home(false)
	if !beginsAgain(s.Responses, home) {
		return nil
	}
	*w += compare.Work(len(s.Calls) + len(s.Responses))
	f := loopFinder{byID: make(map[string]int)}
	slices.SortStableFunc(s.Responses, func(a, b agentrun.ModelResponse) int { return agentrun.CompareSpans(a.Span, b.Span) })
	var others []agentrun.ModelResponse
	for i := range s.Responses {
		if s.Responses[i].Process == home {
			f.add(s.Responses[i])
		} else {
			others = append(others, s.Responses[i])
		}
	}
	if len(f.loops) < 2 {
		return nil
	}
	slices.SortStableFunc(f.requests, func(a, b loopRequest) int { return cmp.Compare(a.at, b.at) })
	f.distribute(s.Calls, home, w)
	first := &f.loops[0]
	first.Responses = append(first.Responses, others...)
	s.Calls, s.Responses = first.Calls, first.Responses
	return f.loops[1:]
}

// beginsAgain reports whether messages begin more than once, as a process tells.
func beginsAgain(responses []agentrun.ModelResponse, home agentrun.Process) bool {
	n := 0
	for i := range responses {
		if responses[i].Begins && responses[i].Process == home {
			n++
		}
	}
	return n > 1
}

// add puts a response into its loop: that of the request whose result it was given, or of the same request as another
// instrumentation tells it; else a new one where messages begin; else the last one.
func (f *loopFinder) add(a agentrun.ModelResponse) {
	at, known := f.loopOf(&a)
	switch {
	case known:
	case len(f.loops) == 0, a.Begins && (len(a.Requests) > 0 || a.Offered):
		at = len(f.loops)
		f.loops = append(f.loops, Candidate{Span: a.Span, Kind: agentrun.Agent, Inferred: true})
	default:
		at = len(f.loops) - 1
	}
	loop := &f.loops[at]
	loop.Responses = append(loop.Responses, a)
	loop.End = max(loop.End, a.End)
	for i := range a.Requests {
		f.requests = append(f.requests, loopRequest{compare.ToolKey(a.Requests[i].Name), a.End, at})
		if id := a.Requests[i].ID; agentrun.IsUniqueCallID(id) {
			f.byID[id] = at
		}
	}
}

// loopOf is the loop that a response surely belongs to.
func (f *loopFinder) loopOf(a *agentrun.ModelResponse) (at int, known bool) {
	for i := range a.Requests {
		if at, known = f.byID[a.Requests[i].ID]; known {
			return at, true
		}
	}
	at, known = f.byID[a.Answered]
	return at, known
}

// distribute gives the calls to their loops. What another process recorded right below a call goes with that call, such as
// the server's span of what a client called, and everything else of others with the first loop.
func (f *loopFinder) distribute(calls []agentrun.PendingCall, home agentrun.Process, w *compare.Work) {
	loops, below := make([]int, len(calls)), make(map[pcommon.SpanID]int)
	for i := range calls {
		if calls[i].Process == home {
			loops[i] = f.of(&calls[i], w)
			below[calls[i].ID] = loops[i]
		}
	}
	for i := range calls {
		if calls[i].Process != home && !calls[i].Parent.IsEmpty() {
			loops[i] = below[calls[i].Parent]
		}
		f.loops[loops[i]].Calls = append(f.loops[loops[i]].Calls, calls[i])
	}
}

// of is the loop that made a call: by its id, else the last one that requested the tool before the call, else the first.
func (f *loopFinder) of(c *agentrun.PendingCall, w *compare.Work) int {
	if at, known := f.byID[c.CallID]; known {
		return at
	}
	began, _ := slices.BinarySearchFunc(f.requests, c.Start, func(r loopRequest, start pcommon.Timestamp) int {
		if r.at <= start {
			return -1
		}
		return 1
	})
	name := compare.ToolKey(c.Name.Value())
	for n := 0; n < maxRequests && began > 0; n++ {
		*w++
		began--
		if f.requests[began].name == name {
			return f.requests[began].loop
		}
	}
	return 0
}
