package calltimes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// SetAskedBy sets for the calls of a run which response asked for them, if it asked for several, and which message of a group. A
// call and its request have one ID and one tool, because a model may use an ID again for another tool. If two responses have a
// request of a call, because two instrumentations recorded it, the first one counts. The requests of a group are of many
// responses: see [narrow] for what its messages say. The responses and the calls are in order, and the calls are in order again.
func SetAskedBy(calls []agentrun.Call, responses []agentrun.ModelResponse) (w compare.Work) {
	var by requested[pcommon.SpanID]
	var messages requested[*agentrun.Message]
	for i := range responses {
		a := &responses[i]
		if w++; a.Shares != nil {
			w += compare.Work(len(a.Requests))
			addShares(&messages, a)
			continue
		}
		if len(a.Requests) < 2 {
			continue
		}
		w += compare.Work(len(a.Requests))
		index := by.of(a.Process)
		for _, q := range a.Requests {
			index.FindOrAdd(q.ID, q.Name, a.ID)
		}
	}
	if by == nil && messages == nil {
		return w
	}
	for i := range calls {
		calls[i].AskedBy, calls[i].Message = by.find(&calls[i]), messages.find(&calls[i])
	}
	w += compare.Work(len(calls))
	if messages != nil {
		w += narrow(calls)
	}
	return w
}

// requested has what asked for calls, by process, call ID and tool.
type requested[T any] map[agentrun.Process]*compare.CallIndex[T]

// of is the index of a process.
func (r *requested[T]) of(p agentrun.Process) *compare.CallIndex[T] {
	index := (*r)[p]
	if index == nil {
		index = new(compare.CallIndex[T])
		if *r == nil {
			*r = make(requested[T])
		}
		(*r)[p] = index
	}
	return index
}

// find is what asked for a call.
func (r requested[T]) find(c *agentrun.Call) (asked T) {
	if index := r[c.Process]; index != nil {
		asked, _ = index.Find(c.CallID, c.Name)
	}
	return asked
}

// addShares adds the messages of a group.
func addShares(messages *requested[*agentrun.Message], a *agentrun.ModelResponse) {
	index, requests := messages.of(a.Process), a.Requests
	for _, share := range *a.Shares {
		for number, n := range share.Messages {
			m := &agentrun.Message{Group: a.ID, Task: share.Task, Number: number}
			for _, q := range requests[:n] {
				index.FindOrAdd(q.ID, q.Name, m)
			}
			requests = requests[n:]
		}
	}
}
