package bipartite

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// A Matcher pairs columns with rows. It reuses its memory, by one goroutine at a time. The zero value is ready to use.
type Matcher struct {
	shape *pairing.Shape
	edges *pairing.Edges
	pairs *pairing.Pairs

	owner []int32 // by column: its class, or -1
	room  []int32 // by class: how many columns it may still take
	level []int32 // by class: its distance from a class with room, in exchanges
	tried []int32 // by class: how many of its edges this round has tried
	queue []int32
	// root is, by class, its parent in the tree of its group (union-find). weighed says, by representative, that the group
	// has partial credits and needs an assignment by weight.
	root    []int32
	weighed []bool
	// spent is how many steps of optimal assignments were taken since Restart.
	spent int
	// next is, by class, the index of the row that takes the next column.
	next []int32
}

// Restart begins a new task. All problems of a task share a bound on steps.
func (m *Matcher) Restart() { m.spent = 0 }

// Best adds the pairs of greatest weight. It returns false if a group was too large and was paired greedily.
func (m *Matcher) Best(s *pairing.Shape, e *pairing.Edges, pairs *pairing.Pairs) (optimal bool) {
	m.begin(s, e, pairs)
	defer m.end()
	e.Group(len(s.Classes))
	m.reset()
	if e.Partial {
		m.unite()
	}
	m.fill()
	m.place()
	if e.Partial {
		return m.weigh()
	}
	return true
}

// FirstCome gives each class its first columns. This is best only if no column has two edges and no credit is partial.
func (m *Matcher) FirstCome(s *pairing.Shape, e *pairing.Edges, pairs *pairing.Pairs) {
	m.begin(s, e, pairs)
	defer m.end()
	m.next = reuse.Filled(m.next, len(s.Classes), 0)
	for _, x := range e.All {
		m.give(x.Class, x.Column, pairing.Full)
	}
}

func (m *Matcher) begin(s *pairing.Shape, e *pairing.Edges, pairs *pairing.Pairs) {
	m.shape, m.edges, m.pairs = s, e, pairs
}

// end drops the problem, so that a pooled Matcher keeps nothing else alive.
func (m *Matcher) end() { m.shape, m.edges, m.pairs = nil, nil, nil }

func (m *Matcher) reset() {
	classes := len(m.shape.Classes)
	m.owner = reuse.Filled(m.owner, len(m.pairs.RowOf), -1)
	m.room = reuse.Sized(m.room, classes)
	m.level = reuse.Sized(m.level, classes)
	m.tried = reuse.Sized(m.tried, classes)
	m.root = reuse.Sized(m.root, classes)
	for k := range m.root {
		m.root[k] = int32(k)
	}
	m.weighed = reuse.Filled(m.weighed, classes, false)
}

// place gives the columns of each class to its rows, in order.
func (m *Matcher) place() {
	m.next = reuse.Filled(m.next, len(m.shape.Classes), 0)
	for j, k := range m.owner {
		if k >= 0 {
			m.give(k, int32(j), pairing.Full)
		}
	}
}

// give assigns a column to the next row of its class, if one is left.
func (m *Matcher) give(k, column int32, credit int64) {
	rows := m.shape.Classes[k].Rows
	at := m.next[k]
	if int(at) == len(rows) {
		return
	}
	m.pairs.Add(rows[at], column, credit)
	if m.shape.Rows[rows[at]].Need != ordered.Endless {
		m.next[k]++
	}
}

// fill matches required rows first, then the others. A chain of exchanges never takes a column from a class without giving
// it another, so the second step costs no required row its column.
func (m *Matcher) fill() {
	for k := range m.room {
		m.room[k] = int32(m.shape.Classes[k].Needs.Least)
	}
	m.grow()
	for k := range m.room {
		class := &m.shape.Classes[k]
		m.room[k] += int32(class.Capacity(len(m.owner)) - class.Needs.Least)
	}
	m.grow()
}

// grow matches until no chain of exchanges can win another column.
func (m *Matcher) grow() {
	for m.measure() {
		for k := range m.tried {
			m.tried[k] = 0
		}
		for k := range m.room {
			for m.open(int32(k)) && m.win(int32(k)) {
				m.room[k]--
			}
		}
	}
}

// open reports whether a class takes part and has room.
func (m *Matcher) open(k int32) bool { return m.room[k] > 0 && !m.weighed[m.find(k)] }

// measure computes the levels, and reports whether a column can be won.
func (m *Matcher) measure() bool {
	m.queue = m.queue[:0]
	for k := range m.level {
		m.level[k] = -1
		if m.open(int32(k)) {
			m.level[k] = 0
			m.queue = append(m.queue, int32(k))
		}
	}
	found := false
	edges := m.edges
	for i := 0; i < len(m.queue); i++ {
		k := m.queue[i]
		for _, e := range edges.Of(k) {
			switch o := m.owner[e.Column]; {
			case o < 0:
				found = true
			case m.level[o] < 0:
				m.level[o] = m.level[k] + 1
				m.queue = append(m.queue, o)
			}
		}
	}
	return found
}

// win gives class k one more column: a free one, or one of a class of the next level that can win another column instead.
func (m *Matcher) win(k int32) bool {
	edges := m.edges.Of(k)
	for int(m.tried[k]) < len(edges) {
		column := edges[m.tried[k]].Column
		m.tried[k]++
		o := m.owner[column]
		if o < 0 || m.level[o] == m.level[k]+1 && m.win(o) {
			m.owner[column] = k
			return true
		}
	}
	return false
}
