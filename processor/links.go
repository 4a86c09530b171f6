package processor

import (
	"encoding/binary"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// links is a fixed ring that remembers the parents of ordinary spans for a while, so that a trace that turns out to be
// agentic finds the links that came before. It is bucketed by trace: neighbours of one trace share cache lines, and a
// long trace pushes out nobody's links but those of its own bucket.
//
// There is no lock. A reader that meets a writer may miss a link, and then the chain counts as broken; it never takes
// another span's link, because it checks the id again after it has read the parent.
type links struct{ buckets [1 << 13]bucket }

type bucket struct {
	next  atomic.Uint32
	slots [32]slot
}

// slot holds span id and parent, the span id mixed with the trace, so that 16 bytes are enough.
type slot struct{ id, parent atomic.Uint64 }

func (l *links) bucket(k traceKey) *bucket {
	// The low bits choose the shard and the sieve's counter; these are others.
	return &l.buckets[uint64(k)>>40%uint64(len(l.buckets))]
}

func (l *links) put(k traceKey, id, parent pcommon.SpanID) {
	b := l.bucket(k)
	s := &b.slots[b.next.Add(1)%uint32(len(b.slots))]
	s.id.Store(0)
	s.parent.Store(binary.LittleEndian.Uint64(parent[:]))
	s.id.Store(mixed(k, id))
}

func (l *links) parent(k traceKey, id pcommon.SpanID) (parent pcommon.SpanID, ok bool) {
	want := mixed(k, id)
	for i := range l.bucket(k).slots {
		s := &l.bucket(k).slots[i]
		if s.id.Load() != want {
			continue
		}
		binary.LittleEndian.PutUint64(parent[:], s.parent.Load())
		if s.id.Load() == want {
			return parent, true
		}
	}
	return pcommon.SpanID{}, false
}

// mixed is never 0, which marks a slot that is empty or being written.
func mixed(k traceKey, id pcommon.SpanID) uint64 {
	return max(1, binary.LittleEndian.Uint64(id[:])^uint64(k))
}
