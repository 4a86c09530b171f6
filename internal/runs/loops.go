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
// requested it: by the call's ID, else the last loop that requested the tool before. If several loops requested an ID, the run of the
// span is in doubt.
type loops struct {
	all      []run
	byID     map[string]int // the loop that requested a call, by IDs that only one call should have
	requests []loopRequest
	doubts   Doubts
	own      int // the loop that has the span
}

// loopRequest is a request of a tool, with the time of the model's response.
type loopRequest struct {
	at   pcommon.Timestamp
	tool uint64
	loop int
}

// takeInner removes the calls and responses of all loops but one from a run, and returns those loops. An agent's span takes
// precedence: its calls are one run. With [Options.Include] calls of inner runs count for the outer one as well, and nothing is
// removed.
func (t *tree) takeInner(r *run) []run {
	if r.Kind == evidence.Agent || t.o.WholeTrace || t.o.Include {
		return nil
	}
	begun := 0
	for _, a := range r.responses {
		if a.Response.Begins {
			begun++
		}
	}
	if begun < 2 {
		return nil
	}
	l := loops{byID: make(map[string]int)}
	for _, a := range r.responses {
		if at := l.add(a); a.ID == r.ID && !a.ID.IsEmpty() {
			l.own = at
		}
	}
	l.addCalls(r.calls)
	unread := slices.ContainsFunc(r.responses, func(a *evidence.Fact) bool { return a.Response.Unread })
	r.doubts |= l.doubts | doubtIf(unread && len(l.all) > 1, ContentUnreadable) // only what was not read says which loop it belongs to
	r.calls, r.responses = l.all[l.own].calls, l.all[l.own].responses
	return slices.Delete(l.all, l.own, l.own+1)
}

// add puts a response into its loop, and returns it. It is the loop of the request whose result the model was given. Otherwise a
// response where messages begin opens a new loop, and any other joins the last one.
func (l *loops) add(a *evidence.Fact) (at int) {
	at, known := l.byID[a.Response.Answered]
	switch {
	case known:
	case len(l.all) == 0, a.Response.Begins && (len(a.Response.Requests) > 0 || a.Response.Offered):
		at = len(l.all)
		l.all = append(l.all, run{
			Fact:     evidence.Fact{Span: evidence.Span{Trace: a.Trace, Start: a.Start, End: a.End, Process: a.Process}, Kind: evidence.Agent},
			inferred: true, node: none,
		})
	default:
		at = len(l.all) - 1
	}
	loop := &l.all[at]
	loop.responses = append(loop.responses, a)
	loop.End = max(loop.End, a.End)
	for _, q := range each(a.Response.Requests) {
		l.requests = append(l.requests, loopRequest{a.End, toolname.Key(q.Name), at})
		switch before, again := l.byID[q.ID]; {
		case again: // a model may use an ID again, and two instrumentations may record one request
			l.doubts |= doubtIf(before != at, OwnerUnknown)
		case unique(q.ID):
			l.byID[q.ID] = at
		}
	}
	return at
}

// addCalls puts calls, which are in order, into their loops. If none requested the tool before a call, that is the loop that has the span.
func (l *loops) addCalls(calls []Call) {
	slices.SortStableFunc(l.requests, func(a, b loopRequest) int { return cmp.Compare(a.at, b.at) })
	before, last := 0, make(map[uint64]int) // how many requests were before a call, and the last loop that requested a tool
	for _, c := range each(calls) {
		for ; before < len(l.requests) && l.requests[before].at <= c.Start; before++ {
			last[l.requests[before].tool] = l.requests[before].loop
		}
		at, known := l.byID[c.CallID]
		if !known {
			at, known = last[toolname.Key(c.Name)]
		}
		if !known {
			at = l.own
		}
		l.all[at].calls = append(l.all[at].calls, *c)
	}
}
