package lookup

import (
	"math"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// ParentCache remembers the parents of ordinary spans for a while, so that a trace that turns out to be agentic finds its
// earlier links. It is a ring: newer links push out the oldest. The ring is made for the first link. When it is full it
// doubles, up to its bound.
//
// A batch adds all its links at once, so that a span costs a copy of its two IDs and a trace a few words. Spans of one trace
// are usually neighbours, and only the first of them names the trace.
type ParentCache struct {
	// most is how many slots there may be, a power of two; 0 is maxSlots. It never changes.
	most  int
	total atomic.Int64 // of slots, groups and heads, in bytes

	mu sync.Mutex // guards all below
	// slots are the links; added is how many there ever were.
	slots []ParentLink
	added uint64
	// groups has links of one trace that arrived together. grouped counts all groups since the start.
	groups  []parentGroup
	grouped uint64
	// whole is how many groups lost links before the oldest one that lost none. lost is when the newest of them came, in
	// seconds since 1970.
	whole uint64
	lost  uint32
	// heads are the newest groups by the hash of their trace, counted from 1; each leads to the one before.
	heads []uint64
}

// A ParentLink is that a span has a parent.
type ParentLink struct{ ID, Parent pcommon.SpanID }

// parentGroup is n links that a process recorded, beginning with the link of the number first.
type parentGroup struct {
	trace    TraceKey
	process  agentrun.Process
	first    uint64
	n        uint32
	second   uint32 // when it came, in seconds since 1970
	previous uint64 // the group before with the same hash, counted from 1
}

// A ring of maxSlots takes 4.8 MiB: 16 bytes for each link, 40 for every two (a group), and 8 for every four (a head).
const (
	maxSlots   = 1 << 17
	firstSlots = 1 << 10
	leastSlots = 1 << 4
	slotBytes  = 38 // with its part of groups and heads
)

// Limit bounds the cache to that number of bytes. The caller must call it before the first use.
func (l *ParentCache) Limit(bytes int64) { l.most = slotsWithin(bytes) }

// Slots is how many links the cache remembers at most.
func (l *ParentCache) Slots() int { return l.most }

// slotsWithin is how many slots a ring may have if it may take that number of bytes.
func slotsWithin(bytes int64) int {
	return min(max(1<<bits.Len64(uint64(bytes/slotBytes))/2, leastSlots), maxSlots)
}

// Size is how many bytes the ring keeps alive.
func (l *ParentCache) Size() int64 { return l.total.Load() }

// maxKeptLinks is the capacity that a batch keeps for the next one. Links are small, and ordinary spans are many.
const maxKeptLinks = 1 << 14

// longestTrace is how many links a trace gets from the ring, or a few more.
const longestTrace = 1 << 14

// ParentBatch has the links of a batch, in the order of its spans. Process is the process of the links that are added next.
type ParentBatch struct {
	Links   []ParentLink
	Traces  []TraceLinks
	Process agentrun.Process
}

// TraceLinks are the next n links of a batch, which are of one trace and one process.
type TraceLinks struct {
	ID      pcommon.TraceID
	Key     TraceKey
	Process agentrun.Process
	N       int
}

// Add notes a span's parent.
func (b *ParentBatch) Add(id pcommon.TraceID, l ParentLink) {
	if last := len(b.Traces) - 1; last >= 0 && b.Traces[last].ID == id && b.Traces[last].Process == b.Process {
		b.Traces[last].N++
	} else {
		b.Traces = append(b.Traces, TraceLinks{ID: id, Key: KeyOf(id), Process: b.Process, N: 1})
	}
	b.Links = append(b.Links, l)
}

// Reset forgets all links, and gives up memory beyond the bound.
func (b *ParentBatch) Reset() {
	if max(cap(b.Links), cap(b.Traces)) > maxKeptLinks {
		*b = ParentBatch{}
	}
	b.Links, b.Traces, b.Process = b.Links[:0], b.Traces[:0], 0
}

// Add remembers the links of a batch, part by part, because all batches wait for the ring. second is when the batch came, since
// 1970.
func (l *ParentCache) Add(second uint32, b *ParentBatch) {
	rest := b.Links
	for traces := range slices.Chunk(b.Traces, maxHeld) {
		n := 0
		for i := range traces {
			n += traces[i].N
		}
		l.putSome(second, rest[:n], traces)
		rest = rest[n:]
	}
}

func (l *ParentCache) putSome(second uint32, all []ParentLink, traces []TraceLinks) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.makeRoom(len(all), len(traces))
	l.noteLost(second, uint64(len(all)), uint64(len(traces)))
	first := l.added
	for i := range traces {
		l.addGroup(parentGroup{trace: traces[i].Key, process: traces[i].Process, first: first, n: uint32(traces[i].N), second: second})
		first += uint64(traces[i].N)
	}
	for len(all) > 0 {
		n := copy(l.slots[l.added&uint64(len(l.slots)-1):], all)
		l.added += uint64(n)
		all = all[n:]
	}
}

