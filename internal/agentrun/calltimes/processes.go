package calltimes

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Begun is the start of the first call or response.
func Begun(calls []agentrun.PendingCall, responses []agentrun.ModelResponse) pcommon.Timestamp {
	first := pcommon.Timestamp(math.MaxUint64)
	for i := range calls {
		first = min(first, calls[i].Start)
	}
	for i := range responses {
		first = min(first, responses[i].Start)
	}
	return first
}

// ByProcess returns, for each process with calls, the time from the start of the first call to the end of the last one. For a
// run without calls it is the time of its model calls.
func ByProcess(id pcommon.TraceID, calls []agentrun.Call, responses []agentrun.ModelResponse) (times []agentrun.Span) {
	at := make(map[agentrun.Process]int)
	add := func(start, end pcommon.Timestamp, process agentrun.Process) {
		n, again := at[process]
		if !again {
			n = len(times)
			at[process], times = n, append(times, agentrun.Span{Trace: id, Start: start, Process: process})
		}
		times[n].Start, times[n].End = min(times[n].Start, start), max(times[n].End, end)
	}
	for i := range calls {
		add(calls[i].Start, calls[i].End, calls[i].Process)
	}
	for i := range responses {
		if len(calls) == 0 {
			add(responses[i].Start, responses[i].End, responses[i].Process)
		}
	}
	return times
}

// Around returns the span of a run with a time that contains all its calls. A call that the run has by time alone may have
// begun before the run.
func Around(s agentrun.Span, calls []agentrun.Call) agentrun.Span {
	for i := range calls {
		s.Start, s.End = min(s.Start, calls[i].Start), max(s.End, calls[i].End)
	}
	return s
}
