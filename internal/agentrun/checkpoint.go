package agentrun

import (
	"time"
)

// A Checkpoint says which records of a trace are obsolete once everything that a closing released has been delivered. What
// the closing left of the trace replaces those records.
//
// A checkpoint waits for each held span that the closing released, for each run without an anchor, and for the
// [ClosedBatch]. Its records are obsolete when all of these are acknowledged, and all earlier checkpoints of the trace too.
type Checkpoint struct {
	// Records are the numbers that the trace tracked.
	Records []uint32
	// Remainder is the evidence of what is left of the trace. If nothing is left, Closed is the evidence that recognizes
	// late spans.
	Remainder, Closed []byte

	// Seen is when the trace was seen last.
	Seen time.Time

	pending      int
	acknowledged bool
	before       *Checkpoint
	after        *Checkpoint // waits for this one
	into         *Checkpoint // the checkpoint that took over the records of this one
	// RemainderRecord is for the caller: the number under which it stored Remainder.
	RemainderRecord uint32
}

// Ack acknowledges one of the things that the checkpoint waits for. It calls forget for each checkpoint that waits for
// nothing any more, and passes the checkpoint before it. Only one goroutine may use checkpoints at a time.
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

// takeOver drops the remainder of a closing that is not finished when the next closing of the same trace begins. The
// remainder of the later one is enough once both are finished.
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

// NewCheckpoint returns the checkpoint of a closing. before is the checkpoint of the trace's previous closing, or nil. The
// checkpoint waits for one acknowledgement, that of the [ClosedBatch].
func NewCheckpoint(records []uint32, before *Checkpoint, seen time.Time) *Checkpoint {
	return &Checkpoint{Records: records, before: before, pending: 1, Seen: seen}
}

// Current returns the checkpoint that has the records of r now. It is nil if everything that r waited for is acknowledged.
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
