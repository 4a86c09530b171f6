package match

import (
	"cmp"
	"encoding/binary"
	"slices"
)

// An Interval is when a column began and ended, in any unit. The zero Interval means unknown. An end before the start counts
// as the start.
type Interval struct{ Start, End uint64 }

// Before reports whether a was over when b began. If both began together, neither is before the other.
func (a Interval) Before(b Interval) bool { return a.end() <= b.Start && a.Start < b.Start }

func (a Interval) end() uint64 { return max(a.Start, a.End) }

// Settled reports whether no order of the columns can gain more than pairs. It is cheap, and needs no intervals.
func Settled(s *Shape, e *Edges, pairs *Pairs) bool {
	inFull := 0
	for column, r := range pairs.RowOf {
		if r >= 0 && pairs.CreditOf[column] == Full && s.Rows[r].Need == Required {
			inFull++
		}
	}
	if inFull < s.Required {
		return false
	}
	return s.Required == len(s.Rows) ||
		!slices.ContainsFunc(e.All, func(x Edge) bool { return pairs.CreditOf[x.Column] < Full })
}

// A Concurrent pairs columns with intervals: pairs must not cross in some order of the columns that puts each behind those that
// were over when it began. This partial order is an interval order (Fishburn 1970).
//
// Rows are x and y. Column 0 matches y and lasts from 1 to 3, column 1 matches x and lasts from 2 to 4. In the order of their
// starts, the two pairs cross, so only one counts. But the intervals overlap, so column 1 may come first, and both pairs
// count. If column 1 began at 3, column 0 would be over, and only one pair would count.
type Concurrent struct {
	Shape *Shape
	Edges *Edges // grouped
	Times []Interval
	Rule  Rule
	// Work is how much work is left: a unit is a cell of the table and a column, and takes some nanoseconds.
	Work *int

	columns []int32 // those that take part, by start
	// alike is, by index in columns, the last earlier one that is interchangeable with it, or -1.
	alike   []int32
	states  []state
	choices []uint16 // by state, without the empty one; then by the number of passed rows
	weights []Weight // likewise, with the empty one
	gains   []int64  // by index in columns, then by row
}

// maxTable bounds the states times the rows of a [Concurrent]. A cell takes 18 bytes.
const maxTable = 1 << 21

// A state is a set of columns that contains, with each column, all columns before it. It has the columns that may be its last.
type state []last

// A last is a column of a state, and the index of the state without it.
type last struct{ column, before int32 }

// A choice is 0 to pass the row. Otherwise it is 1 to leave out a column, or 2 to pair it, plus twice its index in the state.
const (
	passRow uint16 = iota
	passColumn
	pairBoth
)

// HaveOneOrder reports whether the columns have only one order.
func (c *Concurrent) HaveOneOrder() bool {
	previous := int32(-1)
	for column := range c.takingPart {
		if previous >= 0 && !c.Times[previous].Before(c.Times[column]) {
			return false
		}
		previous = column
	}
	return true
}

// takingPart yields the columns with an edge, or all columns if the rule is Consuming.
func (c *Concurrent) takingPart(yield func(column int32) bool) {
	if c.Rule == Consuming {
		for j := range c.Times {
			if !yield(int32(j)) {
				return
			}
		}
		return
	}
	for i, x := range c.Edges.All {
		if (i == 0 || c.Edges.All[i-1].Column != x.Column) && !yield(x.Column) {
			return
		}
	}
}

// Allows reports whether the pairs do not cross in some order of the columns. If the rule is Consuming, nothing must be left out.
func (c *Concurrent) Allows(pairs *Pairs) bool {
	if rows, columns := pairs.Unpaired(c.Shape); c.Rule == Consuming && rows+columns > 0 {
		return false
	}
	var order []int32
	for column, r := range pairs.RowOf {
		if r >= 0 {
			order = append(order, int32(column))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(pairs.RowOf[a], pairs.RowOf[b]) })
	// An interval order crosses the rows if and only if two columns do, so the latest start of earlier rows decides.
	latest, ofRow := uint64(0), uint64(0)
	for i, column := range order {
		if i > 0 && pairs.RowOf[column] != pairs.RowOf[order[i-1]] {
			latest = max(latest, ofRow)
		}
		t := c.Times[column]
		if t.end() <= latest && t.Start < latest {
			return false
		}
		ofRow = max(ofRow, t.Start)
	}
	return true
}

// Pair replaces pairs by the best ones. It returns their weight, which is [Impossible] if the rule allows none. ok is false if
// that is too much work. Sets of columns can double with each column; interchangeable columns are taken in one order, which saves
// most sets: 30 of them have 31 sets, not 2 to the 30.
func (c *Concurrent) Pair(pairs *Pairs) (best Weight, ok bool) {
	c.columns = slices.Collect(c.takingPart)
	slices.SortStableFunc(c.columns, func(a, b int32) int { return cmp.Compare(c.Times[a].Start, c.Times[b].Start) })
	c.findAlike()
	if !c.findStates() {
		return Weight{}, false
	}
	c.fill()
	if best = c.weights[len(c.weights)-1]; best != Impossible {
		pairs.Reset(len(c.Times))
		c.unravel(pairs)
	}
	return best, true
}

