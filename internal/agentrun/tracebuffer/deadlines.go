package tracebuffer

import (
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// longWork is after how much work others get at a Buffer: some milliseconds.
const longWork compare.Work = 1 << 14

// startWait has an anchor wait from now on. When its wait is over, [Buffer.CloseDue] closes its run.
func (b *Buffer) startWait(t *trace, a agentrun.Anchor, now time.Time) {
	until := now.Add(b.set.Wait)
	t.wait(waiting{a, until})
	t.settled = 0 // a was not part of an examination at this very time
	b.sweep()
	t.deadlines++
	b.due.Push(deadline{until, t})
}

// wait inserts an anchor behind those that wait no longer than it does. Two callers may add anchors in another order than
// that of the times that they read.
func (t *trace) wait(w waiting) {
	at := len(t.waiting)
	for at > 0 && t.waiting[at-1].until.After(w.until) {
		at--
	}
	t.waiting = slices.Insert(t.waiting, at, w)
}

// hasDue reports whether the wait of an anchor is over. The one in front is the first.
func (t *trace) hasDue(now time.Time) bool {
	return len(t.waiting) > 0 && !t.waiting[0].until.After(now)
}

// sweep drops the deadlines of traces that a limit closed, when there are many: each keeps its trace alive.
func (b *Buffer) sweep() {
	const few = 64
	if b.due.Len() < max(few, b.nextSweep) {
		return
	}
	b.due.DeleteFunc(func(d deadline) bool { return d.trace.gone })
	b.nextSweep = 2 * b.due.Len()
}

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
