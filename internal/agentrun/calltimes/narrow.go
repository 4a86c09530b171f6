package calltimes

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// interval is a time, from its start to its end.
type interval struct{ start, end pcommon.Timestamp }

// none is an interval without a call. If a time is added to it, the result is that time.
var none = interval{start: ^pcommon.Timestamp(0)}

func (i *interval) add(start, end pcommon.Timestamp) {
	i.start, i.end = min(i.start, start), max(i.end, end)
}

// message has the calls of one message.
type message struct {
	agentrun.Message
	known  interval // of calls that other spans recorded
	unseen []int    // calls that only the group's span recorded
}

// narrow sets the times of calls that only the spans of groups recorded. Such a call was after those of earlier messages and before
// those of later ones. If other spans recorded calls of its message, it was in their time. If times contradict the messages,
// it keeps the time of the run.
func narrow(calls []agentrun.Call) compare.Work {
	messages, unseen := messagesOf(calls)
	if !unseen {
		return compare.Work(len(calls))
	}
	slices.SortFunc(messages, func(a, b message) int {
		return cmp.Or(slices.Compare(a.Group[:], b.Group[:]), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Number, b.Number))
	})
	after, before := make([]interval, len(messages)), make([]interval, len(messages))
	for i := range messages { // after.end is when the known calls of earlier messages were over
		if after[i] = none; i > 0 && sameTask(&messages[i], &messages[i-1]) {
			after[i] = after[i-1]
			after[i].add(messages[i-1].known.start, messages[i-1].known.end)
		}
	}
	for i := range slices.Backward(messages) { // before.start is when the first known call of later messages began
		if before[i] = none; i+1 < len(messages) && sameTask(&messages[i], &messages[i+1]) {
			before[i] = before[i+1]
			before[i].add(messages[i+1].known.start, messages[i+1].known.end)
		}
	}
	for i := range messages {
		for _, c := range messages[i].unseen {
			t := interval{calls[c].Start, calls[c].End}
			if after[i] != none {
				t.start = max(t.start, after[i].end+1)
			}
			t.end = min(t.end, before[i].start)
			if messages[i].known != none {
				t = messages[i].known
			}
			if t.start <= t.end {
				calls[c].Start, calls[c].End = t.start, t.end
			}
		}
	}
	slices.SortStableFunc(calls, func(a, b agentrun.Call) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Rank, b.Rank))
	})
	return compare.Work(len(calls) + 3*len(messages))
}

func sameTask(a, b *message) bool { return a.Group == b.Group && a.Task == b.Task }

// messagesOf returns the messages of calls, and whether only groups recorded some of the calls.
func messagesOf(calls []agentrun.Call) (messages []message, unseen bool) {
	at := make(map[agentrun.Message]int)
	for i := range calls {
		c := &calls[i]
		if c.Message == nil {
			continue
		}
		n, again := at[*c.Message]
		if !again {
			n = len(messages)
			at[*c.Message], messages = n, append(messages, message{Message: *c.Message, known: none})
		}
		if c.FromGroup() {
			messages[n].unseen, unseen = append(messages[n].unseen, i), true
		} else {
			messages[n].known.add(c.Start, c.End)
		}
	}
	return messages, unseen
}
