package tracebuffer

import (
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
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
	b.storeResponse(t, &a)
	return 0, false
}

// storeResponse writes down a response of t.
func (b *Buffer) storeResponse(t *trace, a *agentrun.ModelResponse) {
	if a.Shares == nil && (b.set.Sources == agentrun.Messages || b.set.Sources == agentrun.Auto && a.MessagesOnly) {
		t.called = true
		b.resize(t, t.processTable.Add(a.Process, byprocess.HasCalls))
	}
	b.keepNeeded(a)
	b.resize(t, t.addResponse(a, b.set.MaxCalls, &b.work))
}

// keepNeeded drops the parts of a response that will not be read. Its payloads may be parts of the whole response, and would
// keep that alive, so they are copied.
func (b *Buffer) keepNeeded(a *agentrun.ModelResponse) {
	for i := range a.Requests {
		request := &a.Requests[i]
		request.Arguments = b.set.KeptArguments(request.Arguments).Clone()
	}
	for i := range a.Results {
		result := &a.Results[i]
		result.Output = b.set.KeptOutput(result.Output).Clone()
	}
}

// addResponse returns by how many bytes t grew. Copies from retried exports are dropped, and requests over the limit of
// calls are not kept.
func (t *trace) addResponse(a *agentrun.ModelResponse, limit int, w *compare.Work) int {
	freed := 0
	if len(t.responses) >= max(firstRepeats, int(t.nextResponses)) {
		freed = t.dropRepeatedResponses(w)
		t.nextResponses = twice(len(t.responses))
	}
	*w += compare.Work(1 + len(a.Requests) + len(a.Results))
	grown := t.toolResults.Take(a)
	if t.requestCount+len(a.Requests) > limit {
		t.leaveOut(a.Span)
		return grown - freed
	}
	t.requestCount += len(a.Requests)
	t.responses = append(t.responses, *a)
	return grown + a.Retained() - freed
}

// dropRepeatedResponses drops repeated responses of t, and returns how many bytes that freed.
func (t *trace) dropRepeatedResponses(w *compare.Work) (freed int) {
	d := copies.DropResponses(t.responses, w)
	t.responses, t.requestCount, t.contradicted = d.Kept, t.requestCount-d.Requests, t.contradicted || d.Contradicted
	return d.Freed
}
