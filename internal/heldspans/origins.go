package heldspans

import (
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// Held spans of one batch share the memory of their resource, and held spans of one scope share that of the scope. This
// memory is counted once, and is no part of a span's size. It counts until the last of these spans has left, because that
// span keeps all of it alive.

// Use notes that one more span of an origin is held. It returns how many more bytes are kept alive because of this span.
func Use(o *evidence.Origin) (bytes int64) { return count(o, 1, 1) }

// Leave notes that one span of an origin is not held any more. It returns how many bytes this frees.
func Leave(o *evidence.Origin) (bytes int64) { return count(o, -1, 0) }

// count returns the bytes of the origin, or of its part, whose users are as many as turn after this change of their number.
func count(o *evidence.Origin, change, turn int32) (bytes int64) {
	if atomic.AddInt32(&o.Users, change) == turn {
		bytes = int64(o.OfScope.Heap)
		if atomic.AddInt32(&o.First.ResourceUsers, change) == turn {
			bytes += int64(o.First.OfResource.Heap)
		}
	}
	return bytes
}

// LeaveAll notes that spans are not held any more, and returns how many bytes that frees.
func LeaveAll(held []evidence.Held) (bytes int64) {
	for i := range held {
		bytes += Leave(held[i].Origin)
	}
	return bytes
}
