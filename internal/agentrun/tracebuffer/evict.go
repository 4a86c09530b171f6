package tracebuffer

import (
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// MaxAnchors bounds how many anchors of one trace may wait. One closing examines them all, and its work is not divided.
const MaxAnchors = 1 << 14

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

// LastSeen is when the trace was seen that has been idle longest. It is false where no trace is open.
func (b *Buffer) LastSeen() (time.Time, bool) {
	if t := b.idle.next; t != &b.idle {
		return t.lastSeen, true
	}
	return time.Time{}, false
}
