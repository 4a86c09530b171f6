package tracebuffer

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// closedRuns is what a trace remembers of its closed runs: enough to know a late span.
type closedRuns []closedRun

// closedRun is the anchor of a closed run. A run without one has no id, and the time that its calls took.
type closedRun struct {
	agentrun.Span
	kind   agentrun.AnchorKind
	reason agentrun.CloseReason // what closed it
	at     int64                // when it closed, in nanoseconds since 1970
	// number is where the memory has it, 0 if it never had.
	number uint64
}

// since is how long before now a run closed.
func (r closedRun) since(now time.Time) time.Duration {
	return max(0, now.Sub(time.Unix(0, r.at)))
}

// has reports whether p knows of a run, whenever that closed.
func (p closedRuns) has(r closedRun) bool {
	return slices.ContainsFunc(p, func(k closedRun) bool { return k.Span == r.Span && k.kind == r.kind })
}

// closed is the run of its process that s would stand for, if that has closed: with s itself as its anchor, or without one
// because s came too late. Of several the first counts.
func (p closedRuns) closed(s *agentrun.Span) (r closedRun, ok bool) {
	headless := none
	for i := range p { // a closed run is large, and looked at where it is
		r := &p[i]
		switch {
		case r.Process.DiffersFrom(s.Process): // whoever knows the ids could have it closed before it has come
		case r.ID == s.ID:
			return *r, true
		case headless == none && r.ID.IsEmpty() && s.Start <= r.Start && r.End <= s.End:
			headless = i
		}
	}
	if headless == none {
		return r, false
	}
	return p[headless], true
}

// last are the last n of p.
func (p closedRuns) last(n int) closedRuns { return p[max(0, len(p)-n):] }

// cutInto reports whether runs of the trace were closed early in the time of s: calls of s may have been taken for theirs.
func (p closedRuns) cutInto(s agentrun.Span) bool {
	for i := range p {
		if r := &p[i]; r.reason != agentrun.ByAnchor && agentrun.Overlap(r.Span, s) {
			return true
		}
	}
	return false
}

// restoreClosed remembers the closed runs of t that are not known yet.
func (b *Buffer) restoreClosed(t *trace, closed closedRuns) {
	before := len(t.closedRuns)
	for _, r := range closed {
		if !t.closedRuns.has(r) {
			t.remember(r)
		}
	}
	t.trimClosed()
	b.resize(t, (len(t.closedRuns)-before)*closedRunBytes)
}

// decisionCache remembers the runs that closed last, at most so many of them. They stand in a ring without pointers, which
// costs the garbage collector nothing, and are found by their traces: those with the same hash are a chain, from the newest to
// the oldest. A place that a newer run has taken ends its chain. A map of lists took four times the memory.
type decisionCache struct {
	ring []cachedRun
	most int
	// count is how many runs there were so far. The last of them is number count, and its place (count-1)%most.
	count uint64
	// newest are the newest runs by hash, as the low half of their numbers. There are as many as runs have room.
	newest []uint32
	seed   maphash.Seed
	found  closedRuns // what of returned last
}

// cachedRun is a closed run that stands in the ring.
type cachedRun struct {
	trace   pcommon.TraceID
	id      pcommon.SpanID
	parent  pcommon.SpanID
	start   pcommon.Timestamp
	end     pcommon.Timestamp
	at      int64
	process agentrun.Process
	before  uint32 // the next older one of the chain, as in newest
	kind    agentrun.AnchorKind
	reason  agentrun.CloseReason
	gone    bool // its trace has opened again
}

func (r *cachedRun) run(number uint64) closedRun {
	return closedRun{
		Span: agentrun.Span{Trace: r.trace, ID: r.id, Parent: r.parent, Start: r.start, End: r.end, Process: r.process},
		kind: r.kind, reason: r.reason, at: r.at, number: number,
	}
}

func newDecisionCache(most int) decisionCache {
	return decisionCache{most: most, seed: maphash.MakeSeed()}
}

// bytes is what the memory keeps alive.
func (m *decisionCache) bytes() int {
	return cap(m.ring)*cachedRunBytes + len(m.newest)*4 + cap(m.found)*closedRunBytes
}

// of returns the runs of a trace, the oldest first. They are void when m is next asked for any.
func (m *decisionCache) of(id pcommon.TraceID) closedRuns {
	m.found = m.found[:0]
	m.each(id, func(r *cachedRun, number uint64) { m.found = append(m.found, r.run(number)) })
	slices.Reverse(m.found)
	return m.found
}

