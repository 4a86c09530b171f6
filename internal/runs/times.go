package runs

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A modelRequest is a model's response that asked for several calls, or a message of a group.
type modelRequest struct {
	trace   pcommon.TraceID
	model   pcommon.SpanID
	message Message
}

// SetTimes says when calls ran, for methods that ask which calls have no order among each other. Calls that one response of a model
// asked for have none, even if they ran one after another. So each of them gets the time from the first start to the last end of all
// of them. For calls that only the span of a group recorded, see orderMessages.
func SetTimes(calls []scoring.Call, of []Call) {
	var together map[modelRequest]scoring.Interval
	unseen := false
	for i := range of {
		calls[i].Time = timeOfCall(&of[i])
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
		orderMessages(calls, of)
	}
}

// requestOf returns what asked for a call and perhaps for others. A call that only a group recorded is ordered with calls of other
// messages, but not with those of its own: see narrow.
func requestOf(c *Call) (by modelRequest, known bool) {
	switch {
	case c.FromGroup():
		return by, false
	case !c.AskedBy.IsEmpty():
		return modelRequest{trace: c.Trace, model: c.AskedBy}, true
	case c.Message != nil:
		return modelRequest{trace: c.Trace, message: *c.Message}, true
	}
	return by, false
}

// timeOfCall is when a call ran. A call without a start may have run at any time.
func timeOfCall(c *Call) scoring.Interval {
	if c.Start == 0 {
		return scoring.Interval{End: math.MaxUint64}
	}
	return scoring.Interval{Start: uint64(c.Start), End: uint64(max(c.Start, c.End))}
}

// A gap is a time in which a task had several messages, and nothing says more about their time.
type gap struct {
	trace pcommon.TraceID
	group pcommon.SpanID
	task  int
	scoring.Interval
}

// orderMessages gives the calls that only the span of a group recorded the order of its messages. Messages in one gap get a moment
// each, one after the other. Times cannot say that calls of one task have an order and have none with another call. So if another call
// began or ended in the gap, the calls have the time of the gap, without an order.
func orderMessages(calls []scoring.Call, of []Call) {
	gaps, began := make(map[gap][]int), make(map[scoring.Interval]gap)
	var edges []uint64 // when calls began and ended
	shared := make(map[scoring.Interval]bool)
	for i := range of {
		t := calls[i].Time
		edges = append(edges, t.Start, t.End)
		if !of[i].FromGroup() {
			continue
		}
		g := gap{of[i].Trace, of[i].Message.Group, of[i].Message.Task, t}
		gaps[g] = append(gaps[g], i)
		if other, known := began[t]; known && other != g {
			shared[t] = true
		}
		began[t] = g
	}
	slices.Sort(edges)
	for g, in := range gaps {
		if next, _ := slices.BinarySearch(edges, g.Start+1); !shared[g.Interval] && (next == len(edges) || edges[next] >= g.End) {
			placeMessages(calls, of, in, g.Interval)
		}
	}
}

// placeMessages gives calls of one gap their moments, if there is room for a moment of each message.
func placeMessages(calls []scoring.Call, of []Call, in []int, t scoring.Interval) {
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

// maxSpellings bounds how many names of calls and of tools are compared at once.
const maxSpellings = 1 << 16

// MayMean reports whether a call may be of a tool whose name it has in another spelling. The span of such a call has lost the case or
// the separators of the name.
func MayMean(calls []Call, tools []scoring.Tool) bool {
	compared := 0
	for i := range calls {
		if !calls[i].NormalizedName {
			continue
		}
		name := toolname.Folded(calls[i].Name)
		for k := range tools {
			for _, pattern := range append([]string{tools[k].Name}, tools[k].Names...) {
				if compared++; compared > maxSpellings {
					return true
				}
				if pattern != "" && pattern != calls[i].Name && !scoring.MatchesName(pattern, calls[i].Name) && scoring.MatchesName(foldedPattern(pattern), name) {
					return true
				}
			}
		}
	}
	return false
}

// foldedPattern is a name or pattern without case and separators.
func foldedPattern(pattern string) string {
	parts := strings.Split(pattern, "*")
	for i := range parts {
		parts[i] = toolname.Folded(parts[i])
	}
	return strings.Join(parts, "*")
}
