package heldspans

import (
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// Held spans of one batch share their resource, and those of one scope their scope. Their memory counts once, as long as one
// of the spans is held, and is not a part of any span's size. Spans of one batch close at different times, and the last of
// them keeps all of it alive.

// Use notes that one more span of an origin is held. It returns how many bytes are kept alive by that.
func Use(o *agentrun.Origin) (bytes int64) {
	if atomic.AddInt32(&o.Users, 1) == 1 {
		bytes = int64(o.OfScope.Heap)
		if atomic.AddInt32(&o.First.ResourceUsers, 1) == 1 {
			bytes += int64(o.First.OfResource.Heap)
		}
	}
	return bytes
}

// Leave notes that one span of an origin is not held any more. It returns how many bytes that frees.
func Leave(o *agentrun.Origin) (bytes int64) {
	if atomic.AddInt32(&o.Users, -1) == 0 {
		bytes = int64(o.OfScope.Heap)
		if atomic.AddInt32(&o.First.ResourceUsers, -1) == 0 {
			bytes += int64(o.First.OfResource.Heap)
		}
	}
	return bytes
}

// LeaveAll notes that spans are not held any more, and returns how many bytes that frees.
func LeaveAll(held []agentrun.Anchor) (bytes int64) {
	for i := range held {
		bytes += Leave(held[i].Origin)
	}
	return bytes
}

// UseAll notes that spans are held, and returns how many bytes are kept alive by that.
func UseAll(held []agentrun.Anchor) (bytes int64) {
	for i := range held {
		bytes += Use(held[i].Origin)
	}
	return bytes
}
