package bipartite

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// greedy repeatedly takes the best edge whose row and column are both free, required rows first. Each chosen edge blocks at
// most two edges of the best pairing, and neither has more credit than the chosen one. So greedy reaches at least half of the
// greatest credit.
func (m *Matcher) greedy(g group) {
	byCredit(g.edges)
	classes := m.shape.Classes
	m.next = reuse.Filled(m.next, len(classes), 0)
	for _, e := range g.edges {
		if int(m.next[e.Class]) < classes[e.Class].Needs.Least && m.pairs.RowOf[e.Column] < 0 {
			m.give(e.Class, e.Column, e.Credit)
		}
	}
	for _, k := range g.classes {
		m.next[k] = int32(classes[k].Needs.Least)
	}
	for _, e := range g.edges {
		if m.pairs.RowOf[e.Column] < 0 {
			m.give(e.Class, e.Column, e.Credit)
		}
	}
}

// byCredit sorts edges by descending credit.
func byCredit(edges []pairing.Edge) {
	slices.SortFunc(edges, func(a, b pairing.Edge) int {
		return cmp.Or(-cmp.Compare(a.Credit, b.Credit), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Class, b.Class))
	})
}
