package loops

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// loopFinder finds the loops in the responses of one candidate.
type loopFinder struct {
	loops    []ownership.Candidate
	byCall   map[compare.CallName]int // the loop that requested a call, by IDs that only one call should have
	byID     map[string]int           // the same by the ID alone, or severalLoops
	requests map[string][]loopRequest // of each tool, in order of time
	doubt    bool                     // an ID leads to several loops
	own      int                      // the loop that has the span
}

// severalLoops is in place of the loop of an ID that several loops requested.
const severalLoops = -1

// loopRequest is a request, with the time of the model's response.
type loopRequest struct {
	at   pcommon.Timestamp
	loop int
}

// TakeInner removes the calls and responses of all loops but one from a candidate, and returns those loops. The loop of the
// candidate's own response stays, else the first one. With [agentrun.Settings.Include] calls of inner runs count for the outer
// one as well, and nothing is removed. If an ID leads to several loops, the candidate is contradicted.
func TakeInner(s *ownership.Candidate, set *agentrun.Settings, w *compare.Work) []ownership.Candidate {
	if s.Kind == agentrun.Agent || set.WholeTrace || set.Include {
		return nil
	}
	home := s.Home(false)
	if !beginsAgain(s.Responses, home) {
		return nil
	}
	*w += compare.Work(len(s.Calls) + len(s.Responses))
	f := loopFinder{byCall: make(map[compare.CallName]int), byID: make(map[string]int), requests: make(map[string][]loopRequest)}
	slices.SortStableFunc(s.Responses, func(a, b agentrun.ModelResponse) int { return agentrun.CompareSpans(a.Span, b.Span) })
	var others []agentrun.ModelResponse
	for i := range s.Responses {
		if s.Responses[i].Process == home {
			if at := f.add(s.Responses[i]); s.Responses[i].Key() == s.Key() && !s.ID.IsEmpty() {
				f.own = at
			}
		} else {
			others = append(others, s.Responses[i])
		}
	}
	if len(f.loops) < 2 {
		return nil
	}
	for _, of := range f.requests {
		slices.SortStableFunc(of, func(a, b loopRequest) int { return cmp.Compare(a.at, b.at) })
	}
	f.distribute(s.Calls, home, w)
	stays := &f.loops[f.own]
	stays.Responses = append(stays.Responses, others...)
	if slices.ContainsFunc(s.Responses, func(a agentrun.ModelResponse) bool { return a.Unread }) {
		stays.Responses[0].Unread = true // only what was not read says which loop it belongs to
	}
	s.Calls, s.Responses, s.Contradicted = stays.Calls, stays.Responses, s.Contradicted || f.doubt
	return slices.Delete(f.loops, f.own, f.own+1)
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

// add puts a response into its loop, and returns it. It is the loop of the request whose result the model was given, or of the
// same request in another instrumentation. Otherwise a response where messages begin opens a new loop, and any other joins the
// last one.
func (f *loopFinder) add(a agentrun.ModelResponse) (at int) {
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
		f.addRequest(compare.CallName{ID: a.Requests[i].ID, Tool: toolname.Key(a.Requests[i].Name)}, loopRequest{a.End, at})
	}
	return at
}

// addRequest adds a request of a loop. A model may use the ID of another request again.
func (f *loopFinder) addRequest(call compare.CallName, r loopRequest) {
	f.requests[call.Tool] = append(f.requests[call.Tool], r)
	if !agentrun.IsUniqueCallID(call.ID) {
		return
	}
	if before, again := f.byCall[call]; again && before != r.loop {
		f.doubt = true
	} else {
		f.byCall[call] = r.loop
	}
	if before, again := f.byID[call.ID]; again && before != r.loop {
		f.byID[call.ID] = severalLoops
	} else {
		f.byID[call.ID] = r.loop
	}
}

// loopOf is the loop that a response surely belongs to.
func (f *loopFinder) loopOf(a *agentrun.ModelResponse) (at int, known bool) {
	for i := range a.Requests {
		if at, known = f.byCall[compare.CallName{ID: a.Requests[i].ID, Tool: toolname.Key(a.Requests[i].Name)}]; known {
			return at, true
		}
	}
	at, known = f.byID[a.Answered]
	if known && at == severalLoops {
		f.doubt = true
		return 0, false
	}
	return at, known
}

// distribute gives the calls to their loops. A call of another process that is right below a call goes to the same loop,
// such as the server's span below the client's. All other calls of other processes go to the loop that has the span.
func (f *loopFinder) distribute(calls []agentrun.PendingCall, home agentrun.Process, w *compare.Work) {
	loops, below := make([]int, len(calls)), make(map[pcommon.SpanID]int)
	for i := range calls {
		if calls[i].Process == home {
			loops[i] = f.of(&calls[i], w)
			below[calls[i].ID] = loops[i]
		}
	}
	for i := range calls {
		if calls[i].Process != home {
			at, known := below[calls[i].Parent]
			if loops[i] = f.own; known && !calls[i].Parent.IsEmpty() {
				loops[i] = at
			}
		}
		f.loops[loops[i]].Calls = append(f.loops[loops[i]].Calls, calls[i])
	}
}

// of returns the loop that made a call: by the call's ID, else the last loop that requested the tool before it. If there is none,
// it is the loop that has the span.
func (f *loopFinder) of(c *agentrun.PendingCall, w *compare.Work) int {
	name := toolname.Key(c.Name.Value())
	if at, known := f.byCall[compare.CallName{ID: c.CallID, Tool: name}]; known {
		return at
	}
	*w++
	asked := f.requests[name]
	began, _ := slices.BinarySearchFunc(asked, c.Start, func(r loopRequest, start pcommon.Timestamp) int {
		if r.at <= start {
			return -1
		}
		return 1
	})
	if began == 0 {
		return f.own
	}
	return asked[began-1].loop
}
