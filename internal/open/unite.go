package open

import (
	"hash/maphash"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A sighting says in which log an ID was seen.
type sighting struct {
	log   *log
	scope evidence.Scope
	// messages: a model call recorded the ID, of which there may be others in traces of their own.
	messages bool
	// asked: it is the ID of a request. alone: that of a tool's span without a parent.
	asked, alone bool
	earlier      *sighting // another one of the same ID; nearly always there is none
}

// mayBeOne reports whether two logs with an ID may have one call: different instrumentations recorded it, both are model calls, or one
// asked for what ran in a trace of its own. Otherwise one instrumentation that records an ID in two traces recorded two calls.
func (s sighting) mayBeOne(o sighting) bool {
	return s.messages && o.messages || s.asked && o.alone || s.alone && o.asked || s.scope == 0 || s.scope.MayDiffer(o.scope)
}

// idOf is an ID by which a log is found, and the instrumentation that recorded it.
type idOf struct {
	id    uint64
	scope evidence.Scope
}

const (
	idBytes = 16
	recent  = 8 // IDs are looked for before they are hashed
)

// maxSightings bounds in how many logs an ID is looked for.
const maxSightings = 8

// hashSeed is another one in every process, so that no sender can make IDs that meet. Tables have hashes, which are smaller than IDs, because
// a confusion costs little: two logs are examined together, or a closed run is forgotten early, which in a full table of 65,536 happens
// to one new run in 2^48.
type hashSeed struct{ calls, conversations, runs maphash.Seed }

// ofRun is the hash of a closed run of a trace, by its place among them.
func (s hashSeed) ofRun(k evidence.Key, place int) uint64 {
	return maphash.Comparable(s.runs, struct {
		evidence.Key
		place int
	}{k, place})
}

// maxTraces bounds how many traces one log has.
const maxTraces = 1 << 10

// find notes the IDs of a fact, and unites its log with others that have one of them. It returns the place of the fact's trace.
func (l *Logs) find(at place, f *evidence.Fact) place {
	if l.set.WholeTrace {
		return at
	}
	if (l.set.Conversations || f.IsPart()) && f.Conversation != "" {
		at = l.unite(at, l.seed.conversations, f.Conversation, sighting{messages: true})
	}
	sees := func(callID string, s sighting) {
		if evidence.IsUniqueCallID(callID) {
			at = l.unite(at, l.seed.calls, callID, s)
		}
	}
	if c := f.Call; c != nil {
		sees(c.ID, sighting{scope: f.Scope, alone: f.Parent.IsEmpty()})
	}
	r := f.Response
	if r == nil {
		return at
	}
	s := sighting{scope: f.Scope, messages: r.MessagesOnly && !r.OfAgent, asked: true}
	for i := range r.Requests {
		sees(r.Requests[i].ID, s)
	}
	if s.asked = false; s.messages {
		for i := range r.Results {
			sees(r.Results[i].ID, s)
		}
	}
	return at
}

// unite notes that a log has the ID of a call or of a conversation, each with a seed, and unites it with the logs where the ID was seen
// before, as far as they may have one call.
func (l *Logs) unite(at place, seed maphash.Seed, text string, s sighting) place {
	k := at.log.Traces[at.at].Key
	id := maphash.String(seed, text) ^ k.Partition
	seen := idOf{id, s.scope}
	if s == (sighting{scope: s.scope}) && slices.Contains(at.log.ids[max(0, len(at.log.ids)-recent):], seen) {
		return at // a call usually follows its request, which said more
	}
	known, again := l.shared[id]
	if !again {
		_, lost := l.evicted.Get(id)
		at.log.parted = at.log.parted || lost
	} else {
		for o := &known; o != nil; o = o.earlier {
			g := o.log
			if g == at.log || g.Traces[0].Key.Partition != k.Partition || !s.mayBeOne(*o) {
				continue
			}
			if len(g.Traces)+len(at.log.Traces) > maxTraces {
				g.parted, at.log.parted = true, true
				continue
			}
			l.merge(g, at.log)
			at = l.traces[k]
		}
		known = l.shared[id] // merging changed the logs
		n := 0
		for o := &known; o != nil; o = o.earlier {
			if n++; o.log == at.log && o.scope == s.scope {
				before := *o
				o.messages, o.asked, o.alone = o.messages || s.messages, o.asked || s.asked, o.alone || s.alone
				if *o != before {
					l.shared[id] = known
				}
				return at
			}
		}
		if n == maxSightings {
			return at
		}
		earlier := known // only this copy is on the heap
		s.earlier = &earlier
	}
	s.log = at.log
	l.shared[id] = s
	at.log.ids = append(at.log.ids, seen)
	l.grow(at.log, idBytes)
	return at
}

// leave forgets the sightings of a log.
func (l *Logs) leave(g *log) {
	for _, of := range g.ids {
		known, seen := l.shared[of.id]
		if !seen {
			continue
		}
		var rest *sighting
		for s := &known; s != nil; s = s.earlier {
			if s.log != g {
				kept := *s
				kept.earlier, rest = rest, &kept
			}
		}
		if rest == nil {
			delete(l.shared, of.id)
		} else {
			l.shared[of.id] = *rest
		}
	}
}

// merge makes one log of two.
func (l *Logs) merge(a, b *log) {
	if len(a.Traces) < len(b.Traces) {
		a, b = b, a
	}
	for i := range b.Traces {
		l.traces[b.Traces[i].Key] = place{a, len(a.Traces) + i}
	}
	a.Traces, a.state, a.ids = append(a.Traces, b.Traces...), append(a.state, b.state...), append(a.ids, b.ids...)
	for _, of := range b.ids {
		known := l.shared[of.id]
		for s := &known; s != nil; s = s.earlier {
			if s.log == b {
				s.log = a
			}
		}
		l.shared[of.id] = known
	}
	a.noteAnchors(b.firstAnchor, b.lastAnchor)
	a.conversation, a.step, a.parts = a.conversation || b.conversation, a.step || b.step, a.parts || b.parts
	a.records, a.parted = append(a.records, b.records...), a.parted || b.parted
	a.refused, a.asked = a.refused || b.refused, a.asked && b.asked
	a.size += b.size
	if a.out += b.out; a.out > 0 {
		l.unschedule(a) // until all of its traces are back
	}
	if b.lastSeen > a.lastSeen { // a takes the place of b in the ring
		a.lastSeen = b.lastSeen
		a.prev.next, a.next.prev = a.next, a.prev
		a.prev, a.next = b.prev, b
		a.prev.next, b.prev = a, a
	}
	b.prev.next, b.next.prev = b.next, b.prev
	b.prev, b.next = nil, nil
	l.unschedule(b)
	b.Traces, b.state, b.ids, b.records, b.into, b.size = nil, nil, nil, nil, a, 0
	l.schedule(a)
}

// converse unites the log of a held span with others of its conversation.
func (l *Logs) converse(at place, h *evidence.Held) place {
	if !l.set.Conversations || l.set.WholeTrace || h.Conversation == "" {
		return at
	}
	at.log.conversation = true
	return l.unite(at, l.seed.conversations, h.Conversation, sighting{messages: true})
}

// askRoots unites a log that is due with others of the conversations of its roots, and is false if that was done before. A root
// represents a run only in a trace without agents, and whether there are some is known when the wait is over, not when the root arrives.
func (l *Logs) askRoots(g *log) bool {
	if g.asked || !l.set.Conversations || l.set.WholeTrace {
		return false
	}
	g.asked = true
	for i := range len(g.Traces) {
		if g.into != nil {
			break // the other log asks the rest
		}
		if g.state[i].best <= evidence.Workflow {
			continue
		}
		for k := range g.Traces[i].Held {
			if h := g.Traces[i].Held[k]; h.Kind == evidence.Root {
				if at := l.converse(place{g, i}, &h); at.log != g {
					at.log.asked = false
					break
				}
			}
		}
	}
	return true
}

// askAllRoots is askRoots of all logs, before all of them close.
func (l *Logs) askAllRoots() {
	var all []*log
	for g := l.idle.next; g != &l.idle; g = g.next {
		all = append(all, g)
	}
	for _, g := range all {
		if g.into == nil {
			l.askRoots(g)
		}
	}
}
