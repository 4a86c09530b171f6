package tracebuffer

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// MaxAnchors bounds how many anchors of one trace may wait. One closing examines them all, and its work is not divided.
const MaxAnchors = 1 << 14

// longWork is after how much work others get at a Buffer: some milliseconds.
const longWork compare.Work = 1 << 14

// CloseDue closes runs whose wait is over, and traces that have been idle for the idle timeout. The results are appended to
// h. It returns true if it stopped between two traces after much work: the caller then lets others use the Buffer, and calls
// again.
func (b *Buffer) CloseDue(now time.Time, h *agentrun.ClosedBatch) (more bool) {
	enough := b.work + longWork
	for {
		if b.work > enough {
			return true
		}
		t, any := b.rested(now)
		if !any {
			break
		}
		b.work++
		if !t.gone && t.hasDue(now) {
			b.closeRuns(t, agentrun.ByAnchor, now, h)
		}
	}
	for {
		if b.work > enough {
			return true
		}
		d, ok := b.due.Front()
		if !ok || d.at.After(now) {
			break
		}
		b.due.Pop()
		b.work++
		d.trace.deadlines--
		// One closing closes everything that is due in a trace, so later deadlines find nothing.
		if !d.trace.gone && d.trace.settled != now.UnixNano() && d.trace.hasDue(now) && !b.isResting(d.trace, now) {
			b.closeRuns(d.trace, agentrun.ByAnchor, now, h)
		}
	}
	for t := b.idle.next; t != &b.idle; {
		next := t.next
		if t.lastSeen.Add(b.set.IdleTimeout).After(now) {
			break
		}
		// A trace is not idle while its anchors wait, however short the timeout, or while the buffer awaits refused anchors.
		if len(t.waiting) == 0 && (len(t.awaitedAnchors) == 0 || !t.lastSeen.Add(b.set.IdleTimeout+resending).After(now)) {
			b.closeRuns(t, agentrun.ByIdle, now, h)
			if b.work > enough {
				return true
			}
		}
		t = next
	}
	return false
}

// EvictFull closes a trace with [MaxAnchors] anchors, with the calls that are known. In a replay no trace is full.
func (b *Buffer) EvictFull(now time.Time, id pcommon.TraceID, h *agentrun.ClosedBatch) {
	if t, open := b.lookUp(id); open && len(t.waiting) >= MaxAnchors && !b.set.Replay {
		b.closeRuns(t, agentrun.ByLimit, now, h)
	}
}

// EvictOldest closes the trace that has been idle longest, with the calls that are known.
func (b *Buffer) EvictOldest(now time.Time, h *agentrun.ClosedBatch) {
	if t := b.idle.next; t != &b.idle {
		b.closeRuns(t, agentrun.ByLimit, now, h)
	}
}

// CloseAll closes everything. Like CloseDue, CloseAll returns true after long work.
func (b *Buffer) CloseAll(now time.Time, h *agentrun.ClosedBatch) (more bool) {
	enough := b.work + longWork
	for t := b.idle.next; t != &b.idle; t = b.idle.next {
		if b.work > enough {
			return true
		}
		b.closeRuns(t, agentrun.ByShutdown, now, h)
	}
	return false
}

// PassAll hands out all held spans without a verdict and forgets the rest. It is for a caller without the time to close
// anything any more.
func (b *Buffer) PassAll(h *agentrun.ClosedBatch) {
	for t := b.idle.next; t != &b.idle; t = b.idle.next {
		for i := range t.waiting {
			h.Passthrough = append(h.Passthrough, t.waiting[i].Anchor)
		}
		if t.heldCallSpans != nil {
			h.Passthrough = append(h.Passthrough, *t.heldCallSpans...)
		}
		b.open -= max(1, len(t.waiting)) - 1
		b.retire(t)
	}
}

// LastSeen is when the trace was seen that has been idle longest. It is false where no trace is open.
func (b *Buffer) LastSeen() (time.Time, bool) {
	if t := b.idle.next; t != &b.idle {
		return t.lastSeen, true
	}
	return time.Time{}, false
}
