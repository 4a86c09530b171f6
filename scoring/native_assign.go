package scoring

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
)

const (
	// Limits of the optimal assignment, in steps and in cells. A larger group is paired greedily. 500 rows and 500 calls
	// that all compete with each other are below both limits.
	maxAssignSteps = 1 << 27
	maxAssignCells = 1 << 20
)

// A weight is the credit of required rows (Major) and of other rows (Minor). The first decides.
type weight = assignment.Weight

// weightOf is the weight of a credit in a row.
func weightOf(n need, credit int64) weight {
	return ordered.WeightOf(n, credit)
}

// assignAll pairs the groups that have partial credits.
func (w *nativeRun) assignAll(p *plan, m *matching) {
	bounded := false
	for _, g := range m.weighedGroups(&w.credits) {
		t := w.grid(p, g)
		if t.small() {
			w.assignGrid(t, t.assign())
		} else {
			w.greedy(p, g)
			bounded = true
		}
	}
	if bounded {
		w.notes = append(w.notes, "too many calls compete for the best pairing to be sought, this one has at least half of its credit")
	}
}

// A grid is a group as a table of slots and calls.
type grid struct {
	slots  []slot
	calls  []int32
	column map[int32]int32 // of a call
	plan   *plan
	edges  []edge
}

// A slot is room for one call in a row.
type slot struct{ row, class int32 }

// grid gives each class as many slots as it can use, the required ones first.
func (w *nativeRun) grid(p *plan, g group) grid {
	t := grid{column: map[int32]int32{}, plan: p, edges: g.edges}
	for _, e := range g.edges {
		if _, ok := t.column[e.call]; !ok {
			t.column[e.call] = int32(len(t.calls))
			t.calls = append(t.calls, e.call)
		}
	}
	for _, k := range g.classes {
		rows := p.classes[k].rows
		for i := range min(len(w.credits.of(k)), p.classes[k].capacity(len(w.calls))) {
			t.slots = append(t.slots, slot{rows[min(i, len(rows)-1)], k})
		}
	}
	return t
}

func (t *grid) small() bool {
	few, many := min(len(t.slots), len(t.calls)), max(len(t.slots), len(t.calls))
	return few*many <= maxAssignCells && few*few*many <= maxAssignSteps
}

// credits is the grid of credits, slot by slot.
func (t *grid) credits() []int64 {
	byClass := map[int32][]edge{}
	for _, e := range t.edges {
		byClass[e.class] = append(byClass[e.class], e)
	}
	cells := make([]int64, len(t.slots)*len(t.calls))
	for i, s := range t.slots {
		for _, e := range byClass[s.class] {
			cells[i*len(t.calls)+int(t.column[e.call])] = e.credit
		}
	}
	return cells
}

// A placement says which call a slot takes, and its credit.
type placement struct {
	slot, call int
	credit     int64
}

// assign finds the placements of greatest weight.
func (t *grid) assign() []placement {
	credits := t.credits()
	n := len(t.calls)
	gain := func(slot, call int) weight {
		return weightOf(t.plan.rows[t.slots[slot].row].need, credits[slot*n+call])
	}
	var pairs [][2]int
	if len(t.slots) <= n {
		pairs = assignment.NewGains(len(t.slots), n, gain).Assign()
	} else {
		pairs = assignment.NewGains(n, len(t.slots), func(call, slot int) weight { return gain(slot, call) }).Assign()
		for i := range pairs {
			pairs[i][0], pairs[i][1] = pairs[i][1], pairs[i][0]
		}
	}
	var placements []placement
	for _, x := range pairs {
		if credit := credits[x[0]*n+x[1]]; credit > 0 {
			placements = append(placements, placement{x[0], x[1], credit})
		}
	}
	return placements
}

func (w *nativeRun) assignGrid(t grid, placements []placement) {
	for _, s := range placements {
		call := t.calls[s.call]
		w.rowOf[call], w.creditOf[call] = t.slots[s.slot].row, s.credit
	}
}

// greedy takes the best edge whose row and call are both free, again and again, required rows first. Each chosen edge
// blocks at most two edges of the best pairing, and neither has more credit than the chosen one. So greedy reaches at
// least half of the greatest credit.
func (w *nativeRun) greedy(p *plan, g group) {
	byCredit(g.edges)
	w.cursors = filled(w.cursors, len(p.classes), 0)
	for _, e := range g.edges {
		if int(w.cursors[e.class]) < p.classes[e.class].needs.least && w.rowOf[e.call] < 0 {
			w.assignRow(p, e.class, e.call, e.credit)
		}
	}
	for _, k := range g.classes {
		w.cursors[k] = int32(p.classes[k].needs.least)
	}
	for _, e := range g.edges {
		if w.rowOf[e.call] < 0 {
			w.assignRow(p, e.class, e.call, e.credit)
		}
	}
}
