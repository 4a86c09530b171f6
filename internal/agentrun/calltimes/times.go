package calltimes

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A modelRequest is a model's response that asked for several calls, or a message of a group.
type modelRequest struct {
	trace   pcommon.TraceID
	model   pcommon.SpanID
	message *agentrun.Message
}

// Set says when calls ran, for methods that ask which calls have no order among each other. Calls that one response of
// a model asked for have none, even if they ran one after another. So each of them gets the time from the first start to the
// last end of all of them. For calls that only the span of a group recorded, see [order].
func Set(calls []scoring.Call, of []agentrun.Call) {
	var together map[modelRequest]scoring.Interval
	unseen := false
	for i := range of {
		calls[i].Time = timeOf(&of[i])
		by, known := requestOf(&of[i])
		if unseen = unseen || of[i].FromGroup(); !known {
			continue
		}
		if together == nil {
			together = make(map[modelRequest]scoring.Interval)
		}
		t := calls[i].Time
		if others, ok := together[by]; ok {
			t.Start, t.End = min(t.Start, others.Start), max(t.End, others.End)
		}
		together[by] = t
	}
	if together != nil {
		for i := range of {
			if by, known := requestOf(&of[i]); known {
				calls[i].Time = together[by]
			}
		}
	}
	if unseen {
		order(calls, of)
	}
}

// requestOf returns what asked for a call and perhaps for others. A call that only a group recorded is ordered with calls of
// other messages, but not with those of its own: see [narrow].
func requestOf(c *agentrun.Call) (by modelRequest, known bool) {
	switch {
	case c.FromGroup():
		return by, false
	case !c.AskedBy.IsEmpty():
		return modelRequest{trace: c.Trace, model: c.AskedBy}, true
	case c.Message != nil:
		return modelRequest{trace: c.Trace, message: c.Message}, true
	}
	return by, false
}

// timeOf is when a call ran. A call without a start may have run at any time.
func timeOf(c *agentrun.Call) scoring.Interval {
	if c.Start == 0 {
		return scoring.Interval{End: math.MaxUint64}
	}
	return scoring.Interval{Start: uint64(c.Start), End: uint64(max(c.Start, c.End))}
}
