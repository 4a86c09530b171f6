package runs

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
)

// A run is one while its trace is examined.
type run struct {
	evidence.Fact // of its anchor
	state         state
	node          int32
	wrapped       string  // the name of the span that wraps a nameless agent's
	held          []int32 // the places of its anchor and its copies in the trace
	wrapper       bool    // it represents nothing
	inside        insideOf
	group         int32 // the node of the group around it: see [tree.groupAround]
	direct        bool
	// inferred: a call represents the agent that it ran, or the run is a loop of model calls. It has no anchor.
	inferred bool
	doubts   Doubts
	tools    []string // that its span lists, nil until they were read
	cut      bool     // calls that count for it were left out

	calls     []Call
	rejected  []Call           // requests that came to nothing
	responses []*evidence.Fact // what model calls of the run record
}

type state uint8

const (
	ready   state = iota // closes now
	waiting              // its calls may still arrive
	past                 // has closed; its calls are late
)

// findAnchors finds the spans that represent runs: of each trace the agents, else the workflows, else the roots. Those of the
// best kind do, whether they are held, are known by their facts only, or have closed. For a whole trace it is the outermost root.
func (t *tree) findAnchors() {
	slices.SortFunc(t.in.Held, func(a, b evidence.Held) int { return compareHeld(&a, &b) })
	best := evidence.Tool
	for i := range t.in.Held {
		best = min(best, t.in.Held[i].Kind)
	}
	represents := func(f *evidence.Fact) bool { return f.Closed || f.Kind == evidence.Agent && !t.o.WholeTrace }
	for i := range t.facts {
		if f := &t.facts[i]; !f.ID.IsEmpty() && represents(f) {
			best = min(best, f.Kind)
		}
	}
	for _, s := range [...]state{past, waiting} { // if a span is not held, its batch was refused, or it is about to be
		for i, f := range each(t.facts) {
			at := t.of[i]
			if represents(f) && f.Closed == (s == past) && f.Kind == best && at != none && t.nodes[at].run == none {
				t.addRun(run{Fact: *f, state: s}, at)
			}
		}
	}
	t.addHeld(best)
	if !t.o.WholeTrace {
		t.nameAgents()
		t.addInferred()
	} else {
		t.keepOutermost()
	}
}

// addHeld adds the runs of held spans of the best kind, and the spans to the runs that are known. Copies of a span follow each other.
func (t *tree) addHeld(best evidence.Kind) {
	for i, h := range each(t.in.Held) {
		if h.Kind != best || h.Kind == evidence.Tool {
			continue
		}
		at := t.find(h.ID) // none for a span without an ID
		if at < 0 || t.nodes[at].run == none {
			t.addRun(run{Fact: evidence.Fact{Span: h.Span, Scope: h.Scope, Kind: h.Kind}}, at)
		}
		r := &t.runs[len(t.runs)-1]
		if at >= 0 {
			r = &t.runs[t.nodes[at].run]
		}
		if r.state == past {
			continue // it came while its run closed, and leaves without a verdict
		}
		if len(r.held) == 0 || h.Arrived <= t.x.Due { // a run closes with the first copy
			r.state, r.ClosedBy = t.stateOf(h)
		}
		r.held = append(r.held, int32(i))
		r.Agent, r.Conversation = cmp.Or(r.Agent, h.Agent), cmp.Or(r.Conversation, h.Conversation)
		r.doubts |= doubtIf(len(r.held) > 1 && !agree(&t.in.Held[r.held[0]], h), CopiesDiffer)
	}
}

// stateOf says whether the wait of a held span is over, and what closes its run then.
func (t *tree) stateOf(h *evidence.Held) (state, evidence.CloseReason) {
	switch {
	case h.Arrived <= t.x.Due:
		return ready, evidence.ByAnchor
	case t.x.Final:
		return ready, t.x.By
	}
	return waiting, evidence.ByAnchor
}

func (t *tree) addRun(r run, at int32) {
	if r.node = at; at >= 0 {
		t.nodes[at].run = int32(len(t.runs))
	}
	t.runs = append(t.runs, r)
}

