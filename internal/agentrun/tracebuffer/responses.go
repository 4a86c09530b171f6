package tracebuffer

import (
	"cmp"
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/reconcile"
)

// AddResponse adds a model response. If it is about a run that has closed, it is late: it is not added, and late says by how
// much.
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
	b.resize(t, t.addResponse(b.keepNeeded(a), b.set.MaxCalls, &b.work))
}

// keepNeeded returns the parts of a response that will be read. Its payloads may be parts of the whole response, and would
// keep it alive.
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

// addResponse returns by how many bytes t grew. Copies from retried exports are dropped, and requests over the limit of
// calls are not kept.
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
	return grown + a.Retained() - freed
}

// maxToolResults bounds how many results of a response are kept whose call IDs are not unique.
const maxToolResults = 64

// addToolResults adds the results in a response. A model is shown all results of its turn again and again, so the trace
// keeps each once: as the first model call had it. Only a model call that is a root keeps its own results, which lead to the
// step before. Results whose call IDs are not unique stay in the response.
func (t *trace) addToolResults(a *agentrun.ModelResponse) {
	repeatable := 0
	told := len(a.Results)
	a.Results = slices.DeleteFunc(a.Results, func(r agentrun.ToolResult) bool {
		if !agentrun.IsUniqueCallID(r.ID) {
			repeatable++
			return repeatable < told-maxToolResults // the newest are last
		}
		t.addToolResult(a.Process, agentrun.TimedResult{ToolResult: r, At: a.Start})
		return !a.Parent.IsEmpty() || a.OfAgent
	})
	if len(a.Results) < cap(a.Results)/2 { // which would stay alive for the few that are left
		a.Results = slices.Clone(a.Results)
	}
}

// addToolResult keeps the first result of a call that a process recorded. It returns by how many bytes t grew.
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

// dropRepeatedResponses drops repeated responses of t, and returns how many bytes that freed.
func (t *trace) dropRepeatedResponses(w *compare.Work) (freed int) {
	d := reconcile.DropRepeatedResponses(t.responses, w)
	t.responses, t.requestCount, t.contradicted = d.Kept, t.requestCount-d.Requests, t.contradicted || d.Contradicted
	return d.Freed
}
