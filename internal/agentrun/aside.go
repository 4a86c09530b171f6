package agentrun

import "slices"

// A tool call's span is held only so that it goes on with its run, and knows by then what became of its call: see [Tool].
// Nothing waits for it. It stands aside until a settling brings out a run that has its call; so whatever closes a run
// lets go of it, too. Where no run has its call, and none will, it goes on unjudged.

// wantsAside reports whether a tool call's span is to be held. Its call has been written down before. Of a late one the
// trace is not open; if another span has opened it again since, the caller has to know. When calls are left out, so are
// their spans, and when there are as many as calls may be, no batch brings more: one may be sent over and over.
func (b *Buffer) wantsAside(s Span) bool {
	t, open := b.lookUp(s.Trace)
	if !open || t.truncated || s.ID.IsEmpty() || t.aside != nil && len(*t.aside) >= b.set.MaxCalls {
		return false
	}
	r, closed := t.past.closed(&s)
	return !closed || r.ID.IsEmpty() // a copy of what stood for a run is not held either
}

// holdAside takes a tool call's span.
func (b *Buffer) holdAside(t *trace, a Anchor) {
	if t.aside == nil {
		t.aside = new([]Anchor)
	}
	*t.aside = append(*t.aside, a)
	b.resize(t, anchorBytes+a.Size)
}

// taker is the run that a span aside goes with. The run that its call is of goes before those around it, which have the
// call as well.
type taker struct {
	run int
	own bool
}

// spanned is what is known of spans. Of what an earlier version stored it is not known who sent it.
type spanned[T any] map[spanKey]T

// of is what is known of a held span.
func (m spanned[T]) of(a *Anchor) (v T, known bool) {
	if v, known = m[a.key()]; !known {
		v, known = m[spanKey{0, a.ID}]
	}
	return v, known
}

// accompany gives the spans aside to the runs that have closed. Those stay whose calls do; but for one that has its own
// run, whoever else may count its call later. Spans of calls that might have stood for a run, and do not, go with the runs
// as well: they are in unjudged from first on.
func (t *trace) accompany(runs []Run, h *Harvest, first int) {
	takers := takersOf(runs)
	h.Unjudged = append(h.Unjudged[:first], slices.DeleteFunc(h.Unjudged[first:], func(a Anchor) bool {
		with, taken := takers.of(&a)
		if taken {
			a.Tier = Tool
			runs[with.run].Companions = append(runs[with.run].Companions, a)
		}
		return taken
	})...)
	if t.aside == nil {
		return
	}
	stays := make(spanned[bool], len(t.calls))
	for i := range t.calls {
		stays[t.calls[i].key()] = true
	}
	var kept []Anchor
	for _, a := range *t.aside {
		with, taken := takers.of(&a)
		staying, _ := stays.of(&a)
		switch {
		case taken && (with.own || !staying):
			runs[with.run].Companions = append(runs[with.run].Companions, a)
		case staying:
			kept = append(kept, a)
		default:
			h.Unjudged = append(h.Unjudged, a)
		}
	}
	*t.aside = kept
}

// takersOf are the takers by the spans of their calls.
func takersOf(runs []Run) spanned[taker] {
	calls := 0
	for i := range runs {
		calls += len(runs[i].Calls)
	}
	takers := make(spanned[taker], calls)
	for i := range runs {
		for c := range runs[i].Calls {
			call := &runs[i].Calls[c]
			if known, taken := takers[call.key()]; !taken || !known.own && call.standing == own {
				takers[call.key()] = taker{i, call.standing == own}
			}
		}
	}
	return takers
}
