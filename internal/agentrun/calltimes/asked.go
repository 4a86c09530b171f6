package calltimes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// SetAskedBy sets for the calls of a run which response asked for them, if it asked for several. If two responses have a
// request of one ID, because two instrumentations recorded it, the first one counts. The requests of a group are of many
// responses, so they do not count. The responses are in order.
func SetAskedBy(calls []agentrun.Call, responses []agentrun.ModelResponse) (w compare.Work) {
	var by map[agentrun.ProcessCallID]pcommon.SpanID
	for i := range responses {
		a := &responses[i]
		if w++; len(a.Requests) < 2 || a.Shares != nil {
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
