package parents

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
)

// Link is a span with its parent, as a process recorded it.
type Link struct {
	ID, Parent pcommon.SpanID
	Process    agentrun.Process
}

// edge is a link without its span.
type edge struct {
	parent  pcommon.SpanID
	process agentrun.Process
}

// Table has the links of a trace. A slice is half the size of an index, and most traces are examined once. So links are in
// a slice until there are many, or until the trace is examined. Then a few links are sorted and searched, and many are
// hashed.
type Table struct {
	links []Link
	index map[pcommon.SpanID]edge
	// others has the links of further processes for a span of the index. disputed has the spans that have several parents.
	others   map[agentrun.SpanKey]pcommon.SpanID
	disputed map[agentrun.SpanKey]bool
}

const (
	// LinkBytes is how many bytes a link keeps alive.
	LinkBytes = 28
	// FirstLinks is how many links are in a slice until the trace is examined.
	FirstLinks  = 512
	sortedLinks = 128 // are sorted and searched faster than hashed
	usualLinks  = 8   // capacity of a new trace
	keptLinks   = 16  // a longer list is not kept for the next trace
	moreSteps   = 1 << 15
)

// New returns a Table without links, with the capacity for a usual trace.
func New() Table { return Table{links: make([]Link, 0, usualLinks)} }

// Emptied returns p without links, so that another trace can use its memory. If p is large, its memory is given up.
func (p *Table) Emptied() Table {
	if cap(p.links) > keptLinks {
		return Table{}
	}
	clear(p.links[:cap(p.links)])
	return Table{links: p.links[:0]}
}

// Room is how many bytes Emptied keeps alive.
func (p *Table) Room() int { return cap(p.links) * LinkBytes }

// Size is how many bytes p keeps alive.
func (p *Table) Size() int { return p.count() * LinkBytes }

// Steps bounds how many steps all walks over p may take together, in one examination. Walks of one process pass each span
// once. A walk of another process passes the spans above its own again, of which there are few in traces of programs.
func (p *Table) Steps() int { return 3*p.count() + moreSteps }

// AddCalls adds the links of calls.
func (p *Table) AddCalls(calls []agentrun.PendingCall, w *compare.Work) {
	if p.index == nil {
		p.links = slices.Grow(p.links, len(calls))
	}
	for i := range calls {
		c := &calls[i]
		p.Add(Link{c.ID, c.Parent, c.Process}, w)
	}
}

// Add adds a link, and returns by how many bytes p grew. Each process has its own links, because a sender that knows the ID
// of a span could give its children another parent. A span that has several parents in one process is disputed.
func (p *Table) Add(l Link, w *compare.Work) int {
	*w++
	if p.index == nil && len(p.links) < FirstLinks {
		p.links = append(p.links, l)
		return LinkBytes
	}
	before := p.count()
	if p.index == nil {
		*w += compare.Work(before)
		p.hash()
	}
	p.addIndexed(l)
	return (p.count() - before) * LinkBytes
}

// All are the links of each process for each span, in the order of processes.
func (p *Table) All() []Link {
	all := slices.Clone(p.links)
	for id, known := range p.index {
		all = append(all, Link{id, known.parent, known.process})
	}
	for span, parent := range p.others {
		all = append(all, Link{span.ID, parent, span.Process})
	}
	slices.SortStableFunc(all, func(a, b Link) int { return cmp.Compare(a.Process, b.Process) })
	return all
}

// Disputed yields the spans that have several parents, as [Table.Dispute] notes them.
func (p *Table) Disputed(yield func(agentrun.SpanKey) bool) {
	for span := range p.disputed {
		if !yield(span) {
			return
		}
	}
}

// addIndexed adds a link to the index. Links of further processes for the same span are in others.
func (p *Table) addIndexed(l Link) {
	known, again := p.index[l.ID]
	if !again {
		p.index[l.ID] = edge{l.Parent, l.Process}
		return
	}
	if known.process != l.Process {
		if known.parent != l.Parent {
			p.Dispute(agentrun.SpanKey{Process: 0, ID: l.ID})
		}
		key := agentrun.SpanKey{Process: l.Process, ID: l.ID}
		parent, again := p.others[key]
		if !again {
			if p.others == nil {
				p.others = make(map[agentrun.SpanKey]pcommon.SpanID)
			}
			p.others[key] = l.Parent
			return
		}
		known.parent = parent
	}
	if known.parent != l.Parent {
		p.Dispute(agentrun.SpanKey{Process: l.Process, ID: l.ID})
	}
}

// Dispute notes that a process sent several parents for a span; the zero process, that several processes did. It returns by
// how many bytes p grew.
func (p *Table) Dispute(span agentrun.SpanKey) int {
	if span.ID.IsEmpty() {
		return 0
	}
	before := p.count()
	if p.disputed == nil {
		p.disputed = make(map[agentrun.SpanKey]bool)
	}
	p.disputed[span] = true
	return (p.count() - before) * LinkBytes
}

