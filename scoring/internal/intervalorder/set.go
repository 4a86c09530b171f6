package intervalorder

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// A setStage is a group of columns without any order. It pairs a range of rows with its columns by an assignment of greatest
// weight.
type setStage struct {
	columnGroup
	users map[int32][]user // by class
	// from is, by the number of passed rows, the origin of the greatest weight.
	from []origin
}

// A user is a column of the group that has a gain in the rows of a class.
type user struct {
	column int32 // its index in the group
	credit int64
}

// An origin is the number of rows passed before the group, and the first row that the group may use. They differ by one if an
// endless row has columns of an earlier group as well.
type origin struct{ passed, first int32 }

func newSetStage(g columnGroup) *setStage {
	s := &setStage{columnGroup: g, users: map[int32][]user{}}
	for i := range g.columns {
		for _, e := range g.edges(i) {
			s.users[e.Class] = append(s.users[e.Class], user{int32(i), e.Credit})
		}
	}
	return s
}

// apply tries every row as the first one that the group uses. It skips a row in which no column gains, and a row with no more
// weight before it than before the rows tried so far.
func (s *setStage) apply(before []Weight) ([]Weight, bool) {
	// The stage keeps 8 bytes for each row.
	if !s.c.spend(8 * len(before)) {
		return nil, false
	}
	s.from = make([]origin, len(before))
	if s.c.Rule == ordered.Consuming {
		return s.applyInFull(before)
	}
	behind := make([]Weight, len(before))
	for passed := range before {
		behind[passed], s.from[passed] = before[passed], origin{int32(passed), int32(passed)}
	}
	tried := ordered.Impossible
	for row := range s.c.Shape.Rows {
		if s.slotsOf(row) == 0 {
			continue
		}
		if tried.Less(before[row]) {
			if !s.try(before, behind, row, row) {
				return nil, false
			}
			tried = before[row]
		}
		if s.c.Shape.Rows[row].Need == ordered.Endless && tried.Less(before[row+1]) {
			if !s.try(before, behind, row+1, row) {
				return nil, false
			}
			tried = before[row+1]
		}
	}
	return s.carry(behind), true
}

// try pairs the rows from first on with the columns. passed rows were passed before the group.
func (s *setStage) try(before, behind []Weight, passed, first int) bool {
	slots, ok := s.slots(first, len(s.c.Shape.Rows))
	if !ok {
		return false
	}
	totals := s.table(slots).Totals()
	for taken := 1; taken < len(totals); taken++ {
		to := slots[taken-1] + 1
		if sum := before[passed].Plus(totals[taken]); behind[to].Less(sum) {
			behind[to], s.from[to] = sum, origin{int32(passed), int32(first)}
		}
	}
	return true
}

// carry makes weights monotonic: more passed rows have at least the weight of fewer.
func (s *setStage) carry(behind []Weight) []Weight {
	for passed := 1; passed < len(behind); passed++ {
		if behind[passed].Less(behind[passed-1]) {
			behind[passed], s.from[passed] = behind[passed-1], s.from[passed-1]
		}
	}
	return behind
}

// applyInFull gives each column a row, and leaves out no row. All rows are required.
func (s *setStage) applyInFull(before []Weight) ([]Weight, bool) {
	behind := reuse.Filled[Weight](nil, len(before), ordered.Impossible)
	k := len(s.columns)
	for passed := range before {
		if before[passed] == ordered.Impossible || passed+k >= len(before) {
			continue
		}
		slots, ok := s.slots(passed, passed+k)
		if !ok {
			return nil, false
		}
		totals := s.table(slots).Totals()
		behind[passed+k] = before[passed].Plus(totals[k])
		s.from[passed+k] = origin{int32(passed), int32(passed)}
	}
	return behind, true
}

// slotsOf returns how many columns of the group a row can use. If no row may be left out, it is at least one, even without a
// gain.
func (s *setStage) slotsOf(row int) int {
	r := &s.c.Shape.Rows[row]
	switch users := len(s.users[r.Class]); {
	case s.c.Rule == ordered.Consuming:
		return 1
	case r.Need == ordered.Endless:
		return users
	default:
		return min(users, 1)
	}
}

// slots returns the slots of the rows from first to before last. ok is false if an assignment of them is too much work.
func (s *setStage) slots(first, last int) (slots []int, ok bool) {
	n := 0
	for row := first; row < last; row++ {
		n += s.slotsOf(row)
	}
	cells := n * max(n, len(s.columns))
	if cells > maxAssignedCells || !s.c.spend(8*(last-first)+cells+n*cells/2) {
		return nil, false
	}
	return s.list(first, last), true
}

// list returns the rows from first to before last, each as often as columns of the group can use it.
func (s *setStage) list(first, last int) (slots []int) {
	for row := first; row < last; row++ {
		for range s.slotsOf(row) {
			slots = append(slots, row)
		}
	}
	return slots
}

// table has the gains of slots and columns. Slots beyond the number of columns get columns without a gain.
func (s *setStage) table(slots []int) assignment.Gains {
	width := max(len(slots), len(s.columns))
	credits := make([]int64, len(slots)*width)
	for i, row := range slots {
		for _, u := range s.users[s.c.Shape.Rows[row].Class] {
			credits[i*width+int(u.column)] = u.credit
		}
	}
	return assignment.NewGains(len(slots), width, func(slot, column int) Weight {
		return ordered.WeightOf(s.c.Shape.Rows[slots[slot]].Need, credits[slot*width+column])
	})
}

func (s *setStage) unravel(passed int, pair func(row int, column int32)) int {
	from := s.from[passed]
	// Rows that were carried have no pairs, so the assignment may run up to the number of passed rows.
	slots := s.list(int(from.first), passed)
	for _, x := range s.table(slots).Assign() {
		if x[1] < len(s.columns) {
			pair(slots[x[0]], s.columns[x[1]])
		}
	}
	return int(from.passed)
}
