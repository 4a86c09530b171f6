package match

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// An InOrder pairs rows and columns in their order: a pair with a later row has a later column as well. Both may be left out. It
// reuses its memory, by one goroutine at a time.
//
// It goes through the rows, and keeps the chains of pairs that may still be extended: no other one ends at the same column or
// earlier and weighs as much. Each has a later end and a greater weight than the one before it, so the best chain that ends
// before a column is found by halving. The time grows with the sum of the edges of all rows.
type InOrder struct {
	chains []chain
	front  []end
}

// A chain is a pair, by its row and edge, and the chain before it, or -1.
type chain struct{ row, edge, before int32 }

// An end is the weight of a chain and its last column, or -1 for no pairs.
type end struct {
	weight        Weight
	column, chain int32
}

// Retained returns about how many words of memory are kept.
func (o *InOrder) Retained() int { return 2*cap(o.chains) + 3*cap(o.front) }

// Pair adds the pairs of greatest weight. The edges must be grouped. Among equals it takes the first columns, then the first rows.
func (o *InOrder) Pair(s *Shape, e *Edges, pairs *Pairs) {
	o.chains, o.front = o.chains[:0], append(o.front[:0], end{column: -1, chain: -1})
	for r, row := range s.Rows {
		from, to := e.start[row.Class], e.start[row.Class+1]
		if row.Need == Endless { // pairs of the same row may follow each other
			for i := from; i < to; i++ {
				o.add(int32(r), i, &e.byClass[i], row.Need)
			}
			continue
		}
		for i := to - 1; i >= from; i-- {
			o.add(int32(r), i, &e.byClass[i], row.Need)
		}
	}
	for at := o.front[len(o.front)-1].chain; at >= 0; at = o.chains[at].before {
		c := o.chains[at]
		x := &e.byClass[c.edge]
		pairs.Add(c.row, x.Column, x.Credit)
	}
}

// add extends the best chain that ends before the column of an edge, and drops the chains that are then of no use.
func (o *InOrder) add(row, edge int32, x *Edge, need Need) {
	at, behind := 1, len(o.front)
	if o.front[behind-1].column < x.Column {
		at = behind
	}
	for at < behind {
		if mid := (at + behind) / 2; o.front[mid].column < x.Column {
			at = mid + 1
		} else {
			behind = mid
		}
	}
	before := &o.front[at-1]
	now := end{before.weight.Plus(WeightOf(need, x.Credit)), x.Column, int32(len(o.chains))}
	if at < len(o.front) && o.front[at].column == x.Column && !o.front[at].weight.Less(now.weight) {
		return
	}
	o.chains = append(o.chains, chain{row, edge, before.chain})
	worse := at
	for worse < len(o.front) && !now.weight.Less(o.front[worse].weight) {
		worse++
	}
	if worse == at+1 {
		o.front[at] = now
	} else {
		o.front = slices.Replace(o.front, at, worse, now)
	}
}

// An Interval is when a column began and ended, in any unit. The zero Interval means unknown. An end before the start counts
// as the start.
type Interval struct{ Start, End uint64 }

// Before reports whether a was over when b began. If both began together, neither is before the other.
func (a Interval) Before(b Interval) bool { return a.end() <= b.Start && a.Start < b.Start }

func (a Interval) end() uint64 { return max(a.Start, a.End) }

// A Concurrent pairs columns with intervals: pairs must not cross in some order of the columns that puts each behind those that
// were over when it began. This partial order is an interval order (Fishburn 1970).
//
// Rows are x and y. Column 0 matches y and lasts from 1 to 3, column 1 matches x and lasts from 2 to 4. In the order of their
// starts, the two pairs cross, so only one counts. But the intervals overlap, so column 1 may come first, and both pairs
// count. If column 1 began at 3, column 0 would be over, and only one pair would count.
//
// A state is a set of columns that contains, with each column, all columns before it. A cell is a state and a number of passed rows. The
// states are found from the smallest one on, and each extends the cells of those that have one more column.
type Concurrent struct {
	Shape *Shape
	Edges *Edges
	Times []Interval
	Rule  Rule
	// Work is how much work is left: a unit is a cell of the table and a column, and takes some nanoseconds.
	Work *names.Budget

	columns []int32 // those that take part, by start
	// alike is, by index in columns, the last earlier one that is interchangeable with it, or -1.
	alike   []int32
	table   [][]cell // by state, then by the number of passed rows
	credits []int64  // of one column, by class
}

