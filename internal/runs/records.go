package runs

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

var unique = evidence.IsUniqueCallID

// readCalls makes a call of each fact that has one, and then one of all spans that record the same call: an agent framework's, and
// below it those of a protocol's client and server, in whichever service. The outermost stays, and the others complete it.
func (t *tree) readCalls() {
	t.into = slices.Grow(t.into[:0], len(t.facts))[:len(t.facts)]
	t.calls = slices.Grow(t.calls[:0], len(t.facts))
	special := false // a span is only a part of a call, or may be
	for i := range t.facts {
		t.into[i] = int32(i)
		if f := &t.facts[i]; f.Call != nil {
			t.calls = append(t.calls, Call{})
			t.calls[len(t.calls)-1].read(f, int32(i))
			special = special || f.Call.Traits.ResultOnly
		}
	}
	if len(t.calls) == 0 {
		return
	}
	sortCalls(t.calls)
	at := make([]int32, len(t.facts)) // the place of each fact's call
	for i := range t.calls {
		at[t.calls[i].fact] = int32(i)
	}
	if special {
		t.foldResults(at)
	}
	t.foldBelow(at)
	gone := func(c *Call) bool { return t.into[c.fact] != c.fact || isOfNone(t.facts[c.fact].Call) }
	if contains(t.calls, gone) {
		t.calls = slices.DeleteFunc(t.calls, func(c Call) bool { return gone(&c) })
	}
}

// isOfNone reports whether the span of a call is no record of one, because it names no tool, unless another span has the call.
func isOfNone(c *evidence.Call) bool { return c != nil && c.Traits.ResultOnly && c.Name == "" }

// read makes c, which is empty, the call of a fact.
func (c *Call) read(f *evidence.Fact, fact int32) {
	of := f.Call
	c.Name, c.Status, c.Type, c.CallID, c.Scope, c.fact = of.Name, of.Status, of.Type, of.ID, f.Scope, fact
	c.Arguments, c.Output = of.Arguments, of.Output
	c.Span, c.Traits = f.Span, of.Traits
}

func rankOf(place int) uint16 { return uint16(min(place, 1<<16-1)) } //nolint:gosec // in range

// foldBelow folds calls that are below a call of the same tool, with no run between, into that call.
func (t *tree) foldBelow(at []int32) {
	for i, c := range each(t.calls) {
		if t.into[c.fact] != c.fact {
			continue
		}
		up := t.above(t.up(c.fact)).call
		if up == none && c.MCP {
			if up = t.during(i); up != none {
				t.calls[at[up]].served = true
			}
		}
		if up == none || !t.eq.isBelow(c, &t.calls[at[up]]) {
			continue
		}
		// In a cycle of parents a call is its own ancestor; there the first one stays.
		top := rootOf(t.into, up)
		if outer := &t.calls[at[top]]; top != c.fact && (!c.MCP || t.eq.agree(c, outer)) {
			t.into[c.fact] = top
			outer.absorb(c)
		}
	}
}

// during is the call that a protocol's span may be of, which is not below it: its client had lost the context of the call, or a server
// in the process of its agent knows the context that it was started in. With arguments, that is the only call that agrees. Without, it is
// the first call that has no such span: the span says only how the call ended.
func (t *tree) during(place int) int32 {
	c, first := &t.calls[place], none
	for i := place - 1; i >= max(0, place-maxCandidates); i-- {
		o := &t.calls[i]
		if o.MCP || o.Process != c.Process || !o.Contains(&c.Span) || !t.eq.isBelow(c, o) || !t.isAbove(c.Parent, o) {
			continue
		}
		switch {
		case !c.Arguments.Captured():
			if !o.served {
				first = o.fact
			}
		case !o.Arguments.Captured() || !t.eq.agree(c, o):
		case first != none:
			return none
		default:
			first = o.fact
		}
	}
	return first
}

// isAbove reports whether a span is one of the nearest above a call.
func (t *tree) isAbove(span pcommon.SpanID, c *Call) bool {
	at := t.up(c.fact)
	for depth := 0; at >= 0 && depth < maxCandidates; depth++ {
		if t.nodes[at].id == span {
			return true
		}
		at = t.nodes[at].up
	}
	return false
}

// isBelow reports whether a tool span below another of the same tool records the same call. A tool may also call itself: then IDs
// or arguments differ. The arguments of a protocol's span are compared later.
func (e *equality) isBelow(inner, outer *Call) bool {
	if inner.Name == "" || inner.NotMade != outer.NotMade || inner.isOther(outer) {
		return false
	}
	switch {
	case toolname.Same(inner.Name, outer.Name):
		return inner.MCP || e.sameArguments(inner, outer)
	case isPrefixed(outer.Name, inner.Name):
		return inner.MCP || inner.Arguments.Captured() && outer.Arguments.Captured() && e.sameArguments(inner, outer)
	}
	return false
}

