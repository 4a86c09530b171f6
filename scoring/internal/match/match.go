// Package match gives columns rows so that the sum of credits is greatest. In the native method, columns are calls and rows are
// expected calls.
//
// A [Shape] is the rows. Rows with the same credits for every column are one class. A row must have a column, may have one, or
// takes any number. The shape of the tools a, b {min: 1, max: 2} and a is
//
//	row    0 a   1 b   2 b optional   3 a
//	class  0     1     1              0
//
// [Edges] are the credits, by class and column. A class and a column without an edge cannot be paired. [Pairs] are a solution.
// The best one has the greatest [Weight]: the most credit in required rows, and among equals the most in other rows. Weights are
// integers, so sums are exact.
//
// Three functions solve the problem, each under another rule:
//
//	[Assigner.Assign]   columns have no order: an assignment by shortest augmenting paths
//	[InOrder.Pair]      rows and columns have an order, and pairs do not cross: dynamic programming over the edges
//	[Concurrent.Pair]   columns have intervals, and those that overlap have no order: dynamic programming over sets of columns
//
// Each counts its work or has a bound on its table, which its comment states.
package match

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// Full is the credit of a pair that agrees completely. It is the least common multiple of 1 to 36. So any share of up to 36
// keys is a whole number of units, and a sum does not depend on its order. 50,000 times Full must fit an int64, so 36 is the
// limit. A share of more keys is rounded down to a unit, 7e-15 of a pair.
const Full = 144403552893600

// A Weight is the credit of required rows (Major) and of other rows (Minor). The first decides.
type Weight struct{ Major, Minor int64 }

// Impossible is the weight if a rule allows no pairs.
var Impossible = Weight{Major: -1}

// WeightOf returns a credit as Major in a required row, as Minor in another.
func WeightOf(n Need, credit int64) Weight {
	if n == Required {
		return Weight{Major: credit}
	}
	return Weight{Minor: credit}
}

// Plus adds both ranks.
func (a Weight) Plus(b Weight) Weight { return Weight{a.Major + b.Major, a.Minor + b.Minor} }

// Minus subtracts both ranks.
func (a Weight) Minus(b Weight) Weight { return Weight{a.Major - b.Major, a.Minor - b.Minor} }

// Less compares by Major, then by Minor.
func (a Weight) Less(b Weight) bool {
	return a.Major < b.Major || a.Major == b.Major && a.Minor < b.Minor
}

// A Need says whether a row must have a column.
type Need uint8

// The needs of rows.
const (
	Required Need = iota // exactly one column
	Optional             // one column or none
	Endless              // any number of columns
)

// A Rule says which rows and columns may be left out where the order counts.
type Rule uint8

// The rules.
const (
	Skipping  Rule = iota // rows and columns may both be left out
	Consuming             // each column has a row and each required row a column, even without a credit
)

// A Row is a place for a column, or for any number of columns.
type Row struct {
	Class int32
	Need  Need
}

// A Class is rows with the same credits for every column.
type Class struct {
	// Rows are the rows of the class: the required ones, then the others, each in order.
	Rows []int32
	// Needs is how many columns all rows of the class take.
	Needs Needs
}

// Needs bounds a number of columns. If Endless is true, Most does not count.
type Needs struct {
	Least, Most int
	Endless     bool
}

// A Shape is rows and their classes. Add classes and rows, then call [Shape.Index].
type Shape struct {
	Rows    []Row
	Classes []Class
	// Required is how many rows are required.
	Required int
}

// AddClass adds a class without rows and returns its number.
func (s *Shape) AddClass() int32 {
	s.Classes = append(s.Classes, Class{})
	return int32(len(s.Classes) - 1)
}

