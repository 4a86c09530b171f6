package tracebuffer

import (
	"math"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/parents"
)

// addCall returns by how many bytes t grew. A call has its own link until the trace is examined.
func (t *trace) addCall(r agentrun.PendingCall, limit int, w *compare.Work) int {
	t.called = true
	grown := t.processTable.Add(r.Process, byprocess.HasCalls)
	*w++
	if t.truncated {
		t.leaveOut(r.Span())
		return grown + t.parents.Add(parents.Link{ID: r.ID, Parent: r.Parent, Process: r.Process}, w)
	}
	switch n := len(t.calls); {
	case n >= limit && t.repeats == nil:
		grown -= t.dropRepeats(w)
		if len(t.calls) < limit {
			grown += t.indexRepeats()
		}
	case n >= int(t.nextRepeats):
		grown -= t.dropRepeats(w)
		t.nextRepeats = max(firstRepeats, twice(len(t.calls)))
	}
	if len(t.calls) >= limit {
		t.leaveOut(r.Span())
		return grown + t.forgetRepeats() + t.parents.Add(parents.Link{ID: r.ID, Parent: r.Parent, Process: r.Process}, w)
	}
	if t.repeats != nil && !r.ID.IsEmpty() {
		at, again := t.repeats[r.Key()]
		w.Read(r.Size())
		if again && copies.IsCopy(&t.calls[at], &r, w) {
			return grown
		}
		if !again {
			t.repeats[r.Key()] = int32(len(t.calls))
			grown += repeatBytes
		}
	}
	t.calls = append(t.calls, r)
	return grown + r.Size()
}

// indexRepeats indexes the calls by their spans, so that a repeated call is found at once. Without it, each copy would be
// compared with all calls, once there are as many as the limit allows.
func (t *trace) indexRepeats() (grown int) {
	t.repeats = make(map[agentrun.SpanKey]int32, len(t.calls))
	for i := range t.calls {
		t.repeats[t.calls[i].Key()] = int32(i)
	}
	return len(t.repeats) * repeatBytes
}

// forgetRepeats must be called before calls move.
func (t *trace) forgetRepeats() (grown int) {
	grown = -len(t.repeats) * repeatBytes
	t.repeats = nil
	return grown
}

// firstRepeats is how many calls arrive before the first search for repetitions. The next searches follow each time that
// their number has doubled. So a batch that is sent again and again is kept twice at most, and a span costs little.
const firstRepeats = 16

// twice is 2n, or as much as fits.
func twice(n int) int32 { return int32(min(2*n, math.MaxInt32)) }

// dropRepeats drops repeated calls of t, and returns how many bytes that freed.
func (t *trace) dropRepeats(w *compare.Work) (freed int) {
	t.calls, freed = copies.DropCalls(t.calls, w)
	return freed
}
