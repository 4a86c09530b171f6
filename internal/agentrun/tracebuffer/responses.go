package tracebuffer

import (
	"cmp"
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// AddResponse writes down what a model call tells of tool calls. If that is about a run that has closed, it is late: it is not
// written down, and late is by how much.
func (b *Buffer) AddResponse(now time.Time, a agentrun.ModelResponse) (late time.Duration, isLate bool) {
	t, late, isLate := b.traceFor(now, a.Span)
	if isLate {
		return late, true
	}
	b.touch(t, now)
	b.addParent(t, a.Span)
	b.storeResponse(t, a)
	return 0, false
}

// storeResponse writes down a response of t.
func (b *Buffer) storeResponse(t *trace, a agentrun.ModelResponse) {
	if b.set.Sources == agentrun.Messages || b.set.Sources == agentrun.Auto && a.MessagesOnly {
		t.called = true
		b.resize(t, t.processTable.add(a.Process, hasCalls))
	}
	b.resize(t, t.addResponse(b.keepNeeded(a), b.set.MaxCalls, &b.resolver.work))
}

// keepNeeded is of a response what somebody will read. Its payloads may be parts of the whole response, which they would keep
// alive.
func (b *Buffer) keepNeeded(a agentrun.ModelResponse) agentrun.ModelResponse {
	for i := range a.Requests {
		asked := &a.Requests[i]
		asked.Arguments = b.set.KeptArguments(asked.Arguments).Clone()
	}
	for i := range a.Results {
		result := &a.Results[i]
		result.Output = b.set.KeptOutput(result.Output).Clone()
	}
	return a
}

// addResponse returns by how many bytes t grew. What a response repeats of a retried export is dropped, and what is over
// the limit of calls is not kept.
func (t *trace) addResponse(a agentrun.ModelResponse, limit int, w *compare.Work) int {
	freed := 0
	if len(t.responses) >= max(firstRepeats, int(t.nextResponses)) {
		freed = t.dropRepeatedResponses(w)
		t.nextResponses = twice(len(t.responses))
	}
	known := t.toolResultsSize
	*w += compare.Work(1 + len(a.Requests) + len(a.Results))
	t.addToolResults(&a)
	grown := t.toolResultsSize - known
	if t.requestCount+len(a.Requests) > limit {
		t.leaveOut(a.Span)
		return grown - freed
	}
	t.requestCount += len(a.Requests)
	t.responses = append(t.responses, a)
	return grown + responseSize(&a) - freed
}

// maxToolResults is how many results are kept of a response whose call ids mean nothing by themselves.
const maxToolResults = 64

// addToolResults notes the results of a response. A model is told of all results of its turn again and again, so they are kept
// once for the trace: as the model that answered first was told. Only a model call that is a root keeps its own, which lead to the step before,
// and those whose ids mean nothing by themselves stay where they are.
func (t *trace) addToolResults(a *agentrun.ModelResponse) {
	repeatable := 0
	told := len(a.Results)
	a.Results = slices.DeleteFunc(a.Results, func(r agentrun.ToolResult) bool {
		if !agentrun.IsUniqueCallID(r.ID) {
			repeatable++
			return repeatable < told-maxToolResults // the newest stand last
		}
		t.addToolResult(a.Process, agentrun.TimedResult{ToolResult: r, At: a.Start})
		return !a.Parent.IsEmpty() || a.OfAgent
	})
	if len(a.Results) < cap(a.Results)/2 { // which would stay alive for the few that are left
		a.Results = slices.Clone(a.Results)
	}
}

// addToolResult keeps of several outcomes of a call that a process tells the first one. It returns by how many bytes t grew.
func (t *trace) addToolResult(p agentrun.Process, o agentrun.TimedResult) int {
	if t.toolResults == nil {
		t.toolResults = make(map[agentrun.ProcessCallID]agentrun.TimedResult)
	}
	before, id := t.toolResultsSize, agentrun.ProcessCallID{Process: p, ID: o.ID}
	known, again := t.toolResults[id]
	switch {
	case !again:
		t.toolResultsSize += toolResultBytes + len(o.ID) + o.Output.Size()
		t.toolResults[id] = o
	case compareResults(o, known) < 0:
		t.toolResultsSize += o.Output.Size() - known.Output.Size()
		t.toolResults[id] = o
	}
	return t.toolResultsSize - before
}

func compareResults(a, b agentrun.TimedResult) int {
	return cmp.Or(cmp.Compare(a.At, b.At), a.Output.Compare(b.Output))
}

// dropRepeatedResponses puts the responses in order, keeps one of those with the same span, and returns how many bytes
// that freed.
func (t *trace) dropRepeatedResponses(w *compare.Work) (freed int) {
	*w += compare.Work(len(t.responses))
	slices.SortFunc(t.responses, func(a, b agentrun.ModelResponse) int {
		if order := cmp.Or(agentrun.CompareSpans(a.Span, b.Span), cmp.Compare(len(b.Requests), len(a.Requests)), cmp.Compare(len(b.Results), len(a.Results))); order != 0 {
			return order
		}
		return slices.CompareFunc(a.Requests, b.Requests, compareRequests)
	})
	kept := t.responses[:0]
	for _, a := range t.responses {
		if n := len(kept); n > 0 && kept[n-1].Key() == a.Key() && !a.ID.IsEmpty() {
			if kept[n-1].Includes(&a) {
				freed += responseSize(&a)
				t.requestCount -= len(a.Requests)
				continue
			}
			t.contradicted = true
		}
		kept = append(kept, a)
	}
	clear(t.responses[len(kept):])
	t.responses = kept
	return freed
}

func compareRequests(a, b agentrun.ToolRequest) int {
	if order := cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)); order != 0 {
		return order
	}
	return agentrun.ComparePayloads(a.Arguments, b.Arguments)
}