// called is the closed run that the call surely belongs to: its parent is the anchor, or the run closed without one and
// its time contains the call. Of several it is the oldest. What only seems to is found out when its trace is examined.
func (m *decisionCache) called(call *agentrun.Span) (r closedRun, ok bool) {
	return m.oldest(call, func(r *cachedRun) bool {
		if r.id.IsEmpty() {
			return r.start <= call.Start && call.End <= r.end
		}
		return r.id == call.Parent
	})
}

// closed is what [closedRuns.closed] finds of a trace that is not open.
func (m *decisionCache) closed(s *agentrun.Span) (r closedRun, ok bool) {
	if r, ok = m.oldest(s, func(r *cachedRun) bool { return r.id == s.ID }); ok {
		return r, true
	}
	return m.oldest(s, func(r *cachedRun) bool { return r.id.IsEmpty() && s.Start <= r.start && r.end <= s.End })
}

// latest is the run of a trace that closed last.
func (m *decisionCache) latest(id pcommon.TraceID) (r closedRun, ok bool) {
	m.each(id, func(k *cachedRun, number uint64) {
		if !ok {
			r, ok = k.run(number), true
		}
	})
	return r, ok
}

// oldest is the oldest run of the trace and the process of s that is so.
func (m *decisionCache) oldest(s *agentrun.Span, so func(*cachedRun) bool) (r closedRun, ok bool) {
	var found *cachedRun
	var at uint64
	m.each(s.Trace, func(k *cachedRun, number uint64) {
		if !k.process.DiffersFrom(s.Process) && so(k) {
			found, at = k, number
		}
	})
	if found == nil {
		return r, false
	}
	return found.run(at), true
}

// forget drops the runs of a trace that opens again.
func (m *decisionCache) forget(id pcommon.TraceID) {
	m.each(id, func(r *cachedRun, _ uint64) { r.gone = true })
}

// remember keeps p for the trace, in place of what it knew of it.
func (m *decisionCache) remember(id pcommon.TraceID, p closedRuns) {
	m.forget(id)
	m.keep(id, p)
}

// keep remembers p for a trace of which nothing is known, or which is forgotten. What still has a place keeps that: a trace
// that opens and closes over and over would push out all others.
func (m *decisionCache) keep(id pcommon.TraceID, p closedRuns) {
	if m.most == 0 {
		return
	}
	for _, r := range p {
		if m.count-r.number < uint64(len(m.ring)) && r.number > 0 {
			m.at(r.number).gone = false
			continue
		}
		m.add(cachedRun{
			trace: id, id: r.ID, parent: r.Parent, start: r.Start, end: r.End, at: r.at, process: r.Process,
			kind: r.kind, reason: r.reason,
		})
	}
}

// each calls f with the runs of a trace, the newest first.
func (m *decisionCache) each(id pcommon.TraceID, f func(r *cachedRun, number uint64)) {
	if len(m.ring) == 0 {
		return
	}
	n, oldest := *m.chain(id), uint32(len(m.ring))
	for age := uint32(0); ; {
		younger := uint32(m.count) - n // so many came after it
		if younger >= oldest || younger < age {
			return
		}
		age = younger + 1
		number := m.count - uint64(younger)
		r := m.at(number)
		if r.trace == id && !r.gone {
			f(r, number)
		}
		n = r.before
	}
}

// at is the run of that number.
func (m *decisionCache) at(number uint64) *cachedRun { return &m.ring[(number-1)%uint64(m.most)] }

// chain is where the newest run is noted of those with the hash of a trace.
func (m *decisionCache) chain(id pcommon.TraceID) *uint32 {
	return &m.newest[maphash.Bytes(m.seed, id[:])&uint64(len(m.newest)-1)]
}

func (m *decisionCache) add(r cachedRun) {
	if len(m.ring) < m.most {
		m.grow()
		m.ring = append(m.ring, cachedRun{})
	}
	m.count++
	*m.at(m.count) = r
	m.link(m.count)
}

// link puts the run of that number in front of its chain.
func (m *decisionCache) link(number uint64) {
	r := m.at(number)
	head := m.chain(r.trace)
	r.before, *head = *head, uint32(number)
}

// grow doubles the room of a ring that has no more. Until it is full, numbers begin with its first place.
func (m *decisionCache) grow() {
	const first = 8
	if len(m.ring) < len(m.newest) {
		return
	}
	m.newest = make([]uint32, max(first, 2*len(m.newest)))
	m.ring = slices.Grow(m.ring, min(len(m.newest), m.most)-len(m.ring))
	for number := range m.count {
		m.link(number + 1)
	}
}