// noteLost notes which groups lose links when others are added.
func (l *ParentCache) noteLost(second uint32, links, groups uint64) {
	oldest := l.added + links - min(l.added+links, uint64(len(l.slots)))
	oldestGroup := l.grouped + groups - min(l.grouped+groups, uint64(len(l.groups)))
	for ; l.whole < l.grouped; l.whole++ {
		g := &l.groups[l.whole&uint64(len(l.groups)-1)]
		if l.whole >= oldestGroup && g.first >= oldest {
			return
		}
		l.lost = max(l.lost, g.second)
	}
	if oldest > l.added || oldestGroup > l.grouped { // the new ones have no room either
		l.lost, l.whole = max(l.lost, second), max(l.whole, oldestGroup)
	}
}

// Lost is the end of the second in which the newest link came that is forgotten. It is 0 if none is.
func (l *ParentCache) Lost() pcommon.Timestamp {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == 0 {
		return 0
	}
	return pcommon.Timestamp(l.lost)*1e9 + 1e9
}

// addGroup puts a group into the ring, in front of those with the same hash.
func (l *ParentCache) addGroup(g parentGroup) {
	head := &l.heads[uint64(g.trace)&uint64(len(l.heads)-1)]
	g.previous = *head
	l.groups[l.grouped&uint64(len(l.groups)-1)] = g
	l.grouped++
	*head = l.grouped
}

// makeRoom lets the ring grow, up to its bound, before the new links and groups push out others. Until it has its final size
// the ring never wraps around, so its content stays in place.
func (l *ParentCache) makeRoom(links, groups int) {
	most := l.most
	if most == 0 {
		most = maxSlots
	}
	n := max(len(l.slots), min(firstSlots, most))
	for n < most && (l.added+uint64(links) > uint64(n) || l.grouped+uint64(groups) > uint64(n/2)) {
		n *= 2
	}
	if n == len(l.slots) {
		return
	}
	slots, old, grouped := l.slots, l.groups, l.grouped
	l.slots, l.groups, l.heads, l.grouped = make([]ParentLink, n), make([]parentGroup, n/2), make([]uint64, n/4), 0
	copy(l.slots, slots)
	for i := range grouped {
		l.addGroup(old[i])
	}
	l.total.Store(int64(n) * slotBytes)
}

// Each calls add for each link of a trace that is still there, the newest groups first. For a trace longer than any real
// one, it stops at a bound. It returns how many groups and links it examined, and until when links came that may be missing: see
// [ParentCache.Lost]. If it stops at a bound, any may be missing.
func (l *ParentCache) Each(k TraceKey, add func(span, parent pcommon.SpanID, by agentrun.Process)) (looked int, missing pcommon.Timestamp) {
	var found [maxHeld]foundLink
	w := walk{key: k, links: longestTrace, groups: maxGroups}
	for more := true; more; {
		var n int
		n, more = l.take(&w, &found)
		for i := range found[:n] {
			add(found[i].ID, found[i].Parent, found[i].process)
		}
	}
	missing = l.Lost()
	if w.links <= 0 || w.groups <= 0 {
		missing = math.MaxUint64
	}
	return longestTrace - w.links + maxGroups - w.groups, missing
}

// maxGroups bounds how many groups of links are examined for a trace. Two groups have the same hash if there is one for each
// bucket of the ring. More are the trace's own, whose spans arrived one by one.
const maxGroups = 1 << 12

// maxHeld is how many groups, and how many links, are looked at before others get at the ring.
const maxHeld = 64

// A walk visits the links of a trace, from the newest group to older ones. It ends at a group that has left the ring.
type walk struct {
	key TraceKey
	// links and groups are how many may still be looked at.
	links, groups int
	begun         bool
	at            uint64 // the group to look at, counted from 1; 0 is none
	left          uint64 // how many links of it have not been taken
}

// foundLink is a link with the process that recorded it.
type foundLink struct {
	ParentLink
	process agentrun.Process
}

// take finds some of the links of a walk. It returns how many, and whether there may be more.
func (l *ParentCache) take(w *walk, found *[maxHeld]foundLink) (n int, more bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.heads == nil {
		return 0, false
	}
	if !w.begun {
		w.begun = true
		w.enter(l, l.heads[uint64(w.key)&uint64(len(l.heads)-1)])
	}
	slots := uint64(len(l.slots))
	oldest := l.added - min(l.added, slots)
	for range maxHeld {
		g := l.group(w.at)
		if g == nil || w.links <= 0 || w.groups <= 0 {
			return n, false
		}
		for ; w.left > 0 && w.links > 0 && n < maxHeld; w.left-- {
			i := g.first + w.left - 1 // the newest first
			if i < oldest {
				w.left = 0
				break
			}
			found[n] = foundLink{l.slots[i&(slots-1)], g.process}
			n++
			w.links--
		}
		if w.left > 0 {
			return n, w.links > 0
		}
		w.groups--
		w.enter(l, g.previous)
	}
	return n, true
}

// enter continues with a group. Groups of other traces with the same hash have no links to take.
func (w *walk) enter(l *ParentCache, at uint64) {
	w.at, w.left = at, 0
	if g := l.group(at); g != nil && g.trace == w.key {
		w.left = uint64(g.n)
	}
}

// group returns the group of that number. It is nil if there is none, if it has left the ring, or if a newer one lost links.
func (l *ParentCache) group(number uint64) *parentGroup {
	groups := uint64(len(l.groups))
	if number == 0 || number+groups <= l.grouped || number < l.whole {
		return nil
	}
	return &l.groups[(number-1)&(groups-1)]
}
