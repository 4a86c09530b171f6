package closedruns

import (
	"hash/maphash"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// The sizes of closed runs in bytes, measured once and rounded up.
const (
	// RunBytes is the size of a [Run], and CachedBytes that of a closed run in a [Cache].
	RunBytes    = 80
	CachedBytes = 80
)

// Runs is what a trace remembers about its closed runs: enough to recognize a late span.
type Runs []Run

// Run is the anchor of a closed run. A run without an anchor has no ID, and the time that its calls took.
type Run struct {
	agentrun.Span
	Kind   agentrun.AnchorKind
	Reason agentrun.CloseReason // what closed it
	// Name is a hash of the agent's name, 0 if unknown.
	Name uint32
	At   int64 // when it closed, in nanoseconds since 1970
	// Number is its number in the cache, 0 if it never was there.
	Number uint64
}

// Since is how long before now a run closed.
func (r Run) Since(now time.Time) time.Duration {
	return max(0, now.Sub(time.Unix(0, r.At)))
}

// Has reports whether p has a run, whenever that closed.
func (p Runs) Has(r Run) bool {
	return slices.ContainsFunc(p, func(k Run) bool { return k.Span == r.Span && k.Kind == r.Kind })
}

// Closed returns the closed run of its process that s represents. Either s is its anchor, or the run closed without an anchor
// because s was late. If there are several, the first counts.
func (p Runs) Closed(s *agentrun.Span) (r Run, ok bool) {
	unanchored := -1
	for i := range p { // a closed run is large, and looked at where it is
		r := &p[i]
		switch {
		case r.Process.DiffersFrom(s.Process): // else a sender that knows the IDs could close it before it arrives
		case r.ID == s.ID:
			return *r, true
		case unanchored < 0 && r.ID.IsEmpty() && s.Start <= r.Start && r.End <= s.End:
			unanchored = i
		}
	}
	if unanchored < 0 {
		return r, false
	}
	return p[unanchored], true
}

// Last are the last n of p.
func (p Runs) Last(n int) Runs { return p[max(0, len(p)-n):] }

// CutInto reports whether runs of the trace were closed early in the time of s, so that they may have taken calls of s.
func (p Runs) CutInto(s agentrun.Span) bool {
	for i := range p {
		if r := &p[i]; r.Reason != agentrun.ByAnchor && agentrun.Overlap(r.Span, s) {
			return true
		}
	}
	return false
}

// Cache remembers the runs that closed last, up to a bound. They are in a ring without pointers, which costs the garbage
// collector nothing. Runs are found by the hash of their trace: those with the same hash are a chain, from the newest to the
// oldest. A place that a newer run has taken ends its chain. A map of lists took four times the memory.
//
// It also remembers evictions: traces of which calls were dropped, because a limit closed them or they were idle. Each takes a
// place like a run.
type Cache struct {
	ring []cachedRun
	most int
	// count is how many runs there were so far. The last of them is number count, and its place (count-1)%most.
	count uint64
	// newest has the newest run of each hash, as the low half of its number. Its length is the capacity for runs.
	newest  []uint32
	seed    maphash.Seed
	found   Runs // the last result of Of
	dropped Dropped
}

// cachedRun is a closed run in the ring.
type cachedRun struct {
	trace   pcommon.TraceID
	id      pcommon.SpanID
	parent  pcommon.SpanID
	start   pcommon.Timestamp
	end     pcommon.Timestamp
	at      int64
	process agentrun.Process
	name    uint32
	before  uint32 // the next older one of the chain, as in newest
	kind    agentrun.AnchorKind
	reason  agentrun.CloseReason
	gone    bool // its trace has opened again
	evicted bool // it is no run, but an eviction of the trace
}

func (r *cachedRun) run(number uint64) Run {
	return Run{
		Span: agentrun.Span{Trace: r.trace, ID: r.id, Parent: r.parent, Start: r.start, End: r.end, Process: r.process},
		Kind: r.kind, Reason: r.reason, At: r.at, Name: r.name, Number: number,
	}
}

// NewCache returns an empty cache that keeps at most that number of runs.
func NewCache(most int) Cache {
	return Cache{most: most, seed: maphash.MakeSeed()}
}

// Size is how many bytes the cache keeps alive.
func (c *Cache) Size() int {
	return cap(c.ring)*CachedBytes + len(c.newest)*4 + cap(c.found)*RunBytes
}

// Len is how many closed runs have a place in the cache.
func (c *Cache) Len() int { return len(c.ring) }

// Of returns the runs of a trace, the oldest first. The slice is valid until the next call.
func (c *Cache) Of(id pcommon.TraceID) Runs {
	c.found = c.found[:0]
	c.each(id, false, func(r *cachedRun, number uint64) { c.found = append(c.found, r.run(number)) })
	slices.Reverse(c.found)
	return c.found
}

// Called returns the closed run that the call certainly belongs to. Either the call's parent is its anchor, or it closed
// without an anchor and its time contains the call. If there are several, the oldest counts. Less certain cases are decided
// when the trace is examined.
func (c *Cache) Called(call *agentrun.Span) (r Run, ok bool) {
	return c.oldest(call, func(r *cachedRun) bool {
		if r.id.IsEmpty() {
			return r.start <= call.Start && call.End <= r.end
		}
		return r.id == call.Parent
	})
}

// Closed is [Runs.Closed] for a trace that is not open.
func (c *Cache) Closed(s *agentrun.Span) (r Run, ok bool) {
	if r, ok = c.oldest(s, func(r *cachedRun) bool { return r.id == s.ID }); ok {
		return r, true
	}
	return c.oldest(s, func(r *cachedRun) bool { return r.id.IsEmpty() && s.Start <= r.start && r.end <= s.End })
}

// Latest returns the run of a trace that closed last.
func (c *Cache) Latest(id pcommon.TraceID) (r Run, ok bool) {
	c.each(id, false, func(k *cachedRun, number uint64) {
		if !ok {
			r, ok = k.run(number), true
		}
	})
	return r, ok
}

// oldest returns the oldest run of the trace and the process of s for which so holds.
func (c *Cache) oldest(s *agentrun.Span, so func(*cachedRun) bool) (r Run, ok bool) {
	var found *cachedRun
	var at uint64
	c.each(s.Trace, false, func(k *cachedRun, number uint64) {
		if !k.process.DiffersFrom(s.Process) && so(k) {
			found, at = k, number
		}
	})
	if found == nil {
		return r, false
	}
	return found.run(at), true
}

// Forget drops the runs of a trace that opens again.
func (c *Cache) Forget(id pcommon.TraceID) {
	c.each(id, false, func(r *cachedRun, _ uint64) { r.gone = true })
}

// Remember replaces what the cache has about the trace by p.
func (c *Cache) Remember(id pcommon.TraceID, p Runs) {
	c.Forget(id)
	c.Keep(id, p)
}

// Keep adds p for a trace that the cache does not have, or that was forgotten. A run that still has a place keeps it:
// otherwise a trace that opens and closes again and again would push out all others.
func (c *Cache) Keep(id pcommon.TraceID, p Runs) {
	if c.most == 0 {
		return
	}
	for _, r := range p {
		if c.count-r.Number < uint64(len(c.ring)) && r.Number > 0 {
			c.at(r.Number).gone = false
			continue
		}
		c.add(cachedRun{
			trace: id, id: r.ID, parent: r.Parent, start: r.Start, end: r.End, at: r.At, process: r.Process,
			name: r.Name, kind: r.Kind, reason: r.Reason,
		})
	}
}

// KeepEviction notes that a trace closed at a time, and that calls which may count for later runs of it were dropped.
func (c *Cache) KeepEviction(id pcommon.TraceID, at int64, reason agentrun.CloseReason) {
	if c.most > 0 {
		c.add(cachedRun{trace: id, start: pcommon.Timestamp(at), end: pcommon.Timestamp(at), at: at, reason: reason, evicted: true})
	}
}

// each calls f with the runs of a trace, or with its evictions, the newest first.
func (c *Cache) each(id pcommon.TraceID, evicted bool, f func(r *cachedRun, number uint64)) {
	if len(c.ring) == 0 {
		return
	}
	n, oldest := *c.chain(id), uint32(len(c.ring))
	for age := uint32(0); ; {
		younger := uint32(c.count) - n // the number of younger runs
		if younger >= oldest || younger < age {
			return
		}
		age = younger + 1
		number := c.count - uint64(younger)
		r := c.at(number)
		if r.trace == id && r.evicted == evicted && !r.gone {
			f(r, number)
		}
		n = r.before
	}
}

// at is the run of that number.
func (c *Cache) at(number uint64) *cachedRun { return &c.ring[(number-1)%uint64(c.most)] }

// chain is the place of the newest run whose trace has the hash of id.
func (c *Cache) chain(id pcommon.TraceID) *uint32 {
	return &c.newest[maphash.Bytes(c.seed, id[:])&uint64(len(c.newest)-1)]
}

func (c *Cache) add(r cachedRun) {
	if len(c.ring) < c.most {
		c.grow()
		c.ring = append(c.ring, cachedRun{})
	} else {
		c.dropped.add(c.at(c.count + 1))
	}
	c.count++
	*c.at(c.count) = r
	c.link(c.count)
}

// link puts the run of that number in front of its chain.
func (c *Cache) link(number uint64) {
	r := c.at(number)
	head := c.chain(r.trace)
	r.before, *head = *head, uint32(number)
}

// grow doubles the capacity of a full ring. Until the ring has its final size, numbers begin with its first place.
func (c *Cache) grow() {
	const first = 8
	if len(c.ring) < len(c.newest) {
		return
	}
	c.newest = make([]uint32, max(first, 2*len(c.newest)))
	c.ring = slices.Grow(c.ring, min(len(c.newest), c.most)-len(c.ring))
	for number := range c.count {
		c.link(number + 1)
	}
}
