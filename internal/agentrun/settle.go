package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// maxPast bounds what one trace remembers of its closed runs.
const maxPast = 1024

// settle closes what is to be closed of t: for ByAnchor the runs whose wait is over at now, else everything.
// What is left of t waits on, and a t with nothing left is retired.
func (b *Buffer) settle(t *trace, cause Cause, now time.Time) Harvest {
	before := max(1, len(t.waiting))
	t.settled = now
	seats, unjudged := t.seats(t.ready(cause, now), b.set.WholeTrace)
	h := Harvest{Unjudged: unjudged}
	b.resolver.patient = cause == ByAnchor && !b.set.Replay
	h.Late, h.Duplicates = b.resolver.assign(t, seats, b.set.WholeTrace)
	for i := range seats {
		s := &seats[i]
		if s.state != seatReady || s.tier != Agent && !b.set.WholeTrace && len(s.calls) == 0 {
			h.Unjudged = append(h.Unjudged, s.anchors...)
			continue
		}
		r, duplicates := b.run(t, s.calls, cause)
		r.Anchors = s.anchors
		h.Runs = append(h.Runs, r)
		h.Duplicates += duplicates
		t.remember(closedRun{s.Span, s.tier})
	}
	if cause != ByAnchor && len(t.calls) > 0 {
		r, duplicates := b.orphans(t, cause)
		h.Runs = append(h.Runs, r)
		h.Duplicates += duplicates
	}
	b.open -= before - max(1, len(t.waiting))
	if len(t.calls) == 0 {
		t.truncated = false
	}
	b.resize(t, t.measure()-t.size)
	if len(t.waiting) == 0 && len(t.calls) == 0 {
		b.retire(t)
	}
	return h
}

// ready takes the anchors that are to be closed out of t, in the order of their spans. A copy of an anchor is
// closed with it, however late it came.
func (t *trace) ready(cause Cause, now time.Time) []Anchor {
	ready := make([]Anchor, 0, len(t.waiting))
	take := func(closes func(waiting) bool) {
		t.waiting = slices.DeleteFunc(t.waiting, func(w waiting) bool {
			if !closes(w) {
				return false
			}
			ready = append(ready, w.Anchor)
			return true
		})
	}
	take(func(w waiting) bool { return cause != ByAnchor || !w.until.After(now) })
	if len(t.waiting) > 0 {
		due := make(map[pcommon.SpanID]bool, len(ready))
		for i := range ready {
			due[ready[i].ID] = !ready[i].ID.IsEmpty()
		}
		take(func(w waiting) bool { return due[w.ID] })
	}
	slices.SortStableFunc(ready, func(a, b Anchor) int { return compareSpans(a.Span, b.Span) })
	return ready
}

// orphans makes a run of the calls that have no anchor.
func (b *Buffer) orphans(t *trace, cause Cause) (Run, int) {
	calls := t.calls
	t.calls = nil
	span := Span{Trace: t.id, Start: calls[0].start}
	for i := range calls {
		span.End = max(span.End, calls[i].end)
	}
	t.remember(closedRun{Span: span})
	r, duplicates := b.run(t, calls, cause)
	r.Complete = false
	return r, duplicates
}

// run makes a run of calls, which are in order, taking those with one call id as one. It also returns how many
// spans it merged.
func (b *Buffer) run(t *trace, calls []record, cause Cause) (Run, int) {
	r := Run{Trace: t.id, ClosedBy: cause, Complete: cause == ByAnchor && !t.truncated}
	if t.truncated {
		r.ClosedBy = ByLimit
	}
	for i := range calls {
		r.Size += calls[i].size()
	}
	spans := len(calls)
	kept := mergeIDs(calls)
	r.Calls = make([]Call, 0, len(kept))
	for i := range kept {
		if !b.set.IgnoreFailed || kept[i].status != scoring.StatusFailed {
			r.Calls = append(r.Calls, kept[i].call(t.id))
		}
	}
	return r, spans - len(kept)
}

// mergeIDs takes calls with one call id as one: the first of them, filled in from the others.
func mergeIDs(calls []record) []record {
	const few = 16 // so many are compared faster than hashed
	var at map[string]int
	if len(calls) > few {
		at = make(map[string]int, len(calls))
	}
	kept := calls[:0]
	for _, c := range calls {
		i, again := at[c.callID]
		if at == nil {
			i = slices.IndexFunc(kept, func(k record) bool { return k.callID == c.callID })
			again = i >= 0
		}
		if again && c.callID != "" {
			kept[i].absorb(c)
			continue
		}
		if at != nil {
			at[c.callID] = len(kept)
		}
		kept = append(kept, c)
	}
	return kept
}

// remember notes that a run has closed. The oldest is forgotten when there are too many.
func (t *trace) remember(r closedRun) {
	if len(t.past) >= maxPast {
		t.past = slices.Delete(t.past, 0, 1)
	}
	t.past = append(t.past, r)
}

// measure is what t keeps alive, in bytes.
func (t *trace) measure() int {
	size := traceBytes + t.linkCount()*linkBytes + len(t.past)*pastBytes
	for i := range t.calls {
		size += t.calls[i].size()
	}
	for id := range t.ranks {
		size += rankBytes + len(id)
	}
	for i := range t.waiting {
		size += anchorBytes + t.waiting[i].Size
	}
	return size
}
