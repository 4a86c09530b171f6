package match

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// MaxSteps bounds the edges that all assignments of a verdict visit. They take about half a second.
const MaxSteps = 1 << 26

// An Assigner pairs columns that have no order. It reuses its memory, by one goroutine at a time.
//
// It places one column after the other, and keeps the pairs so far the best ones, as the algorithm of Kuhn and Munkres does. A
// class has one or two bins: its required rows, and its other rows. A bin has a price, 0 as long as it has room. No column
// could gain more than in its own bin, if it paid the prices. A new column takes the cheapest path: it takes a bin with room, or
// the place of a column that takes another bin or is left out. Then the prices of the bins on shorter paths rise.
type Assigner struct {
	bins []bin
	// binOf is, by class, its first bin; those of class k are bins[binOf[k]:binOf[k+1]].
	binOf []int32
	// slots are the columns in each bin. By column, owner is its bin or -1, place its index in slots, used the edge between the
	// two, and first its first edge or -1.
	slots                     []int32
	owner, place, used, first []int32
	edges                     []Edge
	reached, next             []int32 // bins on paths of the column that is being placed; by bin, how many rows have a column
	work                      *names.Budget
}

// A bin is the required or the other rows of a class.
type bin struct {
	need                Need
	room, held          int32
	first               int32 // where its columns begin in slots
	price               Weight
	cost                Weight // of the cheapest path to the bin
	via                 int32  // the edge of the column that enters the bin on this path
	reached, considered bool
}

// FirstCome gives each class its first columns. This is best if no column has two edges and no credit is partial.
func (m *Assigner) FirstCome(s *Shape, e *Edges, pairs *Pairs) {
	m.next = filled(m.next, len(s.Classes), 0)
	for _, x := range e.All {
		rows := s.Classes[x.Class].Rows
		if at := m.next[x.Class]; int(at) < len(rows) {
			pairs.Add(rows[at], x.Column, Full)
			if s.Rows[rows[at]].Need != Endless {
				m.next[x.Class]++
			}
		}
	}
}

// Assign adds the pairs of greatest weight. It spends a step for each edge that it visits, and returns false if the work is spent. The
// edges must be grouped.
func (m *Assigner) Assign(s *Shape, e *Edges, pairs *Pairs, work *names.Budget) bool {
	m.work = work
	m.begin(s, e, len(pairs.RowOf))
	for column, first := range m.first {
		if first >= 0 && !m.insert(int32(column)) {
			return false
		}
	}
	// The columns of a bin get its rows in order.
	m.next = filled(m.next, len(m.bins), 0)
	for column, b := range m.owner {
		if b < 0 {
			continue
		}
		x := &e.All[m.used[column]]
		class := &s.Classes[x.Class]
		at := int(m.next[b])
		if m.bins[b].need != Required {
			at += class.Needs.Least
		}
		row := class.Rows[at]
		pairs.Add(row, x.Column, x.Credit)
		if s.Rows[row].Need != Endless {
			m.next[b]++
		}
	}
	return true
}

// begin makes the bins.
func (m *Assigner) begin(s *Shape, e *Edges, columns int) {
	m.edges = e.All
	m.bins, m.binOf = m.bins[:0], m.binOf[:0]
	slots := int32(0)
	add := func(need Need, room int) {
		if room > 0 {
			m.bins = append(m.bins, bin{need: need, room: int32(room), first: slots})
			slots += int32(room)
		}
	}
	for k := range s.Classes {
		m.binOf = append(m.binOf, int32(len(m.bins)))
		n, wanted := s.Classes[k].Needs, int(e.start[k+1]-e.start[k])
		more := n.Most - n.Least
		if n.Endless {
			more = wanted
		}
		add(Required, min(n.Least, wanted))
		add(Optional, min(more, wanted))
	}
	m.binOf = append(m.binOf, int32(len(m.bins)))
	m.slots = sized(m.slots, int(slots))
	m.owner, m.place = filled(m.owner, columns, -1), sized(m.place, columns)
	m.used, m.first = sized(m.used, columns), filled(m.first, columns, -1)
	for i, edge := range slices.Backward(e.All) {
		m.first[edge.Column] = int32(i)
	}
}

// insert places one more column. A path's cost is the sum of the prices and losses on it, less what the column gains.
func (m *Assigner) insert(column int32) bool {
	m.reached = m.reached[:0]
	m.reach(column, -1, Weight{})
	leaver, cost := column, Weight{} // the column that is left out on the cheapest path, and its cost
	var last int32                   // the bin at the end of a cheaper path, or -1
	for {
		if m.work.Spent() {
			return false
		}
		if last = m.cheapest(); last < 0 || !m.bins[last].cost.Less(cost) {
			last = -1
			break
		}
		b := &m.bins[last]
		if b.held < b.room {
			cost = b.cost
			break
		}
		b.considered = true
		for _, c := range m.slots[b.first : b.first+b.held] {
			gain := WeightOf(b.need, m.edges[m.used[c]].Credit).Minus(b.price)
			if without := b.cost.Plus(gain); without.Less(cost) {
				leaver, cost = c, without
			}
			m.reach(c, last, b.cost.Plus(gain))
		}
	}
	for _, i := range m.reached {
		b := &m.bins[i]
		if b.considered {
			b.price = b.price.Plus(cost.Minus(b.cost))
		}
		b.reached, b.considered = false, false
	}
	switch {
	case last >= 0:
		b := &m.bins[last]
		m.move(column, last, b.first+b.held)
		b.held++
	case leaver != column:
		m.move(column, m.owner[leaver], m.place[leaver])
		m.owner[leaver] = -1
	}
	return true
}

// reach updates the bins that a column could enter. from is its bin, or -1, and cost what it costs to take it from there.
func (m *Assigner) reach(column, from int32, cost Weight) {
	for i := m.first[column]; int(i) < len(m.edges) && m.edges[i].Column == column; i++ {
		x := &m.edges[i]
		m.work.Spend(1)
		for k := m.binOf[x.Class]; k < m.binOf[x.Class+1]; k++ {
			b := &m.bins[k]
			if k == from || b.considered {
				continue
			}
			entered := cost.Plus(b.price).Minus(WeightOf(b.need, x.Credit))
			if !b.reached {
				b.reached = true
				m.reached = append(m.reached, k)
			} else if !entered.Less(b.cost) {
				continue
			}
			b.cost, b.via = entered, i
		}
	}
}

// cheapest returns the bin of least cost that was reached and not considered, with room if there is a choice, or -1.
func (m *Assigner) cheapest() int32 {
	best := int32(-1)
	for _, k := range m.reached {
		b := &m.bins[k]
		if b.considered {
			continue
		}
		if best < 0 || b.cost.Less(m.bins[best].cost) || b.cost == m.bins[best].cost && b.held < b.room && m.bins[best].held == m.bins[best].room {
			best = k
		}
	}
	m.work.Spend(len(m.reached))
	return best
}

// move fills a free place of a bin with the column that enters it on the path, then the place of this column, and so on up to
// the new column.
func (m *Assigner) move(column, bin, place int32) {
	for {
		edge := m.bins[bin].via
		c := m.edges[edge].Column
		from, left := m.owner[c], m.place[c]
		m.slots[place], m.owner[c], m.place[c], m.used[c] = c, bin, place, edge
		if c == column {
			return
		}
		bin, place = from, left
	}
}
