package copies

import (
	"hash/maphash"
	"math/bits"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// DropCalls drops calls whose span arrived again with the same content, in a retried export. It returns the others, and
// how many bytes that freed.
func DropCalls(calls []agentrun.PendingCall, w *compare.Work) (kept []agentrun.PendingCall, freed int) {
	return dropCalls(calls, w, func(before, r *agentrun.PendingCall) bool { return IsCopy(r, before, w) })
}

// Settle makes one call of the records of one span that agree. If records contradict each other, all are kept. The
// calls are in order, so the order of arrival does not matter.
func Settle(calls []agentrun.PendingCall, c *compare.Calls, w *compare.Work) (kept []agentrun.PendingCall, contradicted bool) {
	kept, _ = dropCalls(calls, w, func(k, again *agentrun.PendingCall) bool {
		if !Agree(k, again, c) {
			contradicted = true
			return false
		}
		Absorb(k, *again)
		return true
	})
	return kept, contradicted
}

// SortCalls puts calls in order. Calls usually arrive in the order of their starts, and are not moved.
func SortCalls(calls []agentrun.PendingCall) {
	for i := 1; i < len(calls); i++ {
		if calls[i].Start <= calls[i-1].Start {
			slices.SortFunc(calls, agentrun.ComparePendingCalls)
			return
		}
	}
}

// dropCalls drops a call if drop says so for it and an earlier call of the same span.
func dropCalls(calls []agentrun.PendingCall, w *compare.Work, drop func(before, r *agentrun.PendingCall) bool) (kept []agentrun.PendingCall, freed int) {
	*w += compare.Work(len(calls))
	before := befores{calls: calls}
	if len(calls) > few {
		before.first = make([]int32, 2<<bits.Len(uint(len(calls)))) // at least half of them stay 0
	}
	n := 0
	for i := range calls {
		r := &calls[i] // a record is large, and usually stays in its place
		if !r.ID.IsEmpty() && before.any(n, r, drop, w) {
			freed += r.Size()
			continue
		}
		if n < i {
			calls[n] = *r
		}
		n++
	}
	clear(calls[n:])
	return calls[:n], freed
}

// few is how many calls are compared with each other faster than hashed.
const few = 16

// befores finds the earlier calls of a span. Few are searched one by one, and more are hashed.
type befores struct {
	calls []agentrun.PendingCall
	// first is a hash table: the place of the first call of each span, from 1, or 0. A map would take three times as long.
	first []int32
	// more has the places of further calls of a span.
	more map[agentrun.SpanKey][]int
}

// any reports whether drop says so for r and one of the first n calls. Otherwise it adds r as the call at n.
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
	first := b.firstOf(key)
	if *first == 0 {
		*first = int32(n + 1)
		return false
	}
	*w++
	if drop(&b.calls[*first-1], r) {
		return true
	}
	for _, at := range b.more[key] {
		*w++
		if drop(&b.calls[at], r) {
			return true
		}
	}
	if len(b.more[key]) < compare.MaxCandidates {
		if b.more == nil {
			b.more = make(map[agentrun.SpanKey][]int)
		}
		b.more[key] = append(b.more[key], n)
	}
	return false
}

// spanSeed is secret, so that a sender cannot choose spans with equal hashes.
var spanSeed = maphash.MakeSeed()

// firstOf returns the entry of a span in the table first, or the 0 where its entry belongs.
func (b *befores) firstOf(span agentrun.SpanKey) *int32 {
	last := len(b.first) - 1
	for at := int(maphash.Comparable(spanSeed, span)) & last; ; at = (at + 1) & last {
		if entry := &b.first[at]; *entry == 0 || b.calls[*entry-1].Key() == span {
			return entry
		}
	}
}