// findAlike fills alike.
//
// The set of columns that are over only grows with time. So two columns have the same columns before them if they have as
// many, and likewise behind them.
func (c *Concurrent) findAlike() {
	n := len(c.columns)
	starts, ends := make([]uint64, n), make([]uint64, n)
	moments := map[uint64]int{} // columns that began and ended at once
	for i, column := range c.columns {
		t := c.Times[column]
		if starts[i], ends[i] = t.Start, t.end(); starts[i] == ends[i] {
			moments[t.Start]++
		}
	}
	slices.Sort(ends) // the starts are sorted
	below := func(times []uint64, t uint64) uint64 {
		n, _ := slices.BinarySearch(times, t)
		return uint64(n)
	}
	c.alike = filled[int32](nil, n, -1)
	last := map[string]int32{}
	for i, column := range c.columns {
		t := c.Times[column]
		key := binary.LittleEndian.AppendUint64(nil, below(ends, t.Start+1)-uint64(moments[t.Start]))
		key = binary.LittleEndian.AppendUint64(key, below(starts, max(t.End, t.Start+1)))
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

// findStates fills states. It returns false if that, or the table of them, is too much work.
func (c *Concurrent) findStates() bool {
	const lookUp = 24 // units of a map look-up
	size := (len(c.columns) + 7) / 8
	rows := len(c.Shape.Rows) + 1
	key := make([]byte, size)
	sets := []string{string(key)}
	index := map[string]int32{sets[0]: 0}
	c.states = []state{nil}
	for at := 0; at < len(sets); at++ {
		columns, looked := c.follow(sets[at])
		*c.Work -= looked + len(columns)*(rows+lookUp+size)
		if *c.Work < 0 {
			return false
		}
		for _, column := range columns {
			copy(key, sets[at])
			key[column/8] |= 1 << (column % 8)
			to, known := index[string(key)]
			if !known {
				to = int32(len(sets))
				if (len(sets)+1)*rows > maxTable {
					return false
				}
				sets, c.states = append(sets, string(key)), append(c.states, nil)
				index[sets[to]] = to
			}
			c.states[to] = append(c.states[to], last{column, int32(at)})
		}
	}
	return true
}

// follow returns the columns that may follow a set. Columns are sorted by start, so if a column must wait for a missing one,
// all columns behind it must wait as well. looked is how many columns and bytes of the set it visited.
func (c *Concurrent) follow(set string) (columns []int32, looked int) {
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

// fill computes the table. A cell is a state and a number of passed rows.
func (c *Concurrent) fill() {
	rows := len(c.Shape.Rows)
	c.gains = make([]int64, len(c.columns)*rows)
	for i, column := range c.columns {
		for _, x := range c.Edges.OfColumn(column) {
			for _, r := range c.Shape.Classes[x.Class].Rows {
				c.gains[i*rows+int(r)] = x.Credit
			}
		}
	}
	c.weights = make([]Weight, len(c.states)*(rows+1))
	c.choices = make([]uint16, (len(c.states)-1)*(rows+1))
	for passed := range rows + 1 { // of the empty state
		c.weights[passed] = Weight{}
		if passed > 0 && (c.weights[passed-1] == Impossible || c.mustPair(passed-1)) {
			c.weights[passed] = Impossible
		}
	}
	for at := 1; at < len(c.states); at++ {
		now, choices := c.weights[at*(rows+1):(at+1)*(rows+1)], c.choices[(at-1)*(rows+1):at*(rows+1)]
		for passed := range now {
			now[passed], choices[passed] = c.cell(at, passed, now)
		}
	}
}

// mustPair reports whether a row must not be left out.
func (c *Concurrent) mustPair(row int) bool {
	return c.Rule == Consuming && c.Shape.Rows[row].Need == Required
}

// cell returns the weight of a cell and its choice. now are the cells of the state with fewer passed rows.
func (c *Concurrent) cell(at, passed int, now []Weight) (best Weight, how uint16) {
	rows := len(c.Shape.Rows)
	best, how = Impossible, passRow
	if passed > 0 && !c.mustPair(passed-1) {
		best = now[passed-1]
	}
	for i, l := range c.states[at] {
		without := c.weights[int(l.before)*(rows+1) : (int(l.before)+1)*(rows+1)]
		if c.Rule == Skipping && best.Less(without[passed]) {
			best, how = without[passed], passColumn+uint16(2*i)
		}
		if passed == 0 {
			continue
		}
		// An endless row may have other columns already.
		need, gain, before := c.Shape.Rows[passed-1].Need, c.gains[int(l.column)*rows+passed-1], without[passed-1]
		if need == Endless {
			before = without[passed]
		}
		if gain == 0 && !c.mustPair(passed-1) || before == Impossible {
			continue
		}
		if paired := before.Plus(WeightOf(need, gain)); best.Less(paired) {
			best, how = paired, pairBoth+uint16(2*i)
		}
	}
	return best, how
}

// unravel walks the choices back and writes the pairs.
func (c *Concurrent) unravel(pairs *Pairs) {
	rows := len(c.Shape.Rows)
	passed := rows
	for at := len(c.states) - 1; at > 0; {
		how := c.choices[(at-1)*(rows+1)+passed]
		if how == passRow {
			passed--
			continue
		}
		l := c.states[at][(how-1)/2]
		at = int(l.before)
		if (how-1)%2 == 0 {
			continue
		}
		if gain := c.gains[int(l.column)*rows+passed-1]; gain > 0 {
			pairs.Add(int32(passed-1), c.columns[l.column], gain)
		}
		if c.Shape.Rows[passed-1].Need != Endless {
			passed--
		}
	}
}
