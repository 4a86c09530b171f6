package runs

import (
	"cmp"
	"math"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
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
		t := calls[i].Time
		if others, ok := together[by]; ok {
			t.Start, t.End = min(t.Start, others.Start), max(t.End, others.End)
		}
		put(&together, by, t)
	}
	for i := range of {
		if by, known := requestOf(&of[i]); known {
			calls[i].Time = together[by]
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
	gaps, tasks := make(map[gap][]int), make(map[scoring.Interval]int)
	var edges []uint64 // when calls began and ended
	for i, c := range each(of) {
		t := calls[i].Time
		if edges = append(edges, t.Start, t.End); c.FromGroup() {
			g := gap{c.Trace, c.Message.Group, c.Message.Task, t}
			gaps[g] = append(gaps[g], i)
		}
	}
	slices.Sort(edges)
	for g := range gaps {
		tasks[g.Interval]++
	}
	for g, in := range gaps {
		if next, _ := slices.BinarySearch(edges, g.Start+1); tasks[g.Interval] == 1 && (next == len(edges) || edges[next] >= g.End) {
			placeMessages(calls, of, in, g.Interval)
		}
	}
}

// placeMessages gives calls of one gap their moments, if there is room for a moment of each message.
func placeMessages(calls []scoring.Call, of []Call, in []int, t scoring.Interval) {
	slices.SortFunc(in, func(a, b int) int { return cmp.Compare(of[a].Message.Number, of[b].Message.Number) })
	moments := make([]uint64, len(in))
	last := t.Start
	for k, i := range in {
		if k == 0 || of[in[k-1]].Message.Number != of[i].Message.Number {
			last++
		}
		moments[k] = last
	}
	if last == t.Start+1 || last >= t.End { // one message, or no room
		return
	}
	for k, i := range in {
		calls[i].Time = scoring.Interval{Start: moments[k], End: moments[k]}
	}
}

// setAskedBy sets for the calls of a run which response asked for them, if it asked for several, and which message of a group. A
// call and its request have one ID and one tool, because a model may use an ID again for another tool. If two responses have a
// request of a call, because two instrumentations recorded it, the first one counts. The requests of a group are of many responses:
// see narrow for what its messages say. The calls are in order, before and after.
func (r *run) setAskedBy() {
	var by callIndex[pcommon.SpanID]
	var messages callIndex[*Message]
	for _, a := range r.responses {
		if a.Response.Shares != nil {
			addMessages(&messages, a)
			continue
		}
		if len(a.Response.Requests) < 2 || a.Response.IsTranscript() {
			continue
		}
		for _, q := range a.Response.Requests {
			by.findOrAdd(q.ID, q.Name, a.ID)
		}
	}
	if by == nil && messages == nil {
		return
	}
	for _, c := range each(r.calls) {
		c.AskedBy, _ = by.find(c.CallID, c.Name)
		c.Message, _ = messages.find(c.CallID, c.Name)
	}
	if messages != nil {
		narrow(r.calls)
	}
}

// addMessages adds the messages of a group.
func addMessages(messages *callIndex[*Message], a *evidence.Fact) {
	requests := a.Response.Requests
	for i := range a.Response.Shares {
		for number, n := range a.Response.Shares[i].Messages {
			m := &Message{Group: a.ID, Task: a.Response.Shares[i].Task, Number: number}
			for _, q := range requests[:min(n, len(requests))] {
				messages.findOrAdd(q.ID, q.Name, m)
			}
			requests = requests[min(n, len(requests)):]
		}
	}
}

// message has the calls of one message.
type message struct {
	Message
	known  evidence.Span // the time of calls that other spans recorded; never if there are none
	unseen []int         // calls that only the group's span recorded
}

// never is no time. If a time is added to it, the result is that time.
var never = evidence.Span{Start: ^pcommon.Timestamp(0)}

// addTime extends the time of s by that of o.
func addTime(s, o *evidence.Span) { s.Start, s.End = min(s.Start, o.Start), max(s.End, o.End) }

// narrow sets the times of calls that only the spans of groups recorded. Messages of one task have an order, so such a call was
// after those of earlier messages and before those of later ones. If other spans recorded calls of its message, it was in their
// time. If times contradict the messages, it keeps the time of the run.
//
//	messages           fetch | search | book
//	other spans                search from 4 to 5
//	the run            2 to 9
//	times of calls     fetch from 2 to 4, search from 4 to 5, book from 5 to 9
func narrow(calls []Call) {
	messages, unseen := messagesOf(calls)
	if !unseen {
		return
	}
	slices.SortFunc(messages, func(a, b message) int {
		return cmp.Or(slices.Compare(a.Group[:], b.Group[:]), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
	})
	before := make([]pcommon.Timestamp, len(messages)) // when the first known call of later messages began
	for i := range slices.Backward(messages) {
		if before[i] = never.Start; i+1 < len(messages) && sameTask(&messages[i], &messages[i+1]) {
			before[i] = min(before[i+1], messages[i+1].known.Start)
		}
	}
	after := pcommon.Timestamp(0) // when the known calls of earlier messages were over
	for i, m := range each(messages) {
		if i > 0 && !sameTask(m, &messages[i-1]) {
			after = 0
		}
		for _, c := range m.unseen {
			start, end := calls[c].Start, min(calls[c].End, before[i])
			if after > 0 {
				start = max(start, after+1)
			}
			if m.known != never {
				start, end = m.known.Start, m.known.End
			}
			if start <= end {
				calls[c].Start, calls[c].End = start, end
			}
		}
		after = max(after, m.known.End)
	}
	slices.SortStableFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Rank, b.Rank))
	})
}

func sameTask(a, b *message) bool { return a.Group == b.Group && a.Task == b.Task }

// messagesOf returns the messages of calls, and whether only groups recorded some of the calls.
func messagesOf(calls []Call) (messages []message, unseen bool) {
	at := make(map[Message]int)
	for i, c := range each(calls) {
		if c.Message == nil {
			continue
		}
		n, again := at[*c.Message]
		if !again {
			n = len(messages)
			at[*c.Message], messages = n, append(messages, message{Message: *c.Message, known: never})
		}
		if c.FromGroup() {
			messages[n].unseen, unseen = append(messages[n].unseen, i), true
		} else {
			addTime(&messages[n].known, &c.Span)
		}
	}
	return messages, unseen
}
