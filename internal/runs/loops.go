package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// loops finds several runs below one span, by their loops of model calls. Some instrumentations record model calls and no span
// around them. Then one span may have several loops below it: consecutive runs, or an agent that is a tool of another. A loop begins
// where the messages begin again, and each loop is a run. One has the span: the loop whose response the span records, else the
// first.
//
//	root r
//	  model call m    messages begin           requests search
//	  model call n    messages begin again     requests refund
//	  model call o    shows m's result         requests answer
//
//	run of r          search, answer
//	run without span  refund
//
// A model call is in the loop of the call whose result the model was shown, else in the last loop. A tool call is in the loop that
// requested it: by the call's ID, else the last loop that requested the tool before. An ID that several loops requested leads to none of
// them, and the run of the span is in doubt.
type loops struct {
	all      []run
	byID     map[string]int // the loop that requested a call, by IDs that only one call should have, or severalLoops
	requests map[string][]loopRequest
	doubt    bool // an ID leads to several loops
	own      int  // the loop that has the span
}

// severalLoops is in place of the loop of an ID that several loops requested.
const severalLoops = -1

// loopRequest is a request of a tool, with the time of the model's response.
type loopRequest struct {
	at   pcommon.Timestamp
	loop int
}

// takeInner removes the calls and responses of all loops but one from a run, and returns those loops. An agent's span takes
// precedence: its calls are one run. With [Options.Include] calls of inner runs count for the outer one as well, and nothing is
// removed.
func (t *tree) takeInner(r *run) []run {
	if r.Kind == agentKind || t.o.WholeTrace || t.o.Include || !beginsAgain(r.responses) {
		return nil
	}
	l := loops{byID: make(map[string]int), requests: make(map[string][]loopRequest)}
	for _, a := range r.responses {
		if at := l.add(a); a.ID == r.ID && !a.ID.IsEmpty() {
			l.own = at
		}
	}
	if len(l.all) < 2 {
		return nil
	}
	for _, of := range l.requests {
		slices.SortStableFunc(of, func(a, b loopRequest) int { return cmp.Compare(a.at, b.at) })
	}
	for i := range r.calls {
		loop := &l.all[l.of(&r.calls[i])]
		loop.calls = append(loop.calls, r.calls[i])
	}
	unread := slices.ContainsFunc(r.responses, func(a *evidence.Fact) bool { return a.Response.Unread })
	r.calls, r.responses = l.all[l.own].calls, l.all[l.own].responses
	if unread { // only what was not read says which loop it belongs to
		c := *r.responses[0].Response
		c.Unread = true
		first := *r.responses[0]
		first.Response, r.responses[0] = &c, &first
	}
	r.doubts |= doubtIf(l.doubt, OwnerUnknown)
	return slices.Delete(l.all, l.own, l.own+1)
}

// beginsAgain reports whether messages begin more than once.
func beginsAgain(responses []*evidence.Fact) bool {
	n := 0
	for _, a := range responses {
		if a.Response.Begins {
			n++
		}
	}
	return n > 1
}

// add puts a response into its loop, and returns it. It is the loop of the request whose result the model was given. Otherwise a
// response where messages begin opens a new loop, and any other joins the last one.
func (l *loops) add(a *evidence.Fact) (at int) {
	at, known := l.byID[a.Response.Answered]
	switch {
	case known && at != severalLoops:
	case len(l.all) == 0, a.Response.Begins && (len(a.Response.Requests) > 0 || a.Response.Offered):
		at = len(l.all)
		l.all = append(l.all, run{
			Fact:     evidence.Fact{Span: evidence.Span{Trace: a.Trace, Start: a.Start, End: a.End, Process: a.Process}, Kind: agentKind},
			inferred: true, node: none,
		})
	default:
		at = len(l.all) - 1
	}
	loop := &l.all[at]
	loop.responses = append(loop.responses, a)
	loop.End = max(loop.End, a.End)
	for i := range a.Response.Requests {
		l.addRequest(a.Response.Requests[i].ID, a.Response.Requests[i].Name, loopRequest{a.End, at})
	}
	return at
}

// addRequest adds a request of a loop. A model may use the ID of another request again, and two instrumentations may record one.
func (l *loops) addRequest(id, name string, r loopRequest) {
	tool := toolname.Key(name)
	l.requests[tool] = append(l.requests[tool], r)
	if !unique(id) {
		return
	}
	if before, again := l.byID[id]; again && before != r.loop {
		l.byID[id], l.doubt = severalLoops, true
	} else {
		l.byID[id] = r.loop
	}
}

// of returns the loop that made a call. If none requested the tool before it, that is the loop that has the span.
func (l *loops) of(c *Call) int {
	if at, known := l.byID[c.CallID]; known && at != severalLoops {
		return at
	}
	asked := l.requests[toolname.Key(c.Name)]
	began, _ := slices.BinarySearchFunc(asked, c.Start+1, func(r loopRequest, after pcommon.Timestamp) int { return cmp.Compare(r.at, after) })
	if began == 0 {
		return l.own
	}
	return asked[began-1].loop
}
