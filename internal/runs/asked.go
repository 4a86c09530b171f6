package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// setAskedBy sets for the calls of a run which response asked for them, if it asked for several, and which message of a group. A
// call and its request have one ID and one tool, because a model may use an ID again for another tool. If two responses have a
// request of a call, because two instrumentations recorded it, the first one counts. The requests of a group are of many responses:
// see narrow for what its messages say. The calls are in order, before and after.
func (r *run) setAskedBy() {
	var by callIndex[pcommon.SpanID]
	var messages callIndex[*Message]
	for _, a := range r.responses {
		if a.Shares != nil {
			addMessages(&messages, a)
			continue
		}
		if len(a.Requests) < 2 || a.IsTranscript() {
			continue
		}
		for _, q := range a.Requests {
			by.findOrAdd(q.ID, q.Name, a.ID)
		}
	}
	if by.byID == nil && messages.byID == nil {
		return
	}
	for i := range r.calls {
		c := &r.calls[i]
		c.AskedBy, _ = by.find(c.CallID, c.Name)
		c.Message, _ = messages.find(c.CallID, c.Name)
	}
	if messages.byID != nil {
		narrow(r.calls)
	}
}

// addMessages adds the messages of a group.
func addMessages(messages *callIndex[*Message], a *response) {
	requests := a.Requests
	for i := range a.Shares {
		for number, n := range a.Shares[i].Messages {
			m := &Message{Group: a.ID, Task: a.Shares[i].Task, Number: number}
			for _, q := range requests[:min(n, len(requests))] {
				messages.findOrAdd(q.ID, q.Name, m)
			}
			requests = requests[min(n, len(requests)):]
		}
	}
}

// interval is a time, from its start to its end.
type interval struct{ start, end pcommon.Timestamp }

// empty is an interval without a call. If a time is added to it, the result is that time.
var empty = interval{start: ^pcommon.Timestamp(0)}

func (i *interval) add(start, end pcommon.Timestamp) {
	i.start, i.end = min(i.start, start), max(i.end, end)
}

// message has the calls of one message.
type message struct {
	Message
	known  interval // of calls that other spans recorded
	unseen []int    // calls that only the group's span recorded
}

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
	after, before := make([]interval, len(messages)), make([]interval, len(messages))
	for i := range messages { // after.end is when the known calls of earlier messages were over
		if after[i] = empty; i > 0 && sameTask(&messages[i], &messages[i-1]) {
			after[i] = after[i-1]
			after[i].add(messages[i-1].known.start, messages[i-1].known.end)
		}
	}
	for i := range slices.Backward(messages) { // before.start is when the first known call of later messages began
		if before[i] = empty; i+1 < len(messages) && sameTask(&messages[i], &messages[i+1]) {
			before[i] = before[i+1]
			before[i].add(messages[i+1].known.start, messages[i+1].known.end)
		}
	}
	for i := range messages {
		for _, c := range messages[i].unseen {
			t := interval{calls[c].Start, calls[c].End}
			if after[i] != empty {
				t.start = max(t.start, after[i].end+1)
			}
			t.end = min(t.end, before[i].start)
			if messages[i].known != empty {
				t = messages[i].known
			}
			if t.start <= t.end {
				calls[c].Start, calls[c].End = t.start, t.end
			}
		}
	}
	slices.SortStableFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Rank, b.Rank))
	})
}

func sameTask(a, b *message) bool { return a.Group == b.Group && a.Task == b.Task }

// messagesOf returns the messages of calls, and whether only groups recorded some of the calls.
func messagesOf(calls []Call) (messages []message, unseen bool) {
	at := make(map[Message]int)
	for i := range calls {
		c := &calls[i]
		if c.Message == nil {
			continue
		}
		n, again := at[*c.Message]
		if !again {
			n = len(messages)
			at[*c.Message], messages = n, append(messages, message{Message: *c.Message, known: empty})
		}
		if c.FromGroup() {
			messages[n].unseen, unseen = append(messages[n].unseen, i), true
		} else {
			messages[n].known.add(c.Start, c.End)
		}
	}
	return messages, unseen
}
