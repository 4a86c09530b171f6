package agentrun

import (
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A Receipt says what the caller may forget of a trace that it has stored, once all that a settling brought out is
// released: the entries. What it has to remember in their place is what the settling left.
//
// A settling gives a claim on its receipt to each held span that it brought out, to each run without an anchor, and one to
// the [Harvest]. When all claims are met, and those of the settlings of that trace before, it is time.
type Receipt struct {
	// Entries are the numbers that were noted of the trace.
	Entries []uint32
	// Left is the [Evidence] of what is left of the trace. If nothing is, Closed is what tells late spans.
	Left, Closed []byte

	// Seen is when the trace was seen last.
	Seen time.Time

	claims int
	met    bool
	before *Receipt
	after  *Receipt // waits for this one
	into   *Receipt // has taken over the entries of this one
	// Place is for the caller: the number under which it stored Left.
	Place uint32
}

// Meet counts a claim as met. It calls forget for each receipt whose time has come, with the one before it if there
// was one. Receipts are for one goroutine at a time.
func (r *Receipt) Meet(forget func(r, before *Receipt)) {
	if r == nil {
		return
	}
	r.claims--
	r.takeOver()
	for r != nil && r.claims == 0 && !r.met {
		if r.before != nil && !r.before.met {
			r.before.after = r
			return
		}
		forget(r, r.before)
		r.met, r.before = true, nil
		r, r.after = r.after, nil
	}
}

// takeOver spares the remainder of a settling that is not over when the next one of the same trace comes: what that left
// is enough, once both are over.
func (r *Receipt) takeOver() {
	if b := r.before; b != nil && !b.met && b.into == nil {
		r.Entries = append(b.Entries, r.Entries...)
		b.Entries, b.Left, b.into = nil, nil, r
	}
}

// Past stores [Evidence] that the run of an accepted anchor has closed, while there are claims left, that is, while other
// runs of the trace may have to be closed again. The entry goes with those of the receipt.
func (r *Receipt) Past(set *Settings, a *Anchor, now time.Time, store func(evidence []byte) (entry uint32)) {
	if r == nil {
		return
	}
	for r.into != nil {
		r = r.into
	}
	if r.met {
		return
	}
	e := NewEvidence(set, a.Trace)
	e.past(closedRun{Span: a.Span, tier: a.Tier, by: ByAnchor, at: now.UnixNano()})
	r.Entries = append(r.Entries, store(e.data))
}

// Note notes that the caller stored evidence of a trace as an entry of that number. A trace that is not open has no
// entries.
func (b *Buffer) Note(id pcommon.TraceID, entry uint32) {
	if t, open := b.lookUp(id); open {
		t.entries = append(t.entries, entry)
		b.resize(t, entryBytes)
	}
}

// Unnote takes back an entry that could not be stored. It returns false if the trace has been settled since it was noted.
func (b *Buffer) Unnote(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	if !open {
		return false
	}
	i := slices.Index(t.entries, entry)
	if i < 0 {
		return false
	}
	t.entries = slices.Delete(t.entries, i, i+1)
	b.resize(t, -entryBytes)
	return true
}

// Noted reports whether the last entry of a trace has that number. An entry from before the last settling is not the
// trace's any more.
func (b *Buffer) Noted(id pcommon.TraceID, entry uint32) bool {
	t, open := b.lookUp(id)
	return open && len(t.entries) > 0 && t.entries[len(t.entries)-1] == entry
}

// receipt gives the receipt for a settling of t, which will be retired or not, to what it brought out, and to h.
func (b *Buffer) receipt(t *trace, h *Harvest, runs []Run, unjudged []Anchor, retires bool) {
	if !b.set.Stored {
		return
	}
	r := &Receipt{Entries: t.entries, before: t.receipt, claims: 1, Seen: t.lastSeen}
	t.left = 0
	if retires {
		r.Closed = t.closed(&b.set)
	} else {
		r.Left = t.remainder(&b.set)
		t.left = len(r.Left)
	}
	t.entries, t.receipt = nil, r
	h.Receipts = append(h.Receipts, r)
	for i := range runs {
		run := &runs[i]
		if len(run.Anchors) == 0 {
			run.Receipts = []*Receipt{r}
			r.claims++
		}
		r.claim(run.Anchors)
		r.claim(run.Companions)
	}
	r.claim(unjudged)
}

func (r *Receipt) claim(anchors []Anchor) {
	for i := range anchors {
		anchors[i].Receipt = r
		r.claims++
	}
}

// receiptsOf are the claims of runs that are no runs of their own any more.
func receiptsOf(runs []Run) (all []*Receipt) {
	for i := range runs {
		all = append(all, runs[i].Receipts...)
	}
	return all
}
