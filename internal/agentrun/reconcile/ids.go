package reconcile

import (
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// nameless is the name of a call that has none.
var nameless = unique.Make("")

// sameCall reports whether two spans have the same tool, and the same call ID that only one call can have. An ID alone
// proves nothing: a sender may give all calls one ID, and a forbidden call would vanish behind an expected one.
func sameCall(r, o *agentrun.PendingCall) bool {
	return r.CallID == o.CallID && agentrun.IsUniqueCallID(r.CallID) && sameTool(r.Name, o.Name)
}

// sameTool reports whether two names differ only in case and separators.
func sameTool(a, b unique.Handle[string]) bool {
	return a == b || toolname.Same(a.Value(), b.Value())
}

// mergeIDs takes calls of one process with one call id and one name as one: the first of them, filled in from the others.
// Calls that cannot be one call are all kept. Then the ID is wrong, and it is unknown which of them it belongs to.
func (r *Reconciler) mergeIDs(calls []agentrun.PendingCall) (merged []agentrun.PendingCall, contradicted bool) {
	var index compare.CallIndex[int]
	if len(calls) > few {
		index = compare.NewCallIndex[int](len(calls))
	}
	kept := 0
	var protocol compare.Protocol
	for i := range calls {
		c := &calls[i]
		var at int
		var again bool
		if len(calls) <= few {
			at = indexOf(calls[:kept], func(k *agentrun.PendingCall) bool { return sameCall(k, c) })
			again = at != none
		} else {
			at, again = index.FindOrAdd(c.CallID, c.Name.Value(), kept)
		}
		if again && r.mayBeOne(calls, at, i, &protocol) {
			copies.Absorb(&calls[at], *c)
			continue
		}
		contradicted = contradicted || again
		if kept < i {
			calls[kept] = *c
		}
		kept++
	}
	return calls[:kept], contradicted
}

// mayBeOne reports whether two spans with one ID may record one call. A model or a tool may give all its calls one ID. So
// one instrumentation that records an ID twice recorded two calls. Two instrumentations record the same arguments. An MCP
// span may have them in its own form, but with no other value of an argument. A span may lack the name of the only argument.
func (r *Reconciler) mayBeOne(calls []agentrun.PendingCall, at, i int, protocol *compare.Protocol) bool {
	a, b := &calls[at], &calls[i]
	if !a.Scope.MayDiffer(b.Scope) {
		return false
	}
	if a.Traits.MCP || b.Traits.MCP ||
		a.Traits.UnnamedArgument != b.Traits.UnnamedArgument && !(a.Arguments().Look(compare.IsBraced) && b.Arguments().Look(compare.IsBraced)) {
		return protocol.HasIDOf(calls, i, at, &r.compare)
	}
	*r.work++
	return r.compare.SameArguments(a, b)
}
