package calltimes

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A gap is a time in which a task had several messages, and nothing says more about their time.
type gap struct {
	trace   pcommon.TraceID
	group   pcommon.SpanID
	task    int
	process agentrun.Process
	scoring.Interval
}

// order gives the calls that only the span of a group recorded the order of its messages. Messages in one gap get a moment
// each, one after the other. Times cannot say that calls of one task have an order and have none with another call. So if
// another call of the run's process began or ended in the gap, the calls have the time of the gap, without an order.
func order(calls []scoring.Call, of []agentrun.Call) {
	gaps, began := make(map[gap][]int), make(map[scoring.Interval]gap)
	edges := make(map[agentrun.Process][]uint64) // when calls began and ended
	shared := make(map[scoring.Interval]bool)
	for i := range of {
		t := calls[i].Time
		edges[of[i].Process] = append(edges[of[i].Process], t.Start, t.End)
		if !of[i].FromGroup() {
			continue
		}
		g := gap{of[i].Trace, of[i].Message.Group, of[i].Message.Task, of[i].Process, t}
		gaps[g] = append(gaps[g], i)
		if other, known := began[t]; known && other != g {
			shared[t] = true
		}
		began[t] = g
	}
	for _, e := range edges {
		slices.Sort(e)
	}
	for g, in := range gaps {
		if !shared[g.Interval] && isEmpty(edges[g.process], g.Interval) && isEmpty(edges[0], g.Interval) {
			place(calls, of, in, g.Interval)
		}
	}
}

// isEmpty reports whether nothing began or ended between the start and the end of t.
func isEmpty(edges []uint64, t scoring.Interval) bool {
	next, _ := slices.BinarySearch(edges, t.Start+1)
	return next == len(edges) || edges[next] >= t.End
}

// place gives calls of one gap their moments, if there is room for a moment of each message.
func place(calls []scoring.Call, of []agentrun.Call, in []int, t scoring.Interval) {
	slices.SortFunc(in, func(a, b int) int { return cmp.Compare(of[a].Message.Number, of[b].Message.Number) })
	messages := uint64(1)
	for k := range in[1:] {
		if of[in[k]].Message.Number != of[in[k+1]].Message.Number {
			messages++
		}
	}
	if messages == 1 || t.End-t.Start <= messages {
		return
	}
	moment := t.Start
	for k, i := range in {
		if k == 0 || of[in[k-1]].Message.Number != of[i].Message.Number {
			moment++
		}
		calls[i].Time = scoring.Interval{Start: moment, End: moment}
	}
}
