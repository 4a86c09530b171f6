package tracebuffer

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/closedruns"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
)

// tracePool keeps retired traces for reuse. Without it, a trace and its lists are eleven allocations for each run: see
// BenchmarkConsumeTraces/spans=agent.
type tracePool struct {
	traces []*trace
	most   int // how many there may be
	bytes  int // that they keep alive
}

const (
	// maxSpare is how many traces are kept at most, and one for every spareShare that are remembered.
	maxSpare   = 64
	spareShare = 16
	// Longer lists than these are not kept.
	spareRecords = 4
)

func newTracePool(remembered int) tracePool {
	return tracePool{most: min(remembered/spareShare, maxSpare)}
}

// take returns an empty trace.
func (s *tracePool) take() *trace {
	last := len(s.traces) - 1
	if last < 0 {
		return &trace{parents: parents.New()}
	}
	t := s.traces[last]
	s.traces[last] = nil
	s.traces = s.traces[:last]
	s.bytes -= t.room()
	return t
}

// give takes a retired trace back. It keeps nothing of its spans alive. While a deadline points to the trace, it cannot be
// reused, and stays retired.
func (s *tracePool) give(t *trace) {
	if t.deadlines > 0 || len(s.traces) >= s.most {
		*t = trace{gone: true, deadlines: t.deadlines}
		return
	}
	*t = trace{
		parents: t.parents.Emptied(), calls: emptied(t.calls, spareRecords), responses: emptied(t.responses, spareRecords),
		waiting: emptied(t.waiting, spareRecords), awaitedAnchors: emptied(t.awaitedAnchors, spareRecords),
		closedRuns: emptied(t.closedRuns, spareRecords),
	}
	s.traces = append(s.traces, t)
	s.bytes += t.room()
}

// takeBack gives a retired trace the lists of its only candidate. The run has copies of their contents.
func (t *trace) takeBack(candidates []ownership.Candidate) {
	if len(candidates) != 1 {
		return
	}
	if calls := candidates[0].Calls; cap(calls) > 0 {
		t.calls = calls[:0]
	}
	if responses := candidates[0].Responses; cap(responses) > 0 {
		t.responses = responses[:0]
	}
}

// emptied returns list without elements and references. It is nil if its capacity is over most.
func emptied[T any](list []T, most int) []T {
	if cap(list) > most {
		return nil
	}
	clear(list[:cap(list)])
	return list[:0]
}

// room is how many bytes an empty trace keeps alive.
func (t *trace) room() int {
	return traceBytes + t.parents.Room() + cap(t.calls)*agentrun.PendingCallBytes + cap(t.responses)*agentrun.ModelResponseBytes +
		cap(t.waiting)*anchorBytes + cap(t.awaitedAnchors)*awaitedBytes + cap(t.closedRuns)*closedruns.RunBytes
}