// absorb completes c with another record of it. Of several attempts the last one counts.
func (c *Call) absorb(o *Call) {
	if o.Status != scoring.StatusUnset && (c.Status == scoring.StatusUnset || c.inherited) {
		c.Status, c.inherited = o.Status, true
	}
	c.fillIn(o)
}

// fillIn takes from o what c does not have. With the ID comes the place in the model's response.
func (c *Call) fillIn(o *Call) {
	if c.CallID == "" {
		c.CallID, c.Rank = o.CallID, o.Rank
	}
	if !c.Arguments.Captured() && o.Arguments.Captured() {
		c.UnnamedArgument = o.UnnamedArgument
	}
	c.Arguments, c.Output = c.Arguments.Or(o.Arguments), c.Output.Or(o.Output) // a digest is of arguments that stay
	c.Status = cmp.Or(c.Status, o.Status)
	c.unsure, c.hosted, c.ran = c.unsure || o.unsure, c.hosted || o.hosted, c.ran || o.ran
}

// isOther reports whether the IDs of two calls say that they are two.
func (c *Call) isOther(o *Call) bool { return c.CallID != "" && o.CallID != "" && c.CallID != o.CallID }

// foldResults finds, for each span that only records how a call ended, the span that records the call. That is the span above it or
// with its call ID, if the names are equal or the result has none. Otherwise it is the next span with the same name, no other ID and, if the
// result has any, the same arguments. A result span without a matching call span is a call. If it has no name, it is of no call.
func (t *tree) foldResults(at []int32) {
	// alike has the calls by what their spans have in common. The arguments are left out if a result span has none.
	type likeness struct {
		name      string
		arguments scoring.Payload
	}
	byID, alike, taken := make(map[string]*Call), make(map[likeness][]*Call), make(map[*Call]bool)
	for _, c := range each(t.calls) {
		if c.ResultOnly {
			continue
		}
		if unique(c.CallID) {
			byID[c.CallID] = c
		}
		for _, like := range [...]likeness{{c.Name, c.Arguments}, {name: c.Name}} {
			alike[like] = append(alike[like], c)
		}
	}
	for _, c := range each(t.calls) {
		if !c.ResultOnly {
			continue
		}
		start := byID[c.CallID]
		if up := t.up(c.fact); up >= 0 && t.nodes[up].call != none {
			if above := &t.calls[at[t.nodes[up].call]]; !above.ResultOnly {
				start = above
			}
		}
		if start == nil || c.Name != "" && !toolname.Same(c.Name, start.Name) {
			like := likeness{c.Name, c.Arguments}
			for len(alike[like]) > 0 && taken[alike[like][0]] {
				alike[like] = alike[like][1:]
			}
			free := slices.IndexFunc(alike[like][:min(len(alike[like]), maxCandidates)], func(k *Call) bool { return !taken[k] && !c.isOther(k) })
			if start = nil; free >= 0 {
				start = alike[like][free]
			}
		}
		if start != nil {
			taken[start], t.into[c.fact] = true, start.fact
			start.absorb(c)
		}
	}
}

// mergeIDs takes calls of a run with one call ID and one tool as one: the first of them, completed by the others. Calls that cannot
// be one are all kept: then the ID is wrong, and it is unknown which of them it belongs to. An ID alone proves nothing, because a
// model may give all its calls one.
func (t *tree) mergeIDs(r *run) {
	at := make(callIndex[int], len(r.calls))
	kept := r.calls[:0]
	for i, c := range each(r.calls) {
		if k, again := at.findOrAdd(c.CallID, c.Name, len(kept)); again {
			if t.eq.isRecordOf(c, &kept[k]) {
				kept[k].absorb(c)
				t.closed.Duplicates++
				continue
			}
			r.doubts |= CopiesDiffer
		}
		if kept = r.calls[:len(kept)+1]; len(kept) <= i { // else it stays where it is
			kept[len(kept)-1] = *c
		}
	}
	clear(r.calls[len(kept):])
	r.calls = kept
}

// isRecordOf reports whether two spans with one ID may record one call. One instrumentation that records an ID twice recorded two
// calls. Two instrumentations record the same arguments. An MCP span may have them in its own form, but with no other value of an
// argument. A span may lack the name of the only argument.
func (e *equality) isRecordOf(a, b *Call) bool {
	switch {
	case !a.Scope.MayDiffer(b.Scope):
		return false
	case a.MCP || b.MCP:
		return e.agree(a, b)
	}
	return e.mayBeOne(a, b)
}
