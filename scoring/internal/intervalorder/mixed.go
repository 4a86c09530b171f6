package intervalorder

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// A mixedStage is a group in which some columns come before others. A state is a set of columns that contains, with each
// column, all columns before it. The table of dynamic programming has a cell for each state and each number of passed rows.
// If the columns have a single order, this is the table of [ordered.Table].
//
// Columns are interchangeable if they have the same gains and the same columns before and behind them. They are taken in the
// order of the list, which saves most states: 30 of them have 31 states, not 2 to the 30.
type mixedStage struct {
	columnGroup
	states  []state
	choices []uint8 // by state, without the empty one; then by the number of passed rows
}

// A state is a set of columns of the group. lasts holds the columns that may be its last one.
type state struct {
	lasts []last
}

// A last is a column of a state, and the index of the state without it.
type last struct{ column, before int32 }

// A choice of a cell is 0 to pass the row. Otherwise it is 1 to leave out a column, or 2 to pair it, plus twice the index of
// the column in lasts.
const (
	mixedPassRow uint8 = iota
	mixedPassColumn
	mixedPair
)

// lookUp is the work of a map look-up, in units.
const lookUp = 24

// newMixedStage finds the states. It returns false if there are too many.
func newMixedStage(g columnGroup) (*mixedStage, bool) {
	s := &mixedStage{columnGroup: g}
	size := (len(g.columns) + 7) / 8
	rows := len(g.c.Shape.Rows) + 1
	limit := maxMixedCells / (rows + size)
	if len(g.columns) >= limit {
		return nil, false
	}
	key := make([]byte, size)
	sets := []string{string(key)}
	index := map[string]int32{sets[0]: 0}
	s.states = append(s.states, state{})
	for at := 0; at < len(sets); at++ {
		columns, looked := g.next(sets[at])
		// Each column costs a look-up, perhaps a new set, and later a cell for each row.
		if !g.c.spend(looked+len(columns)*(rows+lookUp+size)) || len(g.columns) > 1 && g.c.halfSpent() {
			return nil, false
		}
		for _, column := range columns {
			copy(key, sets[at])
			key[column/8] |= 1 << (column % 8)
			to, known := index[string(key)]
			if !known {
				if to = int32(len(sets)); int(to) >= limit {
					return nil, false
				}
				sets, s.states = append(sets, string(key)), append(s.states, state{})
				index[sets[to]] = to
			}
			s.states[to].lasts = append(s.states[to].lasts, last{column, int32(at)})
		}
	}
	return s, true
}

// next returns the columns that may follow a set. Columns are sorted by start, so if a column must wait for a missing one,
// all columns behind it must wait as well. looked is how many columns and bytes of the set it visited.
func (g *columnGroup) next(set string) (columns []int32, looked int) {
	has := func(i int) bool { return set[i/8]>>(i%8)&1 == 1 }
	i := 0
	for set[i/8] == 0xff && i+8 < len(g.columns) {
		i += 8
		looked++
	}
	blocker, blocked := Interval{}, false
	for ; i < len(g.columns); i++ {
		looked++
		if has(i) {
			continue
		}
		t := g.time(i)
		if blocked && blocker.Before(t) {
			break
		}
		if !blocked || max(t.Start, t.End) < max(blocker.Start, blocker.End) {
			blocker, blocked = t, true
		}
		if g.alike[i] < 0 || has(int(g.alike[i])) {
			columns = append(columns, int32(i))
		}
	}
	return columns, looked
}

func (s *mixedStage) apply(before []Weight) ([]Weight, bool) {
	n := len(before)
	c := s.c
	s.choices = make([]uint8, (len(s.states)-1)*n)
	c.weights = reuse.Sized(c.weights, len(s.states)*n)
	copy(c.weights, before)
	c.gains = reuse.Filled(c.gains, len(s.columns)*len(c.Shape.Rows), 0)
	for i := range s.columns {
		for _, e := range s.edges(i) {
			for _, r := range c.Shape.Classes[e.Class].Rows {
				c.gains[i*len(c.Shape.Rows)+int(r)] = e.Credit
			}
		}
	}
	for at := 1; at < len(s.states); at++ {
		s.fill(c.weights, at, n)
	}
	copy(before, c.weights[len(c.weights)-n:])
	return before, true
}

// fill computes the cells of one state.
func (s *mixedStage) fill(weights []Weight, at, n int) {
	now, choices := weights[at*n:(at+1)*n], s.choices[(at-1)*n:at*n]
	for passed := range now {
		best, how := ordered.Impossible, mixedPassRow
		if passed > 0 && (s.c.Rule == ordered.Skipping || s.need(passed-1) != ordered.Required) {
			best = now[passed-1]
		}
		for i, l := range s.states[at].lasts {
			without := weights[int(l.before)*n : (int(l.before)+1)*n]
			if s.c.Rule == ordered.Skipping && best.Less(without[passed]) {
				best, how = without[passed], mixedPassColumn+uint8(2*i)
			}
			if passed == 0 {
				continue
			}
			if paired := s.paired(without, passed, int(l.column)); best.Less(paired) {
				best, how = paired, mixedPair+uint8(2*i)
			}
		}
		now[passed], choices[passed] = best, how
	}
}

func (s *mixedStage) need(row int) ordered.Need { return s.c.Shape.Rows[row].Need }

// paired returns the weight if a column is paired with the last passed row. An endless row may have other columns already.
func (s *mixedStage) paired(without []Weight, passed, column int) Weight {
	need, gain := s.need(passed-1), s.c.gains[column*len(s.c.Shape.Rows)+passed-1]
	before := without[passed-1]
	if need == ordered.Endless {
		before = without[passed]
	}
	worthless := gain == 0 && (s.c.Rule == ordered.Skipping || need != ordered.Required)
	if worthless || before == ordered.Impossible {
		return ordered.Impossible
	}
	return before.Plus(ordered.WeightOf(need, gain))
}

func (s *mixedStage) unravel(passed int, pair func(row int, column int32)) int {
	n := len(s.c.Shape.Rows) + 1
	for at := len(s.states) - 1; at > 0; {
		how := s.choices[(at-1)*n+passed]
		if how == mixedPassRow {
			passed--
			continue
		}
		l := s.states[at].lasts[(how-1)/2]
		at = int(l.before)
		if (how-1)%2 == 0 {
			continue
		}
		pair(passed-1, s.columns[l.column])
		if s.need(passed-1) != ordered.Endless {
			passed--
		}
	}
	return passed
}