// responseSize is what a keeps alive.
func responseSize(a *agentrun.ModelResponse) int {
	size := responseBytes + len(a.Answered) + (len(a.Requests)+len(a.Results))*requestBytes
	for i := range a.Requests {
		size += len(a.Requests[i].ID) + len(a.Requests[i].Name) + a.Requests[i].Arguments.Size()
	}
	for i := range a.Results {
		size += len(a.Results[i].ID) + a.Results[i].Output.Size()
	}
	return size
}

// ranks are the places of calls in the responses of models, by call id and process; those in the first place have none. Of
// an id that stands in several answers, the lowest place counts.
func (t *trace) ranks() map[agentrun.ProcessCallID]uint16 {
	var ranks map[agentrun.ProcessCallID]uint16
	for i := range t.responses {
		asked := t.responses[i].Requests
		for place := 1; place < len(asked); place++ {
			id := agentrun.ProcessCallID{Process: t.responses[i].Process, ID: asked[place].ID}
			if id.ID == "" {
				continue
			}
			if ranks == nil {
				ranks = make(map[agentrun.ProcessCallID]uint16)
			}
			at := rankOf(place)
			if known, ok := ranks[id]; ok {
				at = min(at, known)
			}
			ranks[id] = at
		}
	}
	return ranks
}

// setAskedBy notes for the calls of a run which response asked for them, if it asked for several. If two responses have a
// request of one ID, because two instrumentations wrote them, the first one counts. The responses are in order.
func setAskedBy(calls []agentrun.Call, responses []agentrun.ModelResponse) (w compare.Work) {
	var by map[agentrun.ProcessCallID]pcommon.SpanID
	for i := range responses {
		a := &responses[i]
		if w++; len(a.Requests) < 2 {
			continue
		}
		w += compare.Work(len(a.Requests))
		for _, q := range a.Requests {
			id := agentrun.ProcessCallID{Process: a.Process, ID: q.ID}
			if _, known := by[id]; known || !agentrun.IsUniqueCallID(q.ID) {
				continue
			}
			if by == nil {
				by = make(map[agentrun.ProcessCallID]pcommon.SpanID)
			}
			by[id] = a.ID
		}
	}
	if by == nil {
		return w
	}
	for i := range calls {
		calls[i].AskedBy = by[agentrun.ProcessCallID{Process: calls[i].Process, ID: calls[i].CallID}]
	}
	return w + compare.Work(len(calls))
}

// rankOf is the rank of a place in a response.
func rankOf(place int) uint16 { return uint16(min(place, math.MaxUint16)) }