// nameAgents gives nameless agents the name that all steps right below them give.
func (t *tree) nameAgents() {
	var names map[int32]string
	for i, f := range each(t.facts) {
		if !f.Step || f.Agent == "" {
			continue
		}
		up := t.up(int32(i))
		switch known, again := names[up]; {
		case !again:
			put(&names, up, f.Agent)
		case toolname.Key(known) != toolname.Key(f.Agent):
			names[up] = "" // they name different agents
		default:
			names[up] = min(known, f.Agent)
		}
	}
	for i := range t.runs {
		if r := &t.runs[i]; r.Kind == evidence.Agent && r.Agent == "" && r.node >= 0 {
			r.Agent = names[r.node]
		}
	}
}

// addInferred adds the agents that only their steps show: the span above is that of the call that ran them. Such a run closes with
// the run around it.
func (t *tree) addInferred() {
	from := len(t.runs)
	for i := range t.facts {
		if !t.facts[i].Step {
			continue
		}
		up := t.up(int32(i))
		if up < 0 || t.nodes[up].run != none || t.nodes[up].call == none {
			continue
		}
		if f := &t.facts[t.nodes[up].call]; !f.Call.Traits.ResultOnly {
			t.addRun(run{Fact: evidence.Fact{Span: f.Span, Kind: evidence.Agent}, state: waiting, inferred: true}, up)
		}
	}
	for i := range t.runs[from:] {
		r := &t.runs[from+i]
		r.state, r.ClosedBy = ready, t.x.By
		switch around := t.aroundInferred(int32(from + i)); {
		case around != none:
			r.state, r.ClosedBy = t.runs[around].state, t.runs[around].ClosedBy
		case t.x.mayStillArrive():
			r.state = waiting
		}
	}
}

// aroundInferred is the nearest run around an inferred one that is not inferred itself.
func (t *tree) aroundInferred(i int32) int32 {
	for up := range t.outward(i) {
		if !t.runs[up].inferred {
			return up
		}
	}
	return t.byTime(&t.runs[i].Span)
}

// keepOutermost keeps the root that represents the whole trace: one that has closed, else one without a parent, else the local
// root that began first.
func (t *tree) keepOutermost() {
	if len(t.runs) < 2 {
		return
	}
	order := func(r *run) int {
		switch {
		case r.state == past:
			return 0
		case r.Parent.IsEmpty():
			return 1
		}
		return 2
	}
	for i := range t.nodes {
		t.nodes[i].run = none
	}
	outer := slices.MinFunc(t.runs, func(a, b run) int {
		return cmp.Or(cmp.Compare(order(&a), order(&b)), evidence.CompareSpans(&a.Span, &b.Span))
	})
	t.runs = t.runs[:0]
	t.addRun(outer, outer.node)
}

// compareHeld puts copies of a span behind each other, that which says most first.
func compareHeld(a, b *evidence.Held) int {
	if order := evidence.CompareStarts(&a.Span, &b.Span); order != 0 {
		return order
	}
	return cmp.Or( // copies are rare
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.End, a.End), cmp.Compare(b.Data.Attributes().Len(), a.Data.Attributes().Len()),
		bytes.Compare(written(a), written(b)),
	)
}

// written is a span as OTLP, with its resource and scope.
func written(h *evidence.Held) []byte {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	h.Origin.Resource.Resource().CopyTo(rs.Resource())
	ss := rs.ScopeSpans().AppendEmpty()
	h.Origin.Scope.Scope().CopyTo(ss.Scope())
	h.Data.CopyTo(ss.Spans().AppendEmpty())
	text, _ := new(ptrace.ProtoMarshaler).MarshalTraces(td)
	return text
}

// agree reports whether two copies of an anchor do not contradict each other: one may have attributes that the other lacks.
func agree(a, b *evidence.Held) bool {
	const most = 1 << 12 // more attributes are not compared
	x, y := a.Data.Attributes(), b.Data.Attributes()
	if a.Start != b.Start || max(x.Len(), y.Len()) > most {
		return false
	}
	first := maps.Collect(x.All())
	for key, value := range y.All() {
		if other, both := first[key]; both && !other.Equal(value) {
			return false
		}
	}
	return true
}
