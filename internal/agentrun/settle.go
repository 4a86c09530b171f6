package agentrun

import (
	"math"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

const (
	// maxPast bounds what one trace remembers of its closed runs.
	maxPast = 1024
	// few is how many calls are compared with each other faster than hashed.
	few = 16
)

// settle closes what is to be closed of t: for ByAnchor the runs whose wait is over at now, else everything.
// What is left of t waits on, and a t with nothing left is retired. What comes out is put behind what is in h.
func (b *Buffer) settle(t *trace, cause Cause, now time.Time, h *Harvest) {
	before, began := max(1, len(t.waiting)), b.resolver.work
	t.settled = now.UnixNano()
	b.resolver.work += work(settleWork + len(t.calls) + len(t.answers) + len(t.waiting))
	t.linkCalls(&b.resolver.work)
	runs, unjudged := len(h.Runs), len(h.Unjudged)
	seats := t.seats(t.ready(cause, now, &b.resolver.work), b.set.WholeTrace, h)
	seats = t.inner(seats, b.set.WholeTrace)
	b.resolver.patient = cause == ByAnchor && !b.set.Replay
	b.resolver.wholeTrace, b.resolver.include = b.set.WholeTrace, b.set.Include
	b.resolver.tools = b.set.Tools
	b.resolver.room = maxCopies * min(b.set.MaxCalls, len(t.calls)+len(t.answers)+t.asked+len(seats))
	assigned := b.resolver.assign(t, seats)
	h.Late = append(h.Late, assigned.late...)
	h.Duplicates += assigned.duplicates
	if len(seats) > 1 {
		b.resize(t, t.noteShared(seats, t.calls))
	}
	for i := range seats {
		s := &seats[i]
		if s.state != seatReady {
			continue
		}
		if s.tier == Root && !b.set.WholeTrace && onlyServed(s.calls) && len(s.answers) == 0 {
			t.calls = append(t.calls, s.calls...) // of an agent that is elsewhere, and may still come
			h.Unjudged = append(h.Unjudged, s.anchors...)
			continue
		}
		r := b.run(t, s, cause, h)
		if r.empty() && (s.inner || s.tier != Agent && !b.set.WholeTrace) {
			h.Unjudged = append(h.Unjudged, s.anchors...)
			continue
		}
		r.Conversation = b.resolver.conversation(t, seats, i)
		h.Runs = append(h.Runs, r)
		b.resolver.work += t.remember(closedRun{Span: s.Span, tier: s.tier, by: cause, at: now.UnixNano()})
	}
	if cause != ByAnchor {
		b.orphans(t, cause, now, h)
	}
	if b.set.Accompany && len(h.Unjudged) > unjudged || t.aside != nil { // from a storage spans come aside all the same
		t.accompany(h.Runs[runs:], h, unjudged)
	}
	t.trimPast()
	b.resolver.release()
	b.open -= before - max(1, len(t.waiting))
	if len(t.calls) == 0 {
		t.truncated = false
	}
	retires := len(t.waiting) == 0 && len(t.calls)+len(t.answers) == 0 && (cause != ByAnchor || !t.awaitsCut())
	if !retires {
		t.tidyLinks() // calls that stay are linked each time, and nobody may have walked
	}
	b.receipt(t, h, h.Runs[runs:], h.Unjudged[unjudged:], retires)
	b.resize(t, t.measure()-t.size)
	if retires {
		if len(seats) == 1 && cap(seats[0].calls) > 0 {
			t.calls = seats[0].calls[:0] // the run has copies
		}
		b.retire(t)
	} else {
		b.charge(t, b.resolver.work-began, now)
	}
}

// onlyServed reports whether all that is known of a run is what servers of a protocol were asked to do.
func onlyServed(calls []record) bool {
	return len(calls) > 0 && !slices.ContainsFunc(calls, func(r record) bool { return !r.doubts.Served })
}

// ready takes the anchors that are to be closed out of t, in the order of their spans. A copy of an anchor, from the same
// process, is closed with it, however late it came.
func (t *trace) ready(cause Cause, now time.Time, w *work) []Anchor {
	ready := make([]Anchor, 0, len(t.waiting))
	take := func(closes func(waiting) bool) {
		t.waiting = slices.DeleteFunc(t.waiting, func(w waiting) bool {
			if !closes(w) {
				return false
			}
			ready = append(ready, w.Anchor)
			return true
		})
	}
	take(func(w waiting) bool { return cause != ByAnchor || !w.until.After(now) })
	if len(t.waiting) > 0 {
		due := make(map[spanKey]bool, len(ready))
		for i := range ready {
			due[ready[i].key()] = !ready[i].ID.IsEmpty()
		}
		take(func(w waiting) bool { return due[w.key()] })
	}
	inOrder(ready, w)
	return ready
}

// orphans makes a run of the calls that have no anchor. What only a protocol tells of is no run: the server of a tool
// is not an agent, and the agent's own spans tell of the call.
func (b *Buffer) orphans(t *trace, cause Cause, now time.Time, h *Harvest) {
	all := len(t.calls)
	answers := slices.DeleteFunc(t.answers, func(a Answer) bool { return a.counted })
	calls := slices.DeleteFunc(t.calls, func(r record) bool { return r.counted })
	t.calls, t.answers, t.asked = nil, nil, 0
	protocol := !slices.ContainsFunc(calls, func(r record) bool { return !r.doubts.Protocol })
	if protocol && len(answers) == 0 || all == 0 && !t.called {
		h.Duplicates += len(calls)
		return
	}
	s := seat{calls: calls, answers: answers, Span: Span{Start: begun(calls, answers)}}
	r := b.run(t, &s, cause, h)
	if len(r.Calls) == 0 {
		return
	}
	for _, s := range timesOf(t.id, r.Calls) {
		b.resolver.work += t.remember(closedRun{Span: s, by: cause, at: now.UnixNano()})
	}
	r.Complete, r.Conversation = false, t.conversations.of(r.process())
	h.Runs = append(h.Runs, r)
}

// begun is when the first of the calls and answers began.
func begun(calls []record, answers []Answer) pcommon.Timestamp {
	first := pcommon.Timestamp(math.MaxUint64)
	for i := range calls {
		first = min(first, calls[i].start)
	}
	for i := range answers {
		first = min(first, answers[i].Start)
	}
	return first
}

// timeOf is from the start of the first call to the end of the last one.
func timeOf(id pcommon.TraceID, calls []Call) Span {
	s := Span{Trace: id}
	for i := range calls {
		if i == 0 {
			s.Start = calls[i].Start
		}
		s.End = max(s.End, calls[i].End)
	}
	return s
}

// timesOf are from the start of the first call to the end of the last one, for each process that tells of some.
func timesOf(id pcommon.TraceID, calls []Call) (times []Span) {
	at := make(map[Process]int)
	for i := range calls {
		c := &calls[i]
		n, again := at[c.Process]
		if !again {
			n = len(times)
			at[c.Process], times = n, append(times, Span{Trace: id, Start: c.Start, Process: c.Process})
		}
		times[n].Start, times[n].End = min(times[n].Start, c.Start), max(times[n].End, c.End)
	}
	return times
}

// run makes a run of the calls and answers of a seat, taking calls with one call id as one.
func (b *Buffer) run(t *trace, s *seat, cause Cause, h *Harvest) Run {
	r := Run{Trace: t.id, Anchors: s.anchors, ClosedBy: cause, joint: t.presences.of(s.Process)&isJoint != 0, Contradicted: t.contested || s.contested}
	r.step, r.answered = stepOf(s)
	if t.isCut(s) {
		r.ClosedBy = ByLimit
	}
	told := b.reconcile(t, s)
	h.Duplicates += told.duplicates
	kept := told.calls
	r.DependsOnOthers, r.Mute = told.foreign, told.mute
	r.Complete = cause == ByAnchor && t.knowsAll(s) && !r.Contradicted && !r.DependsOnOthers
	for i := range kept {
		r.Size += kept[i].size() + callBytes - recordBytes
	}
	r.Calls = make([]Call, 0, len(kept))
	for i := range kept {
		r.Calls = append(r.Calls, kept[i].call(t.id))
	}
	return r
}

// knowsAll reports whether all that a run was told of is still known, and is its own.
func (t *trace) knowsAll(s *seat) bool {
	return !t.isCut(s) && !s.inner && !t.past.last(maxPast).cutInto(s.Span) &&
		!slices.ContainsFunc(s.anchors, func(a Anchor) bool { return a.Partial })
}

// anyAsked reports whether a model asked for anything.
func anyAsked(answers []Answer) bool {
	return slices.ContainsFunc(answers, func(a Answer) bool { return len(a.Asked) > 0 })
}

// stepOf finds out whether the anchor of s is itself a model call. Such a run is one step of a longer one, and the ids
// of the calls whose results the model was given lead to the step before.
func stepOf(s *seat) (isStep bool, answered []string) {
	for i := range s.answers {
		if s.answers[i].key() != s.key() || s.ID.IsEmpty() || s.tier == Agent {
			continue
		}
		isStep = true
		for _, result := range s.answers[i].Results {
			if result.ID != "" {
				answered = append(answered, result.ID)
			}
		}
	}
	return isStep, answered
}

// mergeIDs takes calls of one process with one call id and one name as one: the first of them, filled in from the others.
func mergeIDs(calls []record) []record {
	var index callIndex[int] // for more than few
	kept := 0
	for i := range calls {
		c := &calls[i]
		var at int
		var again bool
		if len(calls) <= few {
			at = indexOf(calls[:kept], func(k *record) bool { return k.sameCall(c) })
			again = at != none
		} else if at, again = index.find(c.callID, c.name.Value()); !again {
			index.add(c.callID, c.name.Value(), kept)
		}
		if again {
			calls[at].absorb(*c)
			continue
		}
		if kept < i {
			calls[kept] = *c
		}
		kept++
	}
	return calls[:kept]
}

// remember notes that a run has closed. The oldest are forgotten when there are too many: many at once, because all others
// are moved then. It returns how many.
func (t *trace) remember(r closedRun) (moved work) {
	if len(t.past) >= 2*maxPast {
		moved = maxPast
		t.trimPast()
	}
	t.past = append(t.past, r)
	return moved
}

// trimPast forgets the oldest closed runs, but for those that may be remembered.
func (t *trace) trimPast() {
	t.past = slices.Delete(t.past, 0, max(0, len(t.past)-maxPast))
}

// measure is what t keeps alive, in bytes.
func (t *trace) measure() int {
	size := traceBytes + t.linkCount()*linkBytes + len(t.past)*pastBytes + t.steps.bytes() + len(t.entries)*entryBytes + len(t.expected)*expectedBytes + len(t.repeats)*repeatBytes + t.left + t.toldSize + t.conversations.bytes() + len(t.presences.more)*presenceBytes
	for i := range t.calls {
		size += t.calls[i].size()
	}
	for i := range t.answers {
		size += t.answers[i].size()
	}
	for i := range t.waiting {
		size += anchorBytes + t.waiting[i].Size
	}
	if t.aside != nil {
		size += len(*t.aside)*anchorBytes + int(sizeOf(*t.aside))
	}
	return size
}
