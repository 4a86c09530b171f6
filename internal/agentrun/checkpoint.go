package agentrun

import (
	"time"
)

// A Checkpoint says what the caller may forget of a trace that it has stored, once all that a closing brought out is
// released: the records. What it has to remember in their place is what the closing left.
//
// A checkpoint waits for each held span that the closing brought out, for each run without an anchor, and for the
// [ClosedBatch]. Its records are obsolete when all of those and the checkpoints of the trace before are acknowledged.
type Checkpoint struct {
	// Records are the numbers that were noted of the trace.
	Records []uint32
	// Remainder is the evidence of what is left of the trace. If nothing is left, Closed is what tells late spans.
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

// Ack acknowledges one of the things that the checkpoint waits for. It calls forget for each checkpoint that waits for
// nothing any more, with the one before it if there was one. Checkpoints are for one goroutine at a time.
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

// AddSpans has the checkpoint wait for held spans too.
func (r *Checkpoint) AddSpans(anchors []Anchor) {
	for i := range anchors {
		anchors[i].Checkpoint = r
		r.pending++
	}
}

// NewCheckpoint returns the checkpoint of a closing. Before is that of the closing before of the same trace, or nil. The
// checkpoint waits for one acknowledgement, of the [ClosedBatch].
func NewCheckpoint(records []uint32, before *Checkpoint, seen time.Time) *Checkpoint {
	return &Checkpoint{Records: records, before: before, pending: 1, Seen: seen}
}

// Current is the checkpoint that has the records of r now. It is nil if all that r waited for is acknowledged.
func (r *Checkpoint) Current() *Checkpoint {
	if r == nil {
		return nil
	}
	for r.into != nil {
		r = r.into
	}
	if r.acknowledged {
		return nil
	}
	return r
}

// AddRun has the checkpoint wait for a run without an anchor too.
func (r *Checkpoint) AddRun() { r.pending++ }
