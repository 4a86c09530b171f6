package calltimes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// SetAskedBy sets for the calls of a run which response asked for them, if it asked for several, and which message of a group. If
// two responses have a request of one ID, because two instrumentations recorded it, the first one counts. The requests of a
// group are of many responses: see [narrow] for what its messages say. The responses and the calls are in order, and the calls
// are in order again.
func SetAskedBy(calls []agentrun.Call, responses []agentrun.ModelResponse) (w compare.Work) {
	var by map[agentrun.ProcessCallID]pcommon.SpanID
	var messages map[agentrun.ProcessCallID]*agentrun.Message
	for i := range responses {
		a := &responses[i]
		if w++; a.Shares != nil {
			w += compare.Work(len(a.Requests))
			messages = addMessages(messages, a)
			continue
		}
		if len(a.Requests) < 2 {
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
	if by == nil && messages == nil {
		return w
	}
	for i := range calls {
		id := agentrun.ProcessCallID{Process: calls[i].Process, ID: calls[i].CallID}
		calls[i].AskedBy, calls[i].Message = by[id], messages[id]
	}
	w += compare.Work(len(calls))
	if messages != nil {
		w += narrow(calls)
	}
	return w
}

// addMessages adds the messages of a group.
func addMessages(messages map[agentrun.ProcessCallID]*agentrun.Message, a *agentrun.ModelResponse) map[agentrun.ProcessCallID]*agentrun.Message {
	if messages == nil {
		messages = make(map[agentrun.ProcessCallID]*agentrun.Message, len(a.Requests))
	}
	requests := a.Requests
	for _, share := range *a.Shares {
		for number, n := range share.Messages {
			m := &agentrun.Message{Group: a.ID, Task: share.Task, Number: number}
			for _, q := range requests[:n] {
				id := agentrun.ProcessCallID{Process: a.Process, ID: q.ID}
				if _, known := messages[id]; !known && agentrun.IsUniqueCallID(q.ID) {
					messages[id] = m
				}
			}
			requests = requests[n:]
		}
	}
	return messages
}
