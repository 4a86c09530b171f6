package agentrun

import (
	"cmp"
	"encoding/binary"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

type link struct{ id, parent pcommon.SpanID }

const (
	firstLinks  = 512 // are taken before anyone looks for repetitions: sorting them costs more than keeping some twice
	sortedLinks = 128 // are sorted and searched faster than hashed
	usualLinks  = 8   // a trace has room for from the beginning
)

// linkCalls notes the links of calls, before the calls go.
func (t *trace) linkCalls(w *work) {
	if t.index == nil {
		t.links = slices.Grow(t.links, len(t.calls))
	}
	for i := range t.calls {
		t.addLink(t.calls[i].id, t.calls[i].parent, w)
	}
}

// addLink notes a parent, and returns by how many bytes t grew. Of a span with several the lowest one stands, whichever
// came first.
func (t *trace) addLink(id, parent pcommon.SpanID, w *work) int {
	before := t.linkCount()
	*w++
	switch {
	case t.index != nil:
		t.addIndexed(link{id, parent})
	case len(t.links) >= max(firstLinks, int(t.nextLinks)):
		*w += work(before)
		t.compactLinks()
		t.nextLinks = twice(2 * len(t.links))
		fallthrough
	default:
		t.links = append(t.links, link{id, parent})
	}
	return (t.linkCount() - before) * linkBytes
}

func (t *trace) addIndexed(l link) {
	if known, ok := t.index[l.id]; !ok || number(l.parent) < number(known) {
		t.index[l.id] = l.parent
	}
}

// number is an id as a number: numbers are compared faster than bytes.
func number(id pcommon.SpanID) uint64 { return binary.BigEndian.Uint64(id[:]) }

func (t *trace) compactLinks() {
	slices.SortFunc(t.links, func(a, b link) int {
		return cmp.Or(cmp.Compare(number(a.id), number(b.id)), cmp.Compare(number(a.parent), number(b.parent)))
	})
	t.links = slices.CompactFunc(t.links, func(a, b link) bool { return a.id == b.id })
}

func (t *trace) linkCount() int { return max(len(t.links), len(t.index)) }

// parents are the links of a trace, for looking up. Few are put in order and searched, which needs no memory, and many
// are hashed.
type parents struct {
	links []link
	index map[pcommon.SpanID]pcommon.SpanID
}

// parents are those of all links.
func (t *trace) parents() parents {
	t.tidyLinks()
	return parents{t.links, t.index}
}

// tidyLinks drops what was noted again, and has the links be found.
func (t *trace) tidyLinks() {
	switch {
	case t.index != nil:
	case len(t.links) <= sortedLinks:
		t.compactLinks()
	default:
		t.index = make(map[pcommon.SpanID]pcommon.SpanID, len(t.links))
		for _, l := range t.links {
			t.addIndexed(l)
		}
		t.links = nil
	}
}

// of is the parent of a span. It is false for a span that has not come.
func (p parents) of(id pcommon.SpanID) (parent pcommon.SpanID, seen bool) {
	if p.index != nil {
		parent, seen = p.index[id]
		return parent, seen
	}
	at, seen := slices.BinarySearchFunc(p.links, number(id), func(l link, id uint64) int {
		return cmp.Compare(number(l.id), id)
	})
	if seen {
		parent = p.links[at].parent
	}
	return parent, seen
}
