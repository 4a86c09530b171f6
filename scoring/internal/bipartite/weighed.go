package bipartite

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
)

const (
	// These bound the optimal assignments: the steps of all of them, and the cells of one. Groups beyond are paired greedily.
	// 500 rows and 500 columns that all compete are below both.
	maxSteps = 1 << 27
	maxCells = 1 << 20
)

// weigh pairs the groups that have partial credits. It returns false if a group was too large and was paired greedily.
func (m *Matcher) weigh() (optimal bool) {
	optimal = true
	for _, g := range m.weighedGroups() {
		t := m.grid(g)
		if m.affords(&t) {
			t.assign(m.pairs)
		} else {
			m.greedy(g)
			optimal = false
		}
	}
	return optimal
}

// A grid is a group as a table of slots and columns.
type grid struct {
	slots   []slot
	columns []int32
	place   map[int32]int32 // the index of a column in columns
	edges   []pairing.Edge
}

// A slot is room for one column in a row.
type slot struct {
	row, class int32
	need       ordered.Need
}

// grid returns the table of a group. Each class has as many slots as it can use, the required ones first.
func (m *Matcher) grid(g group) grid {
	t := grid{place: map[int32]int32{}, edges: g.edges}
	for _, e := range g.edges {
		if _, ok := t.place[e.Column]; !ok {
			t.place[e.Column] = int32(len(t.columns))
			t.columns = append(t.columns, e.Column)
		}
	}
	for _, k := range g.classes {
		rows := m.shape.Classes[k].Rows
		for i := range min(len(m.edges.Of(k)), m.shape.Classes[k].Capacity(len(m.owner))) {
			row := rows[min(i, len(rows)-1)]
			t.slots = append(t.slots, slot{row, k, m.shape.Rows[row].Need})
		}
	}
	return t
}

// affords reports whether a table is within the bounds, and spends its steps.
func (m *Matcher) affords(t *grid) bool {
	few, many := min(len(t.slots), len(t.columns)), max(len(t.slots), len(t.columns))
	if few*many > maxCells || few*few*many > maxSteps-m.spent {
		return false
	}
	m.spent += few * few * many
	return true
}

// credits returns the credits of all cells, slot by slot.
func (t *grid) credits() []int64 {
	byClass := map[int32][]pairing.Edge{}
	for _, e := range t.edges {
		byClass[e.Class] = append(byClass[e.Class], e)
	}
	cells := make([]int64, len(t.slots)*len(t.columns))
	for i, s := range t.slots {
		for _, e := range byClass[s.class] {
			cells[i*len(t.columns)+int(t.place[e.Column])] = e.Credit
		}
	}
	return cells
}

// assign adds the pairs of greatest weight.
func (t *grid) assign(pairs *pairing.Pairs) {
	credits := t.credits()
	n := len(t.columns)
	gain := func(slot, column int) assignment.Weight {
		return ordered.WeightOf(t.slots[slot].need, credits[slot*n+column])
	}
	add := func(slot, column int) {
		if credit := credits[slot*n+column]; credit > 0 {
			pairs.Add(t.slots[slot].row, t.columns[column], credit)
		}
	}
	if len(t.slots) <= n {
		for _, x := range assignment.NewGains(len(t.slots), n, gain).Assign() {
			add(x[0], x[1])
		}
		return
	}
	turned := func(column, slot int) assignment.Weight { return gain(slot, column) }
	for _, x := range assignment.NewGains(n, len(t.slots), turned).Assign() {
		add(x[1], x[0])
	}
}
