package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A Checkpoint says what the caller may forget of a trace that it has stored, once all that a closing brought out is
// released: the records. What it has to remember in their place is what the closing left.
//
// A closing gives a claim on its checkpoint to each held span that it brought out, to each run without an anchor, and one to
// the [ClosedBatch]. When all claims are met, and those of the closings of that trace before, it is time.
type Checkpoint struct {
	// Records are the numbers that were noted of the trace.
	Records []uint32
	// Remainder is the [Evidence] of what is left of the trace. If nothing is left, Closed is what tells late spans.
	Remainder, Closed []byte

	// Seen is when the trace was seen last.
	Seen time.Time

	pending      int
	acknowledged bool
	before       *Checkpoint
	after        *Checkpoint // waits for this one
	into         *Checkpoint // has taken over the records of this one
	// RemainderRecord is for the caller: the number under which it stored Remainder.
	RemainderRecord uint32
}

// Ack counts a claim as met. It calls forget for each checkpoint whose time has come, with the one before it if there
// was one. Checkpoints are for one goroutine at a time.
func (r *Checkpoint) Ack(forget func(r, before *Checkpoint)) {
	if r == nil {
		return
	}
	r.pending--
	r.takeOver()
	for r != nil && r.pending == 0 && !r.acknowledged {
		if r.before != nil && !r.before.acknowledged {
			r.before.after = r
			return
		}
		forget(r, r.before)
		r.acknowledged, r.before = true, nil
		r, r.after = r.after, nil
	}
}

// takeOver spares the remainder of a closing that is not over when the next one of the same trace comes: what that left
// is enough, once both are over.
func (r *Checkpoint) takeOver() {
	if b := r.before; b != nil && !b.acknowledged && b.into == nil {
		r.Records = append(b.Records, r.Records...)
		b.Records, b.Remainder, b.into = nil, nil, r
	}
}

// AddClosed stores [Evidence] that the run of an accepted anchor has closed, while there are claims left, that is, while other
// runs of the trace may have to be closed again. The record goes with those of the checkpoint.
func (r *Checkpoint) AddClosed(set *Settings, a *Anchor, now time.Time, store func(evidence []byte) (entry uint32)) {
	if r == nil {
		return
	}
	for r.into != nil {
		r = r.into
	}
	if r.acknowledged {
		return
	}
	e := NewEvidence(set, a.Trace)
	e.closedRun(closedRun{Span: a.Span, kind: a.Kind, reason: ByAnchor, at: now.UnixNano()})
	r.Records = append(r.Records, store(e.data))
}

// TrackRecord notes that the caller stored evidence of a trace as a record of that number. A trace that is not open has no
// records.
func (b *Buffer) TrackRecord(id pcommon.TraceID, entry uint32) {
	if t, open := b.lookUp(id); open {
		t.records = append(t.records, entry)
		b.resize(t, recordNumberBytes)
	}
}

// UntrackRecord takes back a record that could not be stored. It returns false if the trace has been examined since it was
// noted.
func (b *Buffer) UntrackRecord(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	if !open {
		return false
	}
	i := slices.Index(t.records, entry)
	if i < 0 {
		return false
	}
	t.records = slices.Delete(t.records, i, i+1)
	b.resize(t, -recordNumberBytes)
	return true
}

// IsTracked reports whether the last record of a trace has that number. A record from before the last closing is not the
// trace's any more.
func (b *Buffer) IsTracked(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	return open && len(t.records) > 0 && t.records[len(t.records)-1] == entry
}

// checkpoint gives the checkpoint for a closing of t, which will be retired or not, to what it brought out, and to h.
func (b *Buffer) checkpoint(t *trace, h *ClosedBatch, runs []Run, unjudged []Anchor, retires bool) {
	if !b.set.Stored {
		return
	}
	r := &Checkpoint{Records: t.records, before: t.checkpoint, pending: 1, Seen: t.lastSeen}
	t.remainderSize = 0
	if retires {
		r.Closed = t.closed(&b.set)
	} else {
		r.Remainder = t.remainder(&b.set)
		t.remainderSize = len(r.Remainder)
	}
	t.records, t.checkpoint = nil, r
	h.Checkpoints = append(h.Checkpoints, r)
	for i := range runs {
		run := &runs[i]
		if len(run.Anchors) == 0 {
			run.Checkpoints = []*Checkpoint{r}
			r.pending++
		}
		r.addPending(run.Anchors)
		r.addPending(run.Companions)
	}
	r.addPending(unjudged)
}

func (r *Checkpoint) addPending(anchors []Anchor) {
	for i := range anchors {
		anchors[i].Checkpoint = r
		r.pending++
	}
}

// checkpointsOf are the claims of runs that are no runs of their own any more.
func checkpointsOf(runs []Run) (all []*Checkpoint) {
	for i := range runs {
		all = append(all, runs[i].Checkpoints...)
	}
	return all
}
