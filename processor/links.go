package processor

import (
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// links remembers the parents of ordinary spans for a while, so that a trace that turns out to be agentic finds the
// links that came before. It is a ring: what is newer pushes out what is oldest.
//
// A batch brings its links at once, so that a span costs a copy of its two ids and a trace a few words: of spans that
// stand together, as those of one trace mostly do, only the first names the trace.
type links struct {
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

// A link takes 16 bytes and a group 32: 4.3 MiB in all, once there are any.
const (
	linkSlots  = 1 << 17
	linkGroups = 1 << 16
	linkHeads  = 1 << 15
)

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

func (b *linkBatch) reset() { b.links, b.traces = b.links[:0], b.traces[:0] }

// put remembers the links of a batch.
func (l *links) put(b *linkBatch) {
	if len(b.links) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots == nil {
		l.slots, l.groups, l.heads = make([]link, linkSlots), make([]linkGroup, linkGroups), make([]uint64, linkHeads)
	}
	rest := b.links
	for _, t := range b.traces {
		head := &l.heads[uint64(t.key)%linkHeads]
		l.groups[l.grouped%linkGroups] = linkGroup{trace: t.key, first: l.added, n: uint32(t.n), previous: *head}
		l.grouped++
		*head = l.grouped
		for _, known := range rest[:t.n] {
			l.slots[l.added%linkSlots] = known
			l.added++
		}
		rest = rest[t.n:]
	}
}

// of calls add for each link of a trace that is still there, the newest groups first; of a trace that is longer than any
// real one for as many as are worth the time.
func (l *links) of(k traceKey, add func(span, parent pcommon.SpanID)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heads == nil {
		return
	}
	oldest := l.added - min(l.added, linkSlots)
	rest := longestTrace
	for at := l.heads[uint64(k)%linkHeads]; at > 0 && at+linkGroups > l.grouped && rest > 0; {
		g := &l.groups[(at-1)%linkGroups]
		if g.trace == k {
			rest -= int(g.n)
			for i := max(g.first, oldest); i < g.first+uint64(g.n); i++ {
				add(l.slots[i%linkSlots].id, l.slots[i%linkSlots].parent)
			}
		}
		at = g.previous
	}
}
