package runs

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// An asker is what asked for a call and perhaps for others: a model's response, or a message of a group's task. Messages of a task have
// an order.
type asker struct {
	trace         pcommon.TraceID
	span          pcommon.SpanID
	group         bool // the span is a group's
	task, message int
}

// SetTimes says when calls ran, for methods that ask which calls have no order among each other. Calls that one response of a model
// asked for have none, even if they ran one after another. So each of them gets the time from the first start to the last end of all
// of them.
func SetTimes(calls []scoring.Call, of []Call) {
	var together map[asker]scoring.Interval
	for i, c := range each(of) {
		t := scoring.Interval{End: math.MaxUint64} // a call without a start may have run at any time
		if c.Start != 0 {
			t = scoring.Interval{Start: uint64(c.Start), End: uint64(max(c.Start, c.End))}
		}
		calls[i].Time = t
		if by := c.askedBy; by != nil {
			if others, ok := together[*by]; ok {
				t.Start, t.End = min(t.Start, others.Start), max(t.End, others.End)
			}
			put(&together, *by, t)
		}
	}
	for i := range of {
		if by := of[i].askedBy; by != nil {
			calls[i].Time = together[*by]
		}
	}
	orderMessages(calls, of)
}

// orderMessages gives calls that are all of one group's task, and that nothing else recorded, the order of its messages: a moment each.
// Beside other calls they have no order, because times cannot say that they have one among each other and none with the others.
func orderMessages(calls []scoring.Call, of []Call) {
	for i := range of {
		by, first := of[i].askedBy, of[0].askedBy
		if of[i].Source != FromModel || by == nil || !by.group || by.trace != first.trace || by.span != first.span || by.task != first.task {
			return
		}
	}
	for i := range of {
		at := min(calls[i].Time.Start+uint64(of[i].askedBy.message), calls[i].Time.End) //nolint:gosec // not negative
		calls[i].Time = scoring.Interval{Start: at, End: at}
	}
}

// setAskedBy sets for the calls of a run which response asked for them, if it asked for several, and their place in it, or which
// message of a group. A call and its request have one ID and one tool, because a model may use an ID again for another tool. If two
// responses have a request of a call, because two instrumentations recorded it, the first one counts; those of groups are last.
func (r *run) setAskedBy() {
	type origin struct {
		asker
		rank uint16
	}
	var origins map[callKey]origin
	add := func(q *evidence.ToolRequest, o origin) {
		key := keyOf(q.ID, q.Name)
		if _, again := origins[key]; !again && q.ID != "" {
			put(&origins, key, o)
		}
	}
	for _, a := range r.responses {
		by, requests := asker{trace: a.Trace, span: a.ID}, a.Response.Requests
		if a.Response.Shares == nil && len(requests) > 1 && !a.Response.IsTranscript() {
			for place, q := range each(requests) {
				add(q, origin{by, rankOf(place)})
			}
		}
		for _, share := range a.Response.Shares {
			by.group, by.task = true, share.Task
			for message, n := range share.Messages {
				by.message = message
				for _, q := range each(requests[:min(n, len(requests))]) {
					add(q, origin{asker: by})
				}
				requests = requests[min(n, len(requests)):]
			}
		}
	}
	if origins == nil {
		return
	}
	for _, c := range each(r.calls) {
		o, known := origins[keyOf(c.CallID, c.Name)]
		if known && unique(c.CallID) { // one that is counted up may be another response's
			by := o.asker
			c.askedBy = &by
		}
		c.Rank = max(c.Rank, o.rank)
	}
	sortCalls(r.calls)
}