// compareLinks sorts the links of one span together, and among them those of one process.
func compareLinks(a, b Link) int {
	if order := cmp.Compare(agentrun.SpanNumber(a.ID), agentrun.SpanNumber(b.ID)); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(agentrun.SpanNumber(a.Parent), agentrun.SpanNumber(b.Parent)))
}

func (p *Table) compact() {
	slices.SortFunc(p.links, compareLinks)
	p.links = slices.CompactFunc(p.links, func(a, b Link) bool {
		same := a.ID == b.ID && a.Process == b.Process
		if same && a.Parent != b.Parent {
			p.Dispute(agentrun.SpanKey{Process: a.Process, ID: a.ID})
		}
		return same
	})
}

// count is how many links are kept; a dispute takes as much as one.
func (p *Table) count() int {
	return max(len(p.links), len(p.index)) + len(p.others) + len(p.disputed)
}

// Tidy drops repeated links, and prepares the others for look-ups.
func (p *Table) Tidy() {
	switch {
	case p.index != nil:
	case len(p.links) <= sortedLinks:
		p.compact()
	default:
		p.hash()
	}
}

// hash moves the links to the index, which recognizes repeated ones.
func (p *Table) hash() {
	p.index = make(map[pcommon.SpanID]edge, 2*len(p.links))
	for _, l := range p.links {
		p.addIndexed(l)
	}
	p.links = nil
}

// WithChildren are the spans that are the parent of another span of the process.
func (p *Table) WithChildren(w *compare.Work) map[agentrun.SpanKey]bool {
	*w += compare.Work(p.count())
	all := make(map[agentrun.SpanKey]bool, p.count())
	for i := range p.links {
		all[agentrun.SpanKey{Process: p.links[i].Process, ID: p.links[i].Parent}] = true
	}
	for _, e := range p.index {
		all[agentrun.SpanKey{Process: e.process, ID: e.parent}] = true
	}
	for span, parent := range p.others {
		all[agentrun.SpanKey{Process: span.Process, ID: parent}] = true
	}
	return all
}

// Above is what is known about the parent of a span.
type Above struct {
	Parent pcommon.SpanID
	Seen   bool // the span has arrived
	Own    bool // from the process that asks, as far as is known
	// Disputed: the process that asks sent several parents, or if it has not sent the span, others did.
	Disputed bool
	Sender   agentrun.Process // of the link; one of them if there are several
}

// Of returns the parent of a span as the process by recorded it, else as another process did.
func (p *Table) Of(id pcommon.SpanID, by agentrun.Process) Above {
	if p.index == nil {
		return p.search(id, by)
	}
	e, seen := p.index[id]
	switch {
	case !seen:
		return Above{}
	case !e.process.DiffersFrom(by):
		return Above{e.parent, true, true, p.disputed[agentrun.SpanKey{Process: e.process, ID: id}], e.process}
	}
	for _, process := range [...]agentrun.Process{by, 0} {
		if parent, own := p.others[agentrun.SpanKey{Process: process, ID: id}]; own {
			return Above{parent, true, true, p.disputed[agentrun.SpanKey{Process: process, ID: id}], process}
		}
	}
	return Above{e.parent, true, false, p.disputed[agentrun.SpanKey{Process: 0, ID: id}] || p.disputed[agentrun.SpanKey{Process: e.process, ID: id}], e.process}
}

// search is [Table.Of] where the links are in order.
func (p *Table) search(id pcommon.SpanID, by agentrun.Process) Above {
	at, seen := slices.BinarySearchFunc(p.links, agentrun.SpanNumber(id), func(l Link, id uint64) int {
		return cmp.Compare(agentrun.SpanNumber(l.ID), id)
	})
	if !seen {
		return Above{}
	}
	first := p.links[at]
	if first.Process.DiffersFrom(by) {
		if own, known := slices.BinarySearchFunc(p.links, Link{ID: id, Process: by}, func(l, of Link) int {
			return cmp.Or(cmp.Compare(agentrun.SpanNumber(l.ID), agentrun.SpanNumber(of.ID)), cmp.Compare(l.Process, of.Process))
		}); known {
			first = p.links[own]
		}
	}
	found := Above{first.Parent, true, !first.Process.DiffersFrom(by), p.disputed[agentrun.SpanKey{Process: first.Process, ID: id}], first.Process}
	for i := at + 1; !found.Own && i < len(p.links) && p.links[i].ID == id; i++ {
		l := p.links[i]
		found.Disputed = found.Disputed || l.Parent != first.Parent || p.disputed[agentrun.SpanKey{Process: l.Process, ID: id}]
	}
	return found
}
