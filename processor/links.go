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
// There is no lock. A reader that meets a writer finds a parent that no span has, and then the chain counts as broken;
// it never takes another span's link.
type links struct{ buckets [1 << 12]bucket }

type bucket struct {
	next  atomic.Uint32
	slots [32]slot
}

// slot holds a span's id mixed with its trace, and its parent mixed with that. So 16 bytes are enough, and two halves
// that do not belong together make no link.
type slot struct{ id, parent atomic.Uint64 }

func (l *links) bucket(k traceKey) *bucket {
	// The low bits choose the shard and the sieve's counter; these are others.
	return &l.buckets[uint64(k)>>40%uint64(len(l.buckets))]
}

func (l *links) put(k traceKey, id, parent pcommon.SpanID) {
	b := l.bucket(k)
	s := &b.slots[b.next.Add(1)%uint32(len(b.slots))]
	key := mixed(k, id)
	s.id.Store(key)
	s.parent.Store(binary.LittleEndian.Uint64(parent[:]) ^ spread(key))
}

func (l *links) parent(k traceKey, id pcommon.SpanID) (parent pcommon.SpanID, ok bool) {
	b, key := l.bucket(k), mixed(k, id)
	for i := range b.slots {
		if b.slots[i].id.Load() == key {
			binary.LittleEndian.PutUint64(parent[:], b.slots[i].parent.Load()^spread(key))
			return parent, true
		}
	}
	return pcommon.SpanID{}, false
}

// mixed is never 0, which marks an empty slot.
func mixed(k traceKey, id pcommon.SpanID) uint64 {
	return max(1, binary.LittleEndian.Uint64(id[:])^uint64(k))
}

// spread makes of similar keys very different ones, so that ids that count up cannot be confused.
func spread(key uint64) uint64 { return key * 0x9E3779B97F4A7C15 }
