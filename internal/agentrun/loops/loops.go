package loops

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
)

// maxRequests bounds how many requests are looked at for one call.
const maxRequests = 16

// loopFinder finds the loops in the responses of one candidate.
type loopFinder struct {
	loops    []ownership.Candidate
	byID     map[string]int // the loop that requested a call, by ids that only one call has
	requests []loopRequest  // in order of time
}

// loopRequest is a request of a tool, with the time of the model's response.
type loopRequest struct {
	name string
	at   pcommon.Timestamp
	loop int
}

// TakeInner removes the calls and responses of all loops but the first from a candidate, and returns those loops. With
// [agentrun.Settings.Include] calls of inner runs count for the outer one as well, and nothing is removed.
func TakeInner(s *ownership.Candidate, set *agentrun.Settings, w *compare.Work) []ownership.Candidate {
	if s.Kind == agentrun.Agent || set.WholeTrace || set.Include {
		return nil
	}
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

// beginsAgain reports whether messages begin more than once in the responses of a process.
func beginsAgain(responses []agentrun.ModelResponse, home agentrun.Process) bool {
	n := 0
	for i := range responses {
		if responses[i].Begins && responses[i].Process == home {
			n++
		}
	}
	return n > 1
}

// add puts a response into its loop. It is the loop of the request whose result the model was given, or of the same request
// in another instrumentation. Otherwise a response where messages begin opens a new loop, and any other joins the last one.
func (f *loopFinder) add(a agentrun.ModelResponse) {
	at, known := f.loopOf(&a)
	switch {
	case known:
	case len(f.loops) == 0, a.Begins && (len(a.Requests) > 0 || a.Offered):
		at = len(f.loops)
		f.loops = append(f.loops, ownership.Candidate{Span: a.Span, Kind: agentrun.Agent, Inferred: true})
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

// distribute gives the calls to their loops. A call of another process that is right below a call goes to the same loop,
// such as the server's span below the client's. All other calls of other processes go to the first loop.
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

// of returns the loop that made a call: by the call's ID, else the last loop that requested the tool before it, else the
// first.
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