// maxTable bounds the cells of a [Concurrent]. A cell takes 24 bytes.
const maxTable = 1 << 21

// A cell has the greatest weight of its state and passed rows, and the place of the cell that it extends among all cells, or -1. column
// is the index of the column that it pairs with the last passed row, or -1.
type cell struct {
	weight         Weight
	before, column int32
}

// HaveOneOrder reports whether the columns have only one order.
func (c *Concurrent) HaveOneOrder() bool {
	columns := c.takingPart()
	for i := 1; i < len(columns); i++ {
		if !c.Times[columns[i-1]].Before(c.Times[columns[i]]) {
			return false
		}
	}
	return true
}

// takingPart returns the columns with an edge, or all columns if the rule is Consuming.
func (c *Concurrent) takingPart() (columns []int32) {
	for j := range c.Times {
		if c.Rule == Consuming || len(c.Edges.OfColumn(int32(j))) > 0 {
			columns = append(columns, int32(j))
		}
	}
	return columns
}

// Allows reports whether the pairs do not cross in some order of the columns. If the rule is Consuming, nothing must be left out.
func (c *Concurrent) Allows(pairs *Pairs) bool {
	var order []int32
	missing := c.Shape.Required
	for column, r := range pairs.RowOf {
		if r >= 0 {
			order = append(order, int32(column))
			if c.Shape.Rows[r].Need == Required {
				missing--
			}
		}
	}
	if c.Rule == Consuming && (missing > 0 || len(order) < len(pairs.RowOf)) {
		return false
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(pairs.RowOf[a], pairs.RowOf[b]), cmp.Compare(c.Times[a].Start, c.Times[b].Start))
	})
	// An interval order crosses the rows if and only if two columns do, so the latest start of earlier rows decides.
	latest := Interval{}
	for _, column := range order {
		t := c.Times[column]
		if t.Before(latest) {
			return false
		}
		latest.Start = max(latest.Start, t.Start)
	}
	return true
}

// Pair replaces pairs by the best ones. It returns their weight, which is [Impossible] if the rule allows none. ok is false if
// that is too much work. Sets of columns can double with each column; interchangeable columns are taken in one order, which saves
// most sets: 30 of them have 31 sets, not 2 to the 30.
func (c *Concurrent) Pair(pairs *Pairs) (best Weight, ok bool) {
	c.columns = c.takingPart()
	slices.SortStableFunc(c.columns, func(a, b int32) int { return cmp.Compare(c.Times[a].Start, c.Times[b].Start) })
	if !c.Work.Spend(len(c.columns) * len(c.columns)) {
		return Weight{}, false
	}
	c.findAlike()
	if !c.fill() {
		return Weight{}, false
	}
	if best = c.table[len(c.table)-1][c.width()-1].weight; best != Impossible {
		pairs.Reset(len(c.Times))
		c.unravel(pairs)
	}
	return best, true
}

// findAlike fills alike. The set of columns that are over only grows with time. So two columns have the same columns before them if they
// have as many, and likewise behind them.
func (c *Concurrent) findAlike() {
	c.alike = filled[int32](c.alike, len(c.columns), -1)
	last := map[string]int32{}
	for i, column := range c.columns {
		before, behind := uint64(0), uint64(0)
		for _, other := range c.columns {
			if c.Times[other].Before(c.Times[column]) {
				before++
			}
			if c.Times[column].Before(c.Times[other]) {
				behind++
			}
		}
		key := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, before), behind)
		for _, x := range c.Edges.OfColumn(column) {
			key = binary.LittleEndian.AppendUint64(key, uint64(x.Class))
			key = binary.LittleEndian.AppendUint64(key, uint64(x.Credit))
		}
		if earlier, ok := last[string(key)]; ok {
			c.alike[i] = earlier
		}
		last[string(key)] = int32(i)
	}
}

// width is the number of cells of a state.
func (c *Concurrent) width() int { return len(c.Shape.Rows) + 1 }

