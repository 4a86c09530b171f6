package agentrun

import (
	"math"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// addCall returns by how many bytes t grew. The link of a call is not noted before the trace is settled: until then the
// call itself has it.
func (t *trace) addCall(r record, limit int, w *work) int {
	t.called = true
	*w++
	if t.truncated {
		t.leaveOut(r.span())
		return t.addLink(r.id, r.parent, w)
	}
	grown := 0
	switch n := len(t.calls); {
	case n >= limit && t.repeats == nil:
		grown = -t.dropRepeats(w)
		if len(t.calls) < limit {
			grown += t.indexRepeats()
		}
	case n >= int(t.nextRepeats):
		grown = -t.dropRepeats(w)
		t.nextRepeats = max(firstRepeats, twice(len(t.calls)))
	}
	if len(t.calls) >= limit {
		t.leaveOut(r.span())
		return grown + t.forgetRepeats() + t.addLink(r.id, r.parent, w)
	}
	if t.repeats != nil && !r.id.IsEmpty() {
		if at, again := t.repeats[r.id]; again {
			return grown + t.absorb(int(at), &r)
		}
		t.repeats[r.id] = int32(len(t.calls))
		grown += repeatBytes
	}
	t.calls = append(t.calls, r)
	return grown + r.size()
}

// absorb fills in the call at a place from another span of it.
func (t *trace) absorb(at int, r *record) (grown int) {
	before := t.calls[at].size()
	t.calls[at].absorb(*r)
	return t.calls[at].size() - before
}

// indexRepeats notes the places of the calls, which are of different spans. From then on a call that comes again is found
// at once: with as many calls as may be, one span that came over and over would have all of them looked through each time.
func (t *trace) indexRepeats() (grown int) {
	t.repeats = make(map[pcommon.SpanID]int32, len(t.calls))
	for i := range t.calls {
		t.repeats[t.calls[i].id] = int32(i)
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

// dropRepeats drops calls whose span came again, say in a retried export, and returns how many bytes that freed.
func (t *trace) dropRepeats(w *work) (freed int) {
	*w += work(len(t.calls))
	var seen map[pcommon.SpanID]int
	if len(t.calls) > few {
		seen = make(map[pcommon.SpanID]int, len(t.calls))
	}
	kept := 0
	for i := range t.calls {
		r := &t.calls[i] // a record is large, and mostly stays where it is
		at, again := seen[r.id]
		if seen == nil {
			at = indexOf(t.calls[:kept], func(k *record) bool { return k.id == r.id })
			again = at != none
		} else if !again {
			seen[r.id] = kept
		}
		if again && !r.id.IsEmpty() {
			freed += r.size()
			t.calls[at].absorb(*r)
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
