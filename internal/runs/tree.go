package runs

import (
	"iter"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// A tree is one trace while it is examined: its spans with their parents, and the runs in it.
type tree struct {
	in     *evidence.Trace
	o      *Options
	x      *Examination
	eq     equality
	closed Closed
	first  int // the place of the first closed run of this trace

	facts  []evidence.Fact // in the order of their starts, one for each span
	differ bool            // copies of a span contradict each other
	nodes  []node
	at     map[pcommon.SpanID]int32 // the nodes of spans
	of     []int32                  // by fact: its node, or none

	runs  []run
	calls []Call          // of facts that are no part of another call, in order
	into  []int32         // by fact: that of which it is another record, or itself
	fates []fate          // by fact
	to    []int32         // the runs that a call counts for
	told  statements      // what spans tell of calls
	past  []evidence.Fact // the runs that close now
	// responses is the memory for those of the only run.
	responses []*evidence.Fact
	runOf     map[int32]*Run     // by fact: the closed run that has its call; made when a span of a call leaves
	lowest    string             // the lowest ID of a conversation
	models    bool               // the trace has model calls, or had some when one of its runs closed
	ofAgent   map[uint64][]int32 // the runs of an agent, by the key of its name; made when a span names another agent than that above it
}

// trees are reused, because most traces are small.
var trees = sync.Pool{New: func() any { return new(tree) }}

// forget gives up what the tree has of its trace, and memory that a long trace made large.
func (t *tree) forget() {
	const long, many = 1 << 12, 1 << 8
	if len(t.nodes) > long {
		*t = tree{}
	}
	if clear(t.at); len(t.nodes) > many { // to clear a map takes as long as the map was large
		t.at = nil
	}
	clear(t.runs)
	clear(t.calls)
	clear(t.past)
	clear(t.responses[:cap(t.responses)])
	*t = tree{
		nodes: t.nodes[:0], at: t.at, of: t.of[:0], runs: t.runs[:0], calls: t.calls[:0],
		into: t.into[:0], fates: t.fates[:0], to: t.to[:0], past: t.past[:0], responses: t.responses[:0],
	}
}

// none is the place of nothing, and unknown that of a parent that has not arrived.
const none, unknown int32 = -1, -2

// A node is a span of the trace, of which at least the parent is known.
type node struct {
	id, parent pcommon.SpanID
	up         int32 // the parent's node, none or unknown
	run        int32 // the run that the span represents, or none
	call       int32 // the fact with the call of the span, or none
	agent      bool  // the span is an agent's, whether it represents a run or not
	model      bool  // the span is a model call's
	group      bool  // the span is a group's, which records shares of its agents
	// nearest is what is at or above the span, once it was looked for.
	nearest nearest
	seen    bool
}

// nearest has the nearest run at or above a span, and the nearest call with no run and no agent between. broken: no run is above, and a
// parent has not arrived.
type nearest struct {
	run, call int32
	broken    bool
}

// build makes a node of each span, and finds their parents.
func (t *tree) build() {
	n := len(t.facts) + len(t.in.Links) + len(t.in.Held)
	t.nodes, t.of = slices.Grow(t.nodes[:0], n), slices.Grow(t.of[:0], len(t.facts))
	if t.at == nil {
		t.at = make(map[pcommon.SpanID]int32, n)
	}
	for i := range t.facts {
		f := &t.facts[i]
		at := t.add(f.ID, f.Parent)
		t.of, t.models = append(t.of, at), t.models || f.Models
		if f.Conversation != "" && (t.lowest == "" || f.Conversation < t.lowest) {
			t.lowest = f.Conversation
		}
		if at == none || f.Closed {
			continue
		}
		n := &t.nodes[at]
		n.agent, n.model = n.agent || f.Kind == evidence.Agent, n.model || f.IsModelCall()
		n.group = n.group || f.Response != nil && f.Response.Shares != nil
		t.models = t.models || n.model
		switch {
		case f.Call == nil:
		case n.call == none:
			n.call = int32(i)
		default: // copies of a span are one fact, so these are two calls
			t.differ = true
		}
	}
	for _, l := range t.in.Links {
		if at := t.add(l.ID, l.Parent); at != none && l.Model {
			t.nodes[at].model, t.models = true, true
		}
	}
	for i := range t.in.Held {
		t.add(t.in.Held[i].ID, t.in.Held[i].Parent)
	}
	for i := range t.nodes {
		t.nodes[i].up = t.find(t.nodes[i].parent)
	}
}

// add adds a span, and returns its node. Spans of one ID that name different parents contradict each other.
func (t *tree) add(id, parent pcommon.SpanID) int32 {
	if id.IsEmpty() {
		return none
	}
	at, known := t.at[id]
	if known {
		t.differ = t.differ || t.nodes[at].parent != parent
		return at
	}
	at = int32(len(t.nodes))
	t.nodes, t.at[id] = append(t.nodes, node{id: id, parent: parent, run: none, call: none}), at
	return at
}

// indexOf returns the place of the first element for which something holds, or -1. It looks at elements where they are.
func indexOf[T any](all []T, holds func(*T) bool) int {
	for i := range all {
		if holds(&all[i]) {
			return i
		}
	}
	return -1
}

// contains reports whether something holds for an element of a slice.
func contains[T any](all []T, holds func(*T) bool) bool { return indexOf(all, holds) >= 0 }

// each yields the elements of a slice where they are, with their places.
func each[T any](all []T) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range all {
			if !yield(i, &all[i]) {
				return
			}
		}
	}
}

// put sets an entry of a map that is made when it is needed.
func put[M ~map[K]V, K comparable, V any](m *M, key K, value V) {
	if *m == nil {
		*m = make(M)
	}
	(*m)[key] = value
}

// find returns the node of a span: none without an ID, and unknown if the span has not arrived.
func (t *tree) find(id pcommon.SpanID) int32 {
	if id.IsEmpty() {
		return none
	}
	if at, known := t.at[id]; known {
		return at
	}
	return unknown
}

// above returns what is nearest at or above a node. Each node is looked at once.
func (t *tree) above(at int32) nearest {
	if at < 0 {
		return nearest{run: none, call: none, broken: at == unknown}
	}
	n := &t.nodes[at]
	if n.seen {
		return n.nearest
	}
	n.seen, n.nearest = true, nearest{run: n.run, call: none} // which a cycle of parents leads to
	if n.run == none {
		n.nearest = t.above(n.up)
		switch {
		case n.agent: // of a whole trace
			n.nearest.call = none
		case n.call != none:
			n.nearest.call = n.call
		}
	}
	return n.nearest
}

// up is the node of the parent of a fact's span.
func (t *tree) up(fact int32) int32 { return t.find(t.facts[fact].Parent) }
