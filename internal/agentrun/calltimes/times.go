package calltimes

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A modelRequest is a model's response that asked for several calls.
type modelRequest struct {
	trace pcommon.TraceID
	model pcommon.SpanID
}

// Set says when calls ran, for methods that ask which calls have no order among each other. Calls that one response of
// a model asked for have none, even if they ran one after another. So each of them gets the time from the first start to the
// last end of all of them.
func Set(calls []scoring.Call, of []agentrun.Call) {
	var together map[modelRequest]scoring.Interval
	for i := range of {
		calls[i].Time = timeOf(&of[i])
		if of[i].AskedBy.IsEmpty() {
			continue
		}
		if together == nil {
			together = make(map[modelRequest]scoring.Interval)
		}
		by, t := modelRequest{of[i].Trace, of[i].AskedBy}, calls[i].Time
		if others, ok := together[by]; ok {
			t.Start, t.End = min(t.Start, others.Start), max(t.End, others.End)
		}
		together[by] = t
	}
	if together == nil {
		return
	}
	for i := range of {
		if !of[i].AskedBy.IsEmpty() {
			calls[i].Time = together[modelRequest{of[i].Trace, of[i].AskedBy}]
		}
	}
}

// timeOf is when a call ran. A call without a start may have run at any time.
func timeOf(c *agentrun.Call) scoring.Interval {
	if c.Start == 0 {
		return scoring.Interval{End: math.MaxUint64}
	}
	return scoring.Interval{Start: uint64(c.Start), End: uint64(max(c.Start, c.End))}
}