// AddRows appends rows of a class: the required ones, the optional ones, and an endless one.
func (s *Shape) AddRows(class int32, n Needs) {
	needs := &s.Classes[class].Needs
	needs.Least += n.Least
	needs.Most += n.Most
	needs.Endless = needs.Endless || n.Endless
	for i := range n.Most {
		need := Required
		if i >= n.Least {
			need = Optional
		}
		s.Rows = append(s.Rows, Row{class, need})
	}
	s.Required += min(n.Least, n.Most)
	if n.Endless {
		s.Rows = append(s.Rows, Row{class, Endless})
	}
}

// Index fills Rows of each class.
func (s *Shape) Index() {
	for _, want := range []Need{Required, Optional, Endless} {
		for i, r := range s.Rows {
			if r.Need == want {
				s.Classes[r.Class].Rows = append(s.Classes[r.Class].Rows, int32(i))
			}
		}
	}
}

// An Edge says that a column may have a row of a class, and its credit there, from 1 to [Full].
type Edge struct {
	Class, Column int32
	Credit        int64
}

// Edges are all pairs of a class and a column with a credit above 0. Call [Edges.Reset], then [Edges.Add] for each, column by
// column, and [Edges.Group] before the other methods. Edges reuse their memory, by one goroutine at a time.
type Edges struct {
	// All are the edges, column by column.
	All []Edge
	// Partial: some credit is below [Full].
	Partial bool
	// byClass are the same edges, class by class: those of class k are byClass[start[k]:start[k+1]], in the order of columns.
	byClass []Edge
	start   []int32
}

// Reset removes all edges.
func (e *Edges) Reset() { e.All, e.Partial = e.All[:0], false }

// Add adds an edge. Columns must be added in ascending order.
func (e *Edges) Add(class, column int32, credit int64) {
	e.All = append(e.All, Edge{class, column, credit})
	e.Partial = e.Partial || credit < Full
}

// Group sorts the edges by class.
func (e *Edges) Group(classes int) {
	e.start = filled(e.start, classes+1, 0)
	for _, x := range e.All {
		e.start[x.Class+1]++
	}
	for k := range classes {
		e.start[k+1] += e.start[k]
	}
	e.byClass = sized(e.byClass, len(e.All))
	for _, x := range e.All {
		e.byClass[e.start[x.Class]] = x
		e.start[x.Class]++
	}
	copy(e.start[1:], e.start)
	e.start[0] = 0
}

// OfColumn returns the edges of a column.
func (e *Edges) OfColumn(column int32) []Edge {
	first, _ := slices.BinarySearchFunc(e.All, column, func(e Edge, column int32) int { return cmp.Compare(e.Column, column) })
	last := first
	for last < len(e.All) && e.All[last].Column == column {
		last++
	}
	return e.All[first:last]
}

// Pairs say which row each column has. They reuse their memory, by one goroutine at a time.
type Pairs struct {
	// RowOf has the row of each column, or -1, and CreditOf its credit there, from 0 to [Full].
	RowOf    []int32
	CreditOf []int64
}

// Reset removes all pairs, and sets the number of columns.
func (p *Pairs) Reset(columns int) {
	p.RowOf = filled(p.RowOf, columns, -1)
	p.CreditOf = filled(p.CreditOf, columns, 0)
}

// Add gives a column a row.
func (p *Pairs) Add(row, column int32, credit int64) {
	p.RowOf[column], p.CreditOf[column] = row, credit
}

// Weight returns the weight of all pairs.
func (p *Pairs) Weight(s *Shape) (sum Weight) {
	for column, r := range p.RowOf {
		if r >= 0 {
			sum = sum.Plus(WeightOf(s.Rows[r].Need, p.CreditOf[column]))
		}
	}
	return sum
}

// sized returns a slice of n elements with any values, in the memory of s if it suffices.
func sized[T any](s []T, n int) []T { return slices.Grow(s[:0], n)[:n] }

// filled is like sized, and all elements are x.
func filled[T any](s []T, n int, x T) []T {
	s = sized(s, n)
	for i := range s {
		s[i] = x
	}
	return s
}

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