// fill finds all states and computes the table. It returns false if that is too much work.
func (c *Concurrent) fill() bool {
	const lookUp = 24                         // units of a map look-up
	set := make([]byte, (len(c.columns)+7)/8) // a bit for each column
	sets := []string{string(set)}
	states := map[string]int{sets[0]: 0}
	cells := func() []cell { return slices.Repeat([]cell{{Impossible, -1, -1}}, c.width()) }
	c.table = [][]cell{cells()}
	c.table[0][0].weight = Weight{}
	for at := 0; at < len(sets); at++ {
		c.passRows(at)
		columns, looked := c.next(sets[at])
		if !c.Work.Spend(looked + len(columns)*(c.width()+lookUp+len(set))) {
			return false
		}
		for _, column := range columns {
			copy(set, sets[at])
			set[column/8] |= 1 << (column % 8)
			to, known := states[string(set)]
			if !known {
				if to = len(sets); (len(sets)+1)*c.width() > maxTable {
					return false
				}
				sets = append(sets, string(set))
				states[sets[to]] = to
				c.table = append(c.table, cells())
			}
			c.take(at, to, column)
		}
	}
	return true
}

// next returns the columns that may follow a set. Columns are sorted by start, so if a column must wait for a missing one,
// all columns behind it must wait as well. looked is how many columns and bytes of the set it visited.
func (c *Concurrent) next(set string) (columns []int32, looked int) {
	has := func(i int) bool { return set[i/8]>>(i%8)&1 == 1 }
	i := 0
	for i+8 < len(c.columns) && set[i/8] == 0xff {
		i += 8
		looked++
	}
	blocker, blocked := Interval{}, false
	for ; i < len(c.columns); i++ {
		looked++
		if has(i) {
			continue
		}
		t := c.Times[c.columns[i]]
		if blocked && blocker.Before(t) {
			break
		}
		if !blocked || t.end() < blocker.end() {
			blocker, blocked = t, true
		}
		if c.alike[i] < 0 || has(int(c.alike[i])) {
			columns = append(columns, int32(i))
		}
	}
	return columns, looked
}

// passRows extends the cells of a state by rows that stay without a column.
func (c *Concurrent) passRows(state int) {
	cells := c.table[state]
	for row := range c.Shape.Rows {
		if weight := cells[row].weight; !c.mustPair(row) && !weight.Less(cells[row+1].weight) {
			cells[row+1] = cell{weight, int32(state*c.width() + row), -1}
		}
	}
}

// take extends the cells of a state by a column, which makes them cells of a larger state.
func (c *Concurrent) take(state, larger int, column int32) {
	credits, cells := c.creditsOf(column), c.table[state]
	for passed := range cells {
		from, to := passed, &c.table[larger][passed]
		if weight := cells[from].weight; c.Rule == Skipping && to.weight.Less(weight) {
			*to = cell{weight, int32(state*c.width() + from), -1}
		}
		if passed == 0 {
			continue
		}
		row := c.Shape.Rows[passed-1]
		if row.Need != Endless { // an endless row may have other columns already
			from--
		}
		before, credit := cells[from].weight, credits[row.Class]
		if before == Impossible || credit == 0 && !c.mustPair(passed-1) {
			continue
		}
		if weight := before.Plus(WeightOf(row.Need, credit)); to.weight.Less(weight) {
			*to = cell{weight, int32(state*c.width() + from), column}
		}
	}
}

// creditsOf returns the credits of a column, by class, until the next call.
func (c *Concurrent) creditsOf(column int32) []int64 {
	c.credits = filled(c.credits, len(c.Shape.Classes), 0)
	for _, x := range c.Edges.OfColumn(c.columns[column]) {
		c.credits[x.Class] = x.Credit
	}
	return c.credits
}

// mustPair reports whether a row must not be left out.
func (c *Concurrent) mustPair(row int) bool {
	return c.Rule == Consuming && c.Shape.Rows[row].Need == Required
}

// unravel writes the pairs that lead to the last cell.
func (c *Concurrent) unravel(pairs *Pairs) {
	for at := len(c.table)*c.width() - 1; at >= 0; {
		passed := at % c.width()
		from := c.table[at/c.width()][passed]
		if from.column >= 0 {
			if credit := c.creditsOf(from.column)[c.Shape.Rows[passed-1].Class]; credit > 0 {
				pairs.Add(int32(passed-1), c.columns[from.column], credit)
			}
		}
		at = int(from.before)
	}
}
