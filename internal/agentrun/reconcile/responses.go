package reconcile

import (
	"slices"
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/results"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// reconcileResponses joins what tool spans and model responses record about the calls of one run. The calls are in order.
//
// A request and a tool span with the same name are one call if their call IDs are equal. Otherwise they need equal arguments,
// or those of one are unknown. The request then fills in what the span lacks: the call ID, arguments, the name of an unnamed
// argument. A result in a later prompt fills in the output. For the spelling of the tool's name see [matching.spell].
//
// If a call has no tool span, the settings decide:
//
//   - [agentrun.Spans]: it does not count;
//   - [agentrun.Messages]: every request counts, and tool spans without a request are left out;
//   - [agentrun.Auto]: a request counts if its instrumentation may write no tool spans, and one of two things holds. Either
//     the run has no tool spans. Or each of them has a request, so both use the same names, and the model was shown a result,
//     so a span was lost. Otherwise such a request, without a span of its tool that may be its own, contradicts the spans.
func (r *Reconciler) reconcileResponses(calls []agentrun.PendingCall, responses []agentrun.ModelResponse, known results.Unique) (kept []agentrun.PendingCall, contradicted bool) {
	if r.set.Sources == agentrun.Spans || r.set.Sources == agentrun.Auto && !r.responsesAddSomething(calls, responses, known) {
		return calls, false
	}
	requests, shown, contradicted := r.requestsOf(responses, known)
	m := matching{calls: calls, requests: requests, compare: &r.compare, work: r.work}
	m.match()
	for i, q := range m.requestOf {
		contradicted = m.spell(i) || contradicted
		if q != none {
			if m.isText(i, q) {
				calls[i].Traits.UnnamedArgument, contradicted = true, contradicted || !m.isMeant(i, q)
			}
			addRequest(&calls[i], &requests[q])
		}
	}
	callOf, complete := m.callOf, !slices.Contains(m.requestOf, none)
	inDoubt := !complete && slices.Contains(callOf, none)
	if inDoubt {
		callOf = slices.Clone(callOf)
	}
	shown.Users = m.usersOfResults(callOf)
	for i := range calls {
		shown.Complete(&calls[i])
	}
	kept = calls
	if r.set.Sources == agentrun.Messages {
		kept, contradicted = nil, contradicted || m.cut && !complete
		for i := range calls {
			if m.requestOf[i] != none {
				kept = append(kept, calls[i])
			}
		}
	}
	if inDoubt {
		m.pair(byTool, byTool, func(call, request int) bool { return !different(&calls[call], &requests[request]) })
	}
	for i := range requests {
		_, answered := shown.Of(requests[i].ID, requests[i].by.End)
		switch {
		case callOf[i] != none:
			continue
		case r.set.Sources == agentrun.Messages, requests[i].messagesOnly && len(calls) == 0:
		case requests[i].messagesOnly && complete && answered:
			contradicted = contradicted || shown.OfSeveral(requests[i].ID, requests[i].by.End)
		default:
			contradicted = contradicted || requests[i].messagesOnly && m.callOf[i] == none
			continue
		}
		c := requests[i].pendingCall()
		shown.Complete(&c)
		kept = append(kept, c)
	}
	slices.SortStableFunc(kept, agentrun.ComparePendingCalls)
	return kept, contradicted
}

// responsesAddSomething reports whether model responses may know something that the tool spans do not. Usually they add
// nothing, because every requested call has a complete span. This check avoids the maps of a matching.
func (r *Reconciler) responsesAddSomething(calls []agentrun.PendingCall, responses []agentrun.ModelResponse, known results.Unique) bool {
	if len(responses) == 0 {
		return false
	}
	tellsLess := func(c *agentrun.PendingCall) bool {
		return c.CallID == "" || c.Traits.NormalizedName || r.set.KeepArguments && (c.Traits.UnnamedArgument || !c.Arguments().Captured()) ||
			known.MayComplete(c)
	}
	if indexOf(calls, tellsLess) != none {
		return true
	}
	ids := compare.CallIDsOf(calls)
	hasText := func(q agentrun.ToolRequest) bool { return r.work.HasObjectText(q.Arguments) }
	for i := range responses {
		if a := &responses[i]; r.set.KeepArguments && slices.ContainsFunc(a.Requests, hasText) || a.MessagesOnly && (r.set.KeepOutput && len(a.Results) > 0 ||
			slices.ContainsFunc(a.Requests, func(q agentrun.ToolRequest) bool { return !agentrun.IsUniqueCallID(q.ID) || !ids.Have(&q) })) {
			return true
		}
	}
	return false
}

// request is a call that a model asked for.
type request struct {
	agentrun.ToolRequest
	by           agentrun.Span // the model call
	scope        agentrun.Scope
	place        int
	messagesOnly bool
	ofGroup      bool // nothing says when in the time of the run it was
	read         compare.Payload
}

// requestsOf returns the requests of models in order, and the results that they were shown. Two requests of the same ID and
// name are one if their model calls overlap: two instrumentations recorded them, or one did in two layers. Otherwise,
// and if their arguments differ, they contradict each other, and all are kept. The responses are in order.
func (r *Reconciler) requestsOf(responses []agentrun.ModelResponse, known results.Unique) (requests []request, shown *results.Results, contradicted bool) {
	shown = results.New(known, r.work)
	var index compare.CallIndex[int]
	for i := range responses {
		for place, requested := range responses[i].Requests {
			q := request{requested, responses[i].Span, responses[i].Scope, place, responses[i].MessagesOnly, responses[i].Shares != nil, compare.Payload{}}
			if at, again := index.Find(requested.ID, requested.Name); !again {
				index.Add(requested.ID, requested.Name, len(requests))
			} else if first := &requests[at]; first.mayBe(&q, &r.compare) {
				first.Arguments = first.Arguments.Or(requested.Arguments)
				continue
			} else {
				contradicted = true
			}
			requests = append(requests, q)
		}
		for _, result := range responses[i].Results {
			shown.Add(result, responses[i].Start)
		}
	}
	return requests, shown, contradicted
}

// mayBe reports whether two requests of one ID and name may be one. A model may give all its requests one ID. The span of a
// group may have a request of one message twice.
func (q *request) mayBe(o *request, c *compare.Calls) bool {
	if q.by.Key() == o.by.Key() && !q.ofGroup || !agentrun.Overlap(q.by, o.by) {
		return false
	}
	return !q.Arguments.Captured() || !o.Arguments.Captured() || c.EqualPayloads(q.Arguments, o.Arguments, &q.read, &o.read)
}

// pendingCall is the call itself, if no tool span records it. It began when the response was complete.
func (q *request) pendingCall() agentrun.PendingCall {
	r := agentrun.PendingCall{
		ID: q.by.ID, Parent: q.by.Parent, Start: q.by.End, End: q.by.End, Process: q.by.Process, Scope: q.scope,
		Name: unique.Make(q.Name), CallID: q.ID, Rank: agentrun.RankOf(q.place), Source: agentrun.SourceModel,
	}
	if q.ofGroup {
		r.Start = q.by.Start
	}
	if q.Arguments != (scoring.Payload{}) {
		r.Payloads = &agentrun.CallPayloads{Arguments: q.Arguments}
	}
	return r
}

// addRequest fills in what the model requested, and the call's place in the response.
func addRequest(r *agentrun.PendingCall, q *request) {
	if r.CallID == "" {
		r.CallID, r.Rank = q.ID, agentrun.RankOf(q.place)
	}
	if q.Arguments == (scoring.Payload{}) || r.Arguments().Captured() && !r.Traits.UnnamedArgument {
		return
	}
	p := r.Captured()
	p.Arguments, r.Traits.UnnamedArgument = q.Arguments, false
	r.Payloads = &p
}
