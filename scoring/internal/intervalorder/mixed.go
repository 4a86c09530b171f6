package intervalorder

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// A mixedStage is a group of columns of which some come before others. A state is a set of its columns that contains, with
// each column, all that come before it: what may have come by some time. The table of dynamic programming has a cell for
// each state and each number of passed rows. With columns in a single order there is one state for each number of columns, and
// the table is that of [ordered.Table].
//
// Columns that are alike, in their gains and in what comes before and behind them, are interchangeable. They are taken in
// the order of the list, which saves most states: 30 equal columns at one time have 31 states and not 2 to the 30.
type mixedStage struct {
	columnGroup
	states  []state
	choices []uint8 // by state but the first, which has no columns; then by the number of passed rows
}

// A state is a set of columns of the group. lasts are the columns that may have come last.
type state struct {
	lasts []last
}

// A last is a column of a state, and the state without it.
type last struct{ column, before int32 }

// A choice of a cell is 0 to pass the row. Else it is 1 to leave out a column and 2 to pair it, and twice the place of the
// column in the lasts of its state.
const (
	mixedPassRow uint8 = iota
	mixedPassColumn
	mixedPair
)

// lookUp is how many units a look-up takes.
const lookUp = 24

// newMixedStage finds the states. It reports false if there are too many.
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
		// Each column takes a look-up, perhaps a new set, and a cell for each row when the stage is applied.
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

// next are the columns that may come next, if those of a set came. The columns are sorted by start, so behind one that
// must wait for a missing column, all others must wait for it too. looked is how many columns and bytes of the set it looked at.
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

// fill fills the cells of one state.
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

// paired is the weight of pairing a column with the last passed row. An endless row may have taken other columns before.
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
