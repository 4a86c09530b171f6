package lookup

import (
	"cmp"
	"sync"
	"sync/atomic"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// ParentCache remembers the parents of ordinary spans for a while, so that a trace that turns out to be agentic finds its
// earlier links. It is a ring: newer links push out the oldest. A chain of parents with a lost link is broken, and what it
// decided is then in doubt. The ring is made for the first link.
//
// A batch adds all its links at once, so that a span costs a copy of its two IDs and a trace a few words. Spans of one trace
// are usually neighbours, and only the first of them names the trace.
type ParentCache struct {
	// most is how many slots there are, a power of two; 0 is maxSlots. It never changes.
	most int
	made atomic.Int64 // how many slots there are; 0 before the first link

	mu sync.Mutex // guards all below
	// slots are the links; added is how many there ever were.
	slots []evidence.Link
	added uint64
	// groups has links of one trace that arrived together. grouped counts all groups since the start.
	groups  []parentGroup
	grouped uint64
	// heads are the newest groups by the hash of their trace, counted from 1; each leads to the one before.
	heads []uint64
}

// parentGroup is n links of a trace, beginning with the link of the number first.
type parentGroup struct {
	trace    TraceKey
	first    uint64
	n        uint32
	previous uint64 // the group before with the same hash, counted from 1
}

// A ring of maxSlots takes 4.5 MiB: 16 bytes for each link, and for every two 32 for a group and 8 for a head.
const (
	maxSlots  = 1 << 17
	slotBytes = 36 // with its part of groups and heads
)

// Limit bounds the cache to that number of bytes. The caller must call it before the first use.
func (l *ParentCache) Limit(bytes int64) { l.most = powerWithin(bytes/slotBytes, maxSlots) }

// Size is how many bytes the ring takes.
func (l *ParentCache) Size() int64 { return l.made.Load() * slotBytes }

const (
	// maxKeptLinks is the capacity that a batch keeps for the next one. Links are small, and ordinary spans are many.
	maxKeptLinks = 1 << 14
	// longestTrace is how many links a trace gets from the ring, and maxGroups how many groups are looked at for them.
	longestTrace = 1 << 14
	maxGroups    = 1 << 12
)

// ParentBatch has the links of a batch, in the order of its spans.
type ParentBatch struct {
	Links  []evidence.Link
	Traces []TraceLinks
}

// TraceLinks are the next n links of a batch, which are of one trace.
type TraceLinks struct {
	Key  evidence.Key
	Hash TraceKey
	N    int
}

// Add notes a span's parent.
func (b *ParentBatch) Add(k evidence.Key, l evidence.Link) {
	if last := len(b.Traces) - 1; last >= 0 && b.Traces[last].Key == k {
		b.Traces[last].N++
	} else {
		b.Traces = append(b.Traces, TraceLinks{Key: k, Hash: KeyOf(k), N: 1})
	}
	b.Links = append(b.Links, l)
}

// Reset forgets all links, and gives up memory beyond the bound.
func (b *ParentBatch) Reset() {
	if max(cap(b.Links), cap(b.Traces)) > maxKeptLinks {
		*b = ParentBatch{}
	}
	b.Links, b.Traces = b.Links[:0], b.Traces[:0]
}

// Add remembers the links of a batch.
func (l *ParentCache) Add(b *ParentBatch) {
	if len(b.Links) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots == nil {
		n := cmp.Or(l.most, maxSlots)
		l.slots, l.groups, l.heads = make([]evidence.Link, n), make([]parentGroup, n/2), make([]uint64, n/2)
		l.made.Store(int64(n))
	}
	first := l.added
	for i := range b.Traces {
		l.addGroup(parentGroup{trace: b.Traces[i].Hash, first: first, n: uint32(b.Traces[i].N)})
		first += uint64(b.Traces[i].N)
	}
	for rest := b.Links; len(rest) > 0; {
		n := copy(l.slots[l.added&uint64(len(l.slots)-1):], rest)
		l.added += uint64(n)
		rest = rest[n:]
	}
}

// addGroup puts a group into the ring, in front of those with the same hash.
func (l *ParentCache) addGroup(g parentGroup) {
	head := &l.heads[uint64(g.trace)&uint64(len(l.heads)-1)]
	g.previous = *head
	l.groups[l.grouped&uint64(len(l.groups)-1)] = g
	l.grouped++
	*head = l.grouped
}

// AppendTo appends the links of a trace that are still there. Of a trace longer than any real one it returns a part.
func (l *ParentCache) AppendTo(links []evidence.Link, k TraceKey) []evidence.Link {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heads == nil {
		return links
	}
	oldest := l.added - min(l.added, uint64(len(l.slots)))
	at := l.heads[uint64(k)&uint64(len(l.heads)-1)]
	isInRing := func(group uint64) bool { return group != 0 && group+uint64(len(l.groups)) > l.grouped }
	for n := 0; n < maxGroups && len(links) < longestTrace && isInRing(at); n++ {
		g := &l.groups[(at-1)&uint64(len(l.groups)-1)]
		if g.trace == k {
			for i := max(g.first, oldest); i < g.first+uint64(g.n) && len(links) < longestTrace; i++ {
				links = append(links, l.slots[i&uint64(len(l.slots)-1)])
			}
		}
		at = g.previous
	}
	return links
}
