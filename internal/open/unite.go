package open

import (
	"hash/maphash"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A sighting says in which log an ID was seen.
type sighting struct {
	log   *log
	scope evidence.Scope
	// messages: a model call recorded the ID, of which there may be others in traces of their own.
	messages bool
}

// hashSeed is another one in every process, so that no sender can make IDs that meet. The table has hashes, because a confusion
// costs no more than that two logs are examined together.
type hashSeed struct{ calls, conversations maphash.Seed }

func newHashSeed() hashSeed { return hashSeed{maphash.MakeSeed(), maphash.MakeSeed()} }

func (s hashSeed) ofCall(partition uint64, id string) uint64 {
	return maphash.String(s.calls, id) ^ partition
}

func (s hashSeed) ofConversation(partition uint64, id string) uint64 {
	return maphash.String(s.conversations, id) ^ partition
}

// maxTraces bounds how many traces one log has.
const maxTraces = 1 << 10

// find notes the IDs of a fact, and unites its log with others that have one of them. It returns the place of the fact's trace.
func (l *Logs) find(now time.Time, at place, f *evidence.Fact) place {
	if l.set.WholeTrace {
		return at
	}
	partition := at.log.Traces[at.at].Key.Partition
	if l.set.Conversations && f.Conversation != "" {
		at = l.unite(now, at, l.seed.ofConversation(partition, f.Conversation), sighting{messages: true})
	}
	if c := f.Call; c != nil && evidence.IsUniqueCallID(c.ID) {
		at = l.unite(now, at, l.seed.ofCall(partition, c.ID), sighting{scope: f.Scope})
	}
	r := f.Response
	if r == nil {
		return at
	}
	s := sighting{scope: f.Scope, messages: r.MessagesOnly && !r.OfAgent}
	for i := range r.Requests {
		if id := r.Requests[i].ID; evidence.IsUniqueCallID(id) {
			at = l.unite(now, at, l.seed.ofCall(partition, id), s)
		}
	}
	if s.messages {
		for i := range r.Results {
			if id := r.Results[i].ID; evidence.IsUniqueCallID(id) {
				at = l.unite(now, at, l.seed.ofCall(partition, id), s)
			}
		}
	}
	return at
}

// unite notes that a log has an ID, and unites it with the log where the ID was seen before. One instrumentation that records an ID in
// two traces recorded two calls, unless they are model calls.
func (l *Logs) unite(now time.Time, at place, id uint64, s sighting) place {
	s.log = at.log
	known, again := l.shared[id]
	if !again {
		l.shared[id] = s
		if at.log.ids == nil {
			at.log.ids = make([]uint64, 0, 8)
		}
		at.log.ids = append(at.log.ids, id)
		l.grow(at.log, 8)
		_, lost := l.evicted.Get(id)
		at.log.parted = at.log.parted || lost
		return at
	}
	g := known.log
	for g.into != nil {
		g = g.into
	}
	if g == at.log || g.gone || g.Traces[0].Key.Partition != at.log.Traces[at.at].Key.Partition || !s.scope.MayDiffer(known.scope) && !(s.messages && known.messages) && s.scope != 0 {
		return at
	}
	if len(g.Traces)+len(at.log.Traces) > maxTraces {
		g.parted, at.log.parted = true, true
		return at
	}
	k := at.log.Traces[at.at].Key
	l.merge(now, g, at.log)
	return l.traces[k]
}

// merge adds the content of b to a.
func (l *Logs) merge(now time.Time, a, b *log) {
	if len(a.Traces) < len(b.Traces) {
		a, b = b, a
	}
	for i := range b.Traces {
		l.traces[b.Traces[i].Key] = place{a, len(a.Traces) + i}
	}
	a.Traces, a.state, a.ids = append(a.Traces, b.Traces...), append(a.state, b.state...), append(a.ids, b.ids...)
	for _, id := range b.ids {
		if s := l.shared[id]; s.log == b {
			s.log = a
			l.shared[id] = s
		}
	}
	if a.firstAnchor == 0 || b.firstAnchor != 0 && b.firstAnchor < a.firstAnchor {
		a.firstAnchor = b.firstAnchor
	}
	a.lastAnchor = max(a.lastAnchor, b.lastAnchor)
	a.conversation, a.step = a.conversation || b.conversation, a.step || b.step
	a.records, a.parted = append(a.records, b.records...), a.parted || b.parted
	a.refused = a.refused || b.refused
	a.size += b.size
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
	l.unschedule(b)
	b.Traces, b.state, b.ids, b.records, b.into, b.size = nil, nil, nil, nil, a, 0
	l.touch(a, now)
}
