package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"

// A setStage is a group of calls without any order. It pairs the rows from one to another with the calls of the group by an
// assignment of greatest weight.
type setStage struct {
	callGroup
	users map[int32][]user // by class
	// from is, by the number of passed rows, where the greatest weight came from.
	from []origin
}

// A user is a call of the group that gains something in the rows of a class.
type user struct {
	call   int32 // its place in the group
	credit int64
}

// An origin is the number of rows that were passed before the group, and the first row that the group may use. They differ
// by one if an endless row takes calls of an earlier group as well.
type origin struct{ passed, first int32 }

func newSetStage(g callGroup) *setStage {
	s := &setStage{callGroup: g, users: map[int32][]user{}}
	for i := range g.calls {
		for _, e := range g.edges(i) {
			s.users[e.class] = append(s.users[e.class], user{int32(i), e.credit})
		}
	}
	return s
}

// apply tries the first rows that the group may use. Only a row that a call gains something in is worth it, and only if
// more weight comes before it than before the rows that were tried.
func (s *setStage) apply(before []weight) ([]weight, bool) {
	// What remains of a stage takes 8 bytes for each row.
	if !s.c.spend(8 * len(before)) {
		return nil, false
	}
	s.from = make([]origin, len(before))
	if s.c.skipRule == consuming {
		return s.applyInFull(before)
	}
	behind := make([]weight, len(before))
	for passed := range before {
		behind[passed], s.from[passed] = before[passed], origin{int32(passed), int32(passed)}
	}
	tried := impossible
	for row := range s.c.plan.rows {
		if s.slotsOf(row) == 0 {
			continue
		}
		if tried.Less(before[row]) {
			if !s.try(before, behind, row, row) {
				return nil, false
			}
			tried = before[row]
		}
		if s.c.plan.rows[row].need == endless && tried.Less(before[row+1]) {
			if !s.try(before, behind, row+1, row) {
				return nil, false
			}
			tried = before[row+1]
		}
	}
	return s.carry(behind), true
}

// try pairs the rows from first on, if some were passed before the group.
func (s *setStage) try(before, behind []weight, passed, first int) bool {
	slots, ok := s.slots(first, len(s.c.plan.rows))
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

// carry gives more passed rows at least the weight of fewer ones.
func (s *setStage) carry(behind []weight) []weight {
	for passed := 1; passed < len(behind); passed++ {
		if behind[passed].Less(behind[passed-1]) {
			behind[passed], s.from[passed] = behind[passed-1], s.from[passed-1]
		}
	}
	return behind
}

// applyInFull pairs each call with one row, and leaves out no row. All rows are required.
func (s *setStage) applyInFull(before []weight) ([]weight, bool) {
	behind := filled[weight](nil, len(before), impossible)
	k := len(s.calls)
	for passed := range before {
		if before[passed] == impossible || passed+k >= len(before) {
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

// slotsOf is how many calls of the group a row can use. If no row may be left out it is one, even without a gain.
func (s *setStage) slotsOf(row int) int {
	r := &s.c.plan.rows[row]
	switch users := len(s.users[r.class]); {
	case s.c.skipRule == consuming:
		return 1
	case r.need == endless:
		return users
	default:
		return min(users, 1)
	}
}

// slots are those of the rows from first to before last. ok is false if an assignment of them is too much work.
func (s *setStage) slots(first, last int) (slots []int, ok bool) {
	n := 0
	for row := first; row < last; row++ {
		n += s.slotsOf(row)
	}
	cells := n * max(n, len(s.calls))
	if cells > maxAssignCells || !s.c.spend(8*(last-first)+cells+n*cells/2) {
		return nil, false
	}
	return s.list(first, last), true
}

// list has each row from first to before last as often as calls of the group can use it.
func (s *setStage) list(first, last int) (slots []int) {
	for row := first; row < last; row++ {
		for range s.slotsOf(row) {
			slots = append(slots, row)
		}
	}
	return slots
}

// table has the gains of slots and calls. Slots beyond the number of calls have columns without gain.
func (s *setStage) table(slots []int) assignment.Gains {
	columns := max(len(slots), len(s.calls))
	credits := make([]int64, len(slots)*columns)
	for i, row := range slots {
		for _, u := range s.users[s.c.plan.rows[row].class] {
			credits[i*columns+int(u.call)] = u.credit
		}
	}
	return assignment.NewGains(len(slots), columns, func(slot, call int) weight {
		return weightOf(s.c.plan.rows[slots[slot]].need, credits[slot*columns+call])
	})
}

func (s *setStage) unravel(passed int, pair func(row int, call int32)) int {
	from := s.from[passed]
	// Rows that were carried have no pairs, so the assignment may run up to the number of passed rows.
	slots := s.list(int(from.first), passed)
	for _, x := range s.table(slots).Assign() {
		if x[1] < len(s.calls) {
			pair(slots[x[0]], s.calls[x[1]])
		}
	}
	return int(from.passed)
}
