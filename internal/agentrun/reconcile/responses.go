package reconcile

import (
	"slices"
	"sort"
	"unique"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// reconcileResponses puts together what tool spans and models tell of the calls of one run. The calls are in order.
//
// A request of a model and a tool span of the same name tell of the same call if they have the same call id; else the
// same arguments; else where arguments are not at hand. The request then fills in what the span does
// not tell: the call id, arguments that were not captured, the name of a bare argument, the spelling of the tool's
// name. The result that a later request repeats fills in the output.
//
// What no tool span tells of is
//
//   - for [agentrun.Spans]: nothing; models are not listened to,
//   - for [agentrun.Messages]: every call that a model asked for, and tool spans that nobody asked for are left out,
//   - for [agentrun.Auto]: the calls that a model asked for by an instrumentation that is not known to write tool spans, if the
//     run has no tool spans at all; or if each of its tool spans was asked for, so that both sides use the same names, and the
//     model was given a result, so that something was executed whose span was lost.
func (r *Reconciler) reconcileResponses(calls []agentrun.PendingCall, responses []agentrun.ModelResponse, known knownResults) []agentrun.PendingCall {
	if r.set.Sources == agentrun.Spans || r.set.Sources == agentrun.Auto && !r.responsesAddSomething(calls, responses, known) {
		return calls
	}
	requests, told := requestsOf(responses, known, r.work)
	m := matching{calls: calls, requests: requests, asked: make([]int, len(calls)), made: make([]int, len(requests)), compare: &r.compare, work: r.work}
	m.match()
	for i, q := range m.asked {
		if q != none {
			addRequest(&calls[i], &requests[q])
		}
		addResult(&calls[i], told)
	}
	kept := calls
	if r.set.Sources == agentrun.Messages {
		kept = nil
		for i := range calls {
			if m.asked[i] != none {
				kept = append(kept, calls[i])
			}
		}
	}
	complete := !slices.Contains(m.asked, none)
	for i := range requests {
		_, answered := told.of(requests[i].ID, requests[i].by.End)
		switch {
		case m.made[i] != none:
		case r.set.Sources == agentrun.Messages,
			requests[i].messagesOnly && (len(calls) == 0 || complete && answered):
			c := requests[i].pendingCall()
			addResult(&c, told)
			kept = append(kept, c)
		}
	}
	slices.SortStableFunc(kept, agentrun.ComparePendingCalls)
	return kept
}

// responsesAddSomething reports whether models may tell something that the tool spans do not. Mostly they do not: every call
// that was asked for has its span, and that tells all. This look saves the maps of a matching.
func (r *Reconciler) responsesAddSomething(calls []agentrun.PendingCall, responses []agentrun.ModelResponse, known knownResults) bool {
	if len(responses) == 0 {
		return false
	}
	tellsLess := func(c *agentrun.PendingCall) bool {
		return c.CallID == "" || c.Traits.NormalizedName || r.set.KeepArguments && (c.Traits.UnnamedArgument || !c.Arguments().Captured()) ||
			mayLearn(c, known)
	}
	if indexOf(calls, tellsLess) != none {
		return true
	}
	ids := idsOf(calls)
	for i := range responses {
		if a := &responses[i]; a.MessagesOnly && (r.set.KeepOutput && len(a.Results) > 0 ||
			slices.ContainsFunc(a.Requests, func(q agentrun.ToolRequest) bool { return !agentrun.IsUniqueCallID(q.ID) || !ids.have(&q) })) {
			return true
		}
	}
	return false
}

// mayLearn reports whether a model was told something of the outcome of r that its span does not tell.
func mayLearn(r *agentrun.PendingCall, known knownResults) bool {
	o, told := known.of(r.CallID)
	return told && (o.Failed && r.Status == scoring.StatusUnset ||
		o.Output.Captured() && (r.Payloads == nil || !r.Payloads.Output.Captured()))
}

// callIDSet are the ids and names of calls. Few are compared, and more are hashed.
type callIDSet struct {
	calls  []agentrun.PendingCall
	hashed compare.CallIndex[int]
}

func idsOf(calls []agentrun.PendingCall) callIDSet {
	ids := callIDSet{calls: calls}
	if len(calls) > few {
		for i := range calls {
			ids.hashed.Add(calls[i].CallID, calls[i].Name.Value(), i)
		}
	}
	return ids
}

// have reports whether one of the calls is surely the one that a model asked for.
func (ids *callIDSet) have(q *agentrun.ToolRequest) bool {
	if len(ids.calls) > few {
		_, known := ids.hashed.Find(q.ID, q.Name)
		return known
	}
	return indexOf(ids.calls, func(r *agentrun.PendingCall) bool {
		return r.CallID == q.ID && compare.SameTool(r.Name.Value(), q.Name)
	}) != none
}

// request is a call that a model asked for.
type request struct {
	agentrun.ToolRequest
	by           agentrun.Span // the model call
	scope        agentrun.Scope
	place        int
	messagesOnly bool
}

// requestsOf are what models asked for in order, and what they were told of the outcomes. Two model calls that tell of
// a request of the same id and name, because two instrumentations wrote it down, are one. The responses are in order.
func requestsOf(responses []agentrun.ModelResponse, known knownResults, w *compare.Work) ([]request, shownResults) {
	var requests []request
	told := shownResults{known: known, repeatable: make(map[string][]agentrun.TimedResult), work: w}
	var index compare.CallIndex[int]
	for i := range responses {
		for place, asked := range responses[i].Requests {
			q := request{asked, responses[i].Span, responses[i].Scope, place, responses[i].MessagesOnly}
			if at, again := index.Find(asked.ID, asked.Name); again {
				requests[at].Arguments = requests[at].Arguments.Or(asked.Arguments)
				continue
			}
			index.Add(asked.ID, asked.Name, len(requests))
			requests = append(requests, q)
		}
		for _, result := range responses[i].Results {
			if result.ID != "" && !agentrun.IsUniqueCallID(result.ID) {
				told.repeatable[result.ID] = append(told.repeatable[result.ID], agentrun.TimedResult{ToolResult: result, At: responses[i].Start})
			}
		}
	}
	return requests, told
}

// shownResults are what models were told: known by the ids that only one call can have, the repeatable ones in order of time.
type shownResults struct {
	known      knownResults
	repeatable map[string][]agentrun.TimedResult
	work       *compare.Work
}

// knownResults is what models of one process were told.
type knownResults struct {
	told    map[agentrun.ProcessCallID]agentrun.TimedResult
	process agentrun.Process
}

// of is what was told of the call with that id. Of what an earlier version stored it is not known in which process.
func (k knownResults) of(id string) (o agentrun.TimedResult, ok bool) {
	if o, ok = k.told[agentrun.ProcessCallID{Process: k.process, ID: id}]; !ok && k.process != 0 {
		o, ok = k.told[agentrun.ProcessCallID{Process: 0, ID: id}]
	}
	return o, ok
}

// of is what a model was told of a call that was made at that time. Where ids count up, it is the next thing told.
func (r shownResults) of(id string, made pcommon.Timestamp) (agentrun.ToolResult, bool) {
	if agentrun.IsUniqueCallID(id) {
		told, ok := r.known.of(id)
		return told.ToolResult, ok
	}
	told := r.repeatable[id]
	next := sort.Search(len(told), func(i int) bool {
		*r.work++
		return told[i].At >= made
	})
	if next == len(told) {
		return agentrun.ToolResult{}, false
	}
	return told[next].ToolResult, true
}

// pendingCall is the call itself, where no tool span tells of it. It began when the model had answered.
func (q *request) pendingCall() agentrun.PendingCall {
	r := agentrun.PendingCall{
		ID: q.by.ID, Parent: q.by.Parent, Start: q.by.End, End: q.by.End, Process: q.by.Process, Scope: q.scope,
		Name: unique.Make(q.Name), CallID: q.ID, Rank: rankOf(q.place), Source: agentrun.SourceModel,
	}
	if q.Arguments != (scoring.Payload{}) {
		r.Payloads = &agentrun.CallPayloads{Arguments: q.Arguments}
	}
	return r
}

// addRequest fills in what the model asked for, and the call's place in its response.
func addRequest(r *agentrun.PendingCall, q *request) {
	asked := &q.ToolRequest
	if r.CallID == "" {
		r.CallID, r.Rank = asked.ID, rankOf(q.place)
	}
	if r.Traits.NormalizedName {
		r.Name, r.Traits.NormalizedName = unique.Make(asked.Name), false
	}
	if asked.Arguments == (scoring.Payload{}) || r.Arguments().Captured() && !r.Traits.UnnamedArgument {
		return
	}
	p := agentrun.CallPayloads{}
	if r.Payloads != nil {
		p = *r.Payloads
	}
	p.Arguments, r.Traits.UnnamedArgument = asked.Arguments, false
	r.Payloads = &p
}

// addResult fills in what the model was told of the outcome.
func addResult(r *agentrun.PendingCall, told shownResults) {
	result, ok := told.of(r.CallID, r.Start)
	if !ok {
		return
	}
	if result.Failed && r.Status == scoring.StatusUnset {
		r.Status = scoring.StatusFailed
	}
	if result.Output == (scoring.Payload{}) || r.Payloads != nil && r.Payloads.Output.Captured() {
		return
	}
	p := agentrun.CallPayloads{}
	if r.Payloads != nil {
		p = *r.Payloads
	}
	p.Output = result.Output
	r.Payloads = &p
}
