package tracebuffer

import (
	"math"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// addCall returns by how many bytes t grew. The link of a call is not noted before the trace is examined: until then the
// call itself has it.
func (t *trace) addCall(r agentrun.PendingCall, limit int, w *compare.Work) int {
	t.called = true
	grown := t.processTable.add(r.Process, hasCalls)
	*w++
	if t.truncated {
		t.leaveOut(r.Span())
		return grown + t.parents.Add(Link{r.ID, r.Parent, r.Process}, w)
	}
	switch n := len(t.calls); {
	case n >= limit && t.repeats == nil:
		grown -= t.dropRepeats(w)
		if len(t.calls) < limit {
			grown += t.indexRepeats()
		}
	case n >= int(t.nextRepeats):
		grown -= t.dropRepeats(w)
		t.nextRepeats = max(firstRepeats, twice(len(t.calls)))
	}
	if len(t.calls) >= limit {
		t.leaveOut(r.Span())
		return grown + t.forgetRepeats() + t.parents.Add(Link{r.ID, r.Parent, r.Process}, w)
	}
	if t.repeats != nil && !r.ID.IsEmpty() {
		at, again := t.repeats[r.Key()]
		w.Read(r.Size())
		if again && isCopy(&t.calls[at], &r, w) {
			return grown
		}
		if !again {
			t.repeats[r.Key()] = int32(len(t.calls))
			grown += repeatBytes
		}
	}
	t.calls = append(t.calls, r)
	return grown + r.Size()
}

// indexRepeats notes the places of the calls by their spans. From then on a call that comes again is found at once: with as
// many calls as may be, one span that came over and over would have all of them looked through each time.
func (t *trace) indexRepeats() (grown int) {
	t.repeats = make(map[agentrun.SpanKey]int32, len(t.calls))
	for i := range t.calls {
		t.repeats[t.calls[i].Key()] = int32(i)
	}
	return len(t.repeats) * repeatBytes
}

// forgetRepeats has to be called before calls move.
func (t *trace) forgetRepeats() (grown int) {
	grown = -len(t.repeats) * repeatBytes
	t.repeats = nil
	return grown
}

// firstRepeats is how many calls are taken before anyone looks for repetitions. From then on one looks whenever they have
// doubled: a batch that is sent over and over is kept twice at most, and a span costs little.
const firstRepeats = 16

// twice is 2n, or as much as fits.
func twice(n int) int32 { return int32(min(2*n, math.MaxInt32)) }

// dropRepeats drops calls whose span came again with the same content, in a retried export, and returns how many bytes
// that freed.
func (t *trace) dropRepeats(w *compare.Work) (freed int) {
	return t.dropCalls(w, func(before, r *agentrun.PendingCall) bool { return isCopy(r, before, w) })
}

// settleRepeats makes one call of the records of one span that agree. Those that do not are all kept, and the trace is
// contested. The calls are in order, so that it does not matter which record came first.
func (t *trace) settleRepeats(c *comparer) {
	t.dropCalls(c.work, func(k, r *agentrun.PendingCall) bool {
		if !agree(k, r, c) {
			t.contradicted = true
			return false
		}
		absorb(k, *r)
		return true
	})
}

// dropCalls drops calls of a span that has come before if drop says so of that and them.
func (t *trace) dropCalls(w *compare.Work, drop func(before, r *agentrun.PendingCall) bool) (freed int) {
	*w += compare.Work(len(t.calls))
	before := befores{calls: t.calls}
	if len(t.calls) > few {
		before.first = make(map[agentrun.SpanKey]int, len(t.calls))
	}
	kept := 0
	for i := range t.calls {
		r := &t.calls[i] // a record is large, and mostly stays where it is
		if !r.ID.IsEmpty() && before.any(kept, r, drop, w) {
			freed += r.Size()
			continue
		}
		if kept < i {
			t.calls[kept] = *r
		}
		kept++
	}
	clear(t.calls[kept:])
	t.calls = t.calls[:kept]
	return freed
}

// befores finds the calls of a span that came before. Few are looked through, and more are hashed.
type befores struct {
	calls []agentrun.PendingCall
	first map[agentrun.SpanKey]int
	// more are the places of further calls of a span.
	more map[agentrun.SpanKey][]int
}

// any reports whether r is to be dropped for one of the first n calls. If for none, it is noted as the call at n.
func (b *befores) any(n int, r *agentrun.PendingCall, drop func(before, r *agentrun.PendingCall) bool, w *compare.Work) bool {
	if b.first == nil {
		for i := range b.calls[:n] {
			if k := &b.calls[i]; k.ID == r.ID && k.Process == r.Process && drop(k, r) {
				return true
			}
		}
		return false
	}
	key := r.Key()
	at, again := b.first[key]
	if !again {
		b.first[key] = n
		return false
	}
	*w++
	if drop(&b.calls[at], r) {
		return true
	}
	for _, at := range b.more[key] {
		*w++
		if drop(&b.calls[at], r) {
			return true
		}
	}
	if len(b.more[key]) < maxCandidates {
		if b.more == nil {
			b.more = make(map[agentrun.SpanKey][]int)
		}
		b.more[key] = append(b.more[key], n)
	}
	return false
}
