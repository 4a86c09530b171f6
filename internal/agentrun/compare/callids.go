package compare

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// CallIDs are the ids and names of calls. Few are compared, and more are hashed.
type CallIDs struct {
	calls  []agentrun.PendingCall
	hashed CallIndex[int]
}

// few is how many calls are compared with each other faster than hashed.
const few = 16

// CallIDsOf returns the ids and names of calls, which must not change from then on.
func CallIDsOf(calls []agentrun.PendingCall) CallIDs {
	ids := CallIDs{calls: calls}
	if len(calls) > few {
		for i := range calls {
			ids.hashed.Add(calls[i].CallID, calls[i].Name.Value(), i)
		}
	}
	return ids
}

// Have reports whether one of the calls is certainly the requested one.
func (ids *CallIDs) Have(q *agentrun.ToolRequest) bool {
	if len(ids.calls) > few {
		_, known := ids.hashed.Find(q.ID, q.Name)
		return known
	}
	for i := range ids.calls {
		if r := &ids.calls[i]; r.CallID == q.ID && toolname.Same(r.Name.Value(), q.Name) {
			return true
		}
	}
	return false
}
