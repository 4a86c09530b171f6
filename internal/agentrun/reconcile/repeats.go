package reconcile

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// DropRepeats drops calls whose span came again with the same content, in a retried export. It returns the others, and how many
// bytes that freed.
func DropRepeats(calls []agentrun.PendingCall, w *compare.Work) (kept []agentrun.PendingCall, freed int) {
	return dropCalls(calls, w, func(before, r *agentrun.PendingCall) bool { return IsCopy(r, before, w) })
}

// SettleRepeats makes one call of the records of one span that agree. Those that do not are all kept, and contradict each
// other. The calls are in order, so that it does not matter which record came first.
func (r *Reconciler) SettleRepeats(calls []agentrun.PendingCall) (kept []agentrun.PendingCall, contradicted bool) {
	kept, _ = dropCalls(calls, r.work, func(k, again *agentrun.PendingCall) bool {
		if !agree(k, again, &r.compare) {
			contradicted = true
			return false
		}
		absorb(k, *again)
		return true
	})
	return kept, contradicted
}

// dropCalls drops calls of a span that has come before if drop says so of that and them.
func dropCalls(calls []agentrun.PendingCall, w *compare.Work, drop func(before, r *agentrun.PendingCall) bool) (kept []agentrun.PendingCall, freed int) {
	*w += compare.Work(len(calls))
	before := befores{calls: calls}
	if len(calls) > few {
		before.first = make(map[agentrun.SpanKey]int, len(calls))
	}
	n := 0
	for i := range calls {
		r := &calls[i] // a record is large, and mostly stays where it is
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
	if len(b.more[key]) < MaxCandidates {
		if b.more == nil {
			b.more = make(map[agentrun.SpanKey][]int)
		}
		b.more[key] = append(b.more[key], n)
	}
	return false
}
