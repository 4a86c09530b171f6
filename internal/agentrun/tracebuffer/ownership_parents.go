package tracebuffer

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// link is the parent of a span, as a process tells it.
type link struct {
	id, parent pcommon.SpanID
	process    agentrun.Process
}

// edge is a link without its span.
type edge struct {
	parent  pcommon.SpanID
	process agentrun.Process
}

const (
	firstLinks  = 512 // stand in a slice, which takes half as much as an index, until the trace is examined
	sortedLinks = 128 // are sorted and searched faster than hashed
	usualLinks  = 8   // a trace has room for from the beginning
)

// linkCalls notes the links of calls, before the calls go.
func (t *trace) linkCalls(w *compare.Work) {
	if t.index == nil {
		t.links = slices.Grow(t.links, len(t.calls))
	}
	for i := range t.calls {
		c := &t.calls[i]
		t.addLink(link{c.ID, c.Parent, c.Process}, w)
	}
}

// addLink notes a parent, and returns by how many bytes t grew. Each process has its own links, because a sender who knows
// the id of a span could lead its children elsewhere. A span that has several parents in one process is disputed.
func (t *trace) addLink(l link, w *compare.Work) int {
	before := t.linkCount()
	*w++
	switch {
	case t.index != nil:
		t.addIndexed(l)
	case len(t.links) >= firstLinks:
		*w += compare.Work(before)
		t.indexLinks()
		t.addIndexed(l)
	default:
		t.links = append(t.links, l)
	}
	return (t.linkCount() - before) * linkBytes
}

// addIndexed adds a link to the index. Those of further processes for one span stand among the others.
func (t *trace) addIndexed(l link) {
	known, again := t.index[l.id]
	if !again {
		t.index[l.id] = edge{l.parent, l.process}
		return
	}
	if known.process != l.process {
		if known.parent != l.parent {
			t.dispute(agentrun.SpanKey{Process: 0, ID: l.id})
		}
		key := agentrun.SpanKey{Process: l.process, ID: l.id}
		parent, again := t.others[key]
		if !again {
			if t.others == nil {
				t.others = make(map[agentrun.SpanKey]pcommon.SpanID)
			}
			t.others[key] = l.parent
			return
		}
		known.parent = parent
	}
	if known.parent != l.parent {
		t.dispute(agentrun.SpanKey{Process: l.process, ID: l.id})
	}
}

// dispute notes that a process sent several parents for a span; the zero process, that several processes did.
func (t *trace) dispute(span agentrun.SpanKey) {
	if span.ID.IsEmpty() {
		return
	}
	if t.disputed == nil {
		t.disputed = make(map[agentrun.SpanKey]bool)
	}
	t.disputed[span] = true
}

// compareLinks puts the links of one span together, and among them those of one process.
func compareLinks(a, b link) int {
	if order := cmp.Compare(agentrun.SpanNumber(a.id), agentrun.SpanNumber(b.id)); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(agentrun.SpanNumber(a.parent), agentrun.SpanNumber(b.parent)))
}

func (t *trace) compactLinks() {
	slices.SortFunc(t.links, compareLinks)
	t.links = slices.CompactFunc(t.links, func(a, b link) bool {
		same := a.id == b.id && a.process == b.process
		if same && a.parent != b.parent {
			t.dispute(agentrun.SpanKey{Process: a.process, ID: a.id})
		}
		return same
	})
}

// linkCount is how many links are kept; a dispute takes as much as one.
func (t *trace) linkCount() int {
	return max(len(t.links), len(t.index)) + len(t.others) + len(t.disputed)
}

// parents are the links of a trace, for looking up. Few are put in order and searched, which needs no memory, and many
// are hashed.
type parents struct {
	links    []link
	index    map[pcommon.SpanID]edge
	others   map[agentrun.SpanKey]pcommon.SpanID
	disputed map[agentrun.SpanKey]bool
}

// parents are those of all links.
func (t *trace) parents() parents {
	t.tidyLinks()
	return parents{t.links, t.index, t.others, t.disputed}
}

// tidyLinks drops what was noted again, and has the links be found.
func (t *trace) tidyLinks() {
	switch {
	case t.index != nil:
	case len(t.links) <= sortedLinks:
		t.compactLinks()
	default:
		t.indexLinks()
	}
}

// indexLinks hashes the links. Further ones are then found when they come again.
func (t *trace) indexLinks() {
	t.index = make(map[pcommon.SpanID]edge, 2*len(t.links))
	for _, l := range t.links {
		t.addIndexed(l)
	}
	t.links = nil
}

// above is what is known of the parent of a span.
type above struct {
	parent pcommon.SpanID
	seen   bool // the span has come
	own    bool // from the process that asks, as far as is known
	// disputed: the process that asks sent several parents, or if it has not sent the span, others did.
	disputed bool
}

// of is the parent of a span for who asks: as its process tells it, else as another one does.
func (p parents) of(id pcommon.SpanID, by agentrun.Process) above {
	if p.index == nil {
		return p.search(id, by)
	}
	e, seen := p.index[id]
	switch {
	case !seen:
		return above{}
	case !e.process.DiffersFrom(by):
		return above{e.parent, true, true, p.disputed[agentrun.SpanKey{Process: e.process, ID: id}]}
	}
	for _, process := range [...]agentrun.Process{by, 0} {
		if parent, own := p.others[agentrun.SpanKey{Process: process, ID: id}]; own {
			return above{parent, true, true, p.disputed[agentrun.SpanKey{Process: process, ID: id}]}
		}
	}
	return above{e.parent, true, false, p.disputed[agentrun.SpanKey{Process: 0, ID: id}] || p.disputed[agentrun.SpanKey{Process: e.process, ID: id}]}
}

// search is of where the links are in order.
func (p parents) search(id pcommon.SpanID, by agentrun.Process) above {
	at, seen := slices.BinarySearchFunc(p.links, agentrun.SpanNumber(id), func(l link, id uint64) int {
		return cmp.Compare(agentrun.SpanNumber(l.id), id)
	})
	if !seen {
		return above{}
	}
	first := p.links[at]
	if first.process.DiffersFrom(by) {
		if own, known := slices.BinarySearchFunc(p.links, link{id: id, process: by}, func(l, of link) int {
			return cmp.Or(cmp.Compare(agentrun.SpanNumber(l.id), agentrun.SpanNumber(of.id)), cmp.Compare(l.process, of.process))
		}); known {
			first = p.links[own]
		}
	}
	found := above{first.parent, true, !first.process.DiffersFrom(by), p.disputed[agentrun.SpanKey{Process: first.process, ID: id}]}
	for i := at + 1; !found.own && i < len(p.links) && p.links[i].id == id; i++ {
		found.disputed = found.disputed || p.links[i].parent != first.parent
	}
	return found
}
