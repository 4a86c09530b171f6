package processor

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// links remembers the parents of ordinary spans for a while, so that a trace that turns out to be agentic finds the
// links that came before. It is a ring: what is newer pushes out what is oldest. The ring begins small, with the first
// link that comes, and doubles when it is full until it is as large as it may be.
//
// A batch brings its links at once, so that a span costs a copy of its two ids and a trace a few words: of spans that
// stand together, as those of one trace mostly do, only the first names the trace.
type links struct {
	// most is how many slots there may be, a power of two; 0 is linkSlots. It never changes.
	most int
	size atomic.Int64 // of slots, groups and heads, in bytes

	mu sync.Mutex // guards all below
	// slots are the links; added is how many there ever were.
	slots []link
	added uint64
	// groups are links of one trace that came together; grouped is how many there ever were.
	groups  []linkGroup
	grouped uint64
	// heads are the newest groups by the hash of their trace, counted from 1; each leads to the one before.
	heads []uint64
}

type link struct{ id, parent pcommon.SpanID }

// linkGroup is n links from the one that was added as the first.
type linkGroup struct {
	trace    traceKey
	first    uint64
	n        uint32
	previous uint64 // the group before with the same hash, counted from 1
}

// A ring of linkSlots takes 4.3 MiB: a link 16 bytes, a group for every two of them 32, and a head for every four 8.
const (
	linkSlots  = 1 << 17
	firstSlots = 1 << 10
	leastSlots = 1 << 4
	slotBytes  = 34 // with its part of groups and heads
)

// slotsWithin is how many slots a ring may have in so many bytes.
func slotsWithin(bytes int64) int {
	return min(max(1<<bits.Len64(uint64(bytes/slotBytes))/2, leastSlots), linkSlots)
}

// bytes is what the ring keeps alive.
func (l *links) bytes() int64 { return l.size.Load() }

// longestTrace is how many links a trace gets from the ring, or a few more.
const longestTrace = 1 << 14

// linkBatch is the links of a batch, in the order of its spans.
type linkBatch struct {
	links  []link
	traces []tracedLinks
}

// tracedLinks are the next n links of a batch, which are of one trace.
type tracedLinks struct {
	id  pcommon.TraceID
	key traceKey
	n   int
}

// add notes a span's parent.
func (b *linkBatch) add(id pcommon.TraceID, l link) {
	if last := len(b.traces) - 1; last >= 0 && b.traces[last].id == id {
		b.traces[last].n++
	} else {
		b.traces = append(b.traces, tracedLinks{id: id, key: keyOf(id), n: 1})
	}
	b.links = append(b.links, l)
}

// reset forgets all links, and room for more of them than are to be kept.
func (b *linkBatch) reset() {
	if max(cap(b.links), cap(b.traces)) > maxKeptLinks {
		*b = linkBatch{}
	}
	b.links, b.traces = b.links[:0], b.traces[:0]
}

// put remembers the links of a batch.
func (l *links) put(b *linkBatch) {
	if len(b.links) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeRoom(len(b.links), len(b.traces))
	first := l.added
	for _, t := range b.traces {
		l.lead(linkGroup{trace: t.key, first: first, n: uint32(t.n)})
		first += uint64(t.n)
	}
	for rest := b.links; len(rest) > 0; {
		n := copy(l.slots[l.added&uint64(len(l.slots)-1):], rest)
		l.added += uint64(n)
		rest = rest[n:]
	}
}

// lead puts a group into the ring, in front of those with the same hash.
func (l *links) lead(g linkGroup) {
	head := &l.heads[uint64(g.trace)&uint64(len(l.heads)-1)]
	g.previous = *head
	l.groups[l.grouped&uint64(len(l.groups)-1)] = g
	l.grouped++
	*head = l.grouped
}

// makeRoom has the ring grow before so many links and groups push out others, as far as it may. It has never been
// round before it is as large as it may be, so what is in it stays where it is.
func (l *links) makeRoom(links, groups int) {
	most := l.most
	if most == 0 {
		most = linkSlots
	}
	n := max(len(l.slots), min(firstSlots, most))
	for n < most && (l.added+uint64(links) > uint64(n) || l.grouped+uint64(groups) > uint64(n/2)) {
		n *= 2
	}
	if n == len(l.slots) {
		return
	}
	slots, old, grouped := l.slots, l.groups, l.grouped
	l.slots, l.groups, l.heads, l.grouped = make([]link, n), make([]linkGroup, n/2), make([]uint64, n/4), 0
	copy(l.slots, slots)
	for i := range grouped {
		l.lead(old[i])
	}
	l.size.Store(int64(n) * slotBytes)
}

// of calls add for each link of a trace that is still there, the newest groups first; of a trace that is longer than any
// real one for as many as are worth the time.
func (l *links) of(k traceKey, add func(span, parent pcommon.SpanID)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heads == nil {
		return
	}
	slots, groups := uint64(len(l.slots)), uint64(len(l.groups))
	oldest := l.added - min(l.added, slots)
	rest := longestTrace
	for at := l.heads[uint64(k)%uint64(len(l.heads))]; at > 0 && at+groups > l.grouped && rest > 0; {
		g := &l.groups[(at-1)%groups]
		if g.trace == k {
			rest -= int(g.n)
			for i := max(g.first, oldest); i < g.first+uint64(g.n); i++ {
				add(l.slots[i%slots].id, l.slots[i%slots].parent)
			}
		}
		at = g.previous
	}
}
