package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"

// A callGroup is a group of calls, with what each of them gains in each row.
type callGroup struct {
	c     *concurrency
	calls []int32
	gains [][]int64 // by call of the group, then by row; nil if it gains nothing
}

func (c *concurrency) group(calls []int32) callGroup {
	g := callGroup{c: c, calls: calls, gains: make([][]int64, len(calls))}
	for i, call := range calls {
		for _, e := range c.w.edgesOf(call) {
			if g.gains[i] == nil {
				g.gains[i] = make([]int64, len(c.plan.rows))
			}
			for _, r := range c.plan.classes[e.class].rows {
				g.gains[i][r] = e.credit
			}
		}
	}
	return g
}

// gain is what a call of the group gains in a row.
func (g *callGroup) gain(i, row int) int64 {
	if g.gains[i] == nil {
		return 0
	}
	return g.gains[i][row]
}

func (g *callGroup) time(i int) Interval { return g.c.w.calls[g.calls[i]].Time }

// isFree reports whether no call of the group comes before another one.
func (g *callGroup) isFree() bool {
	// The calls are sorted by start, so the earliest end and the latest start decide.
	earliest := g.time(0)
	for i := range g.calls {
		if t := g.time(i); max(t.Start, t.End) < max(earliest.Start, earliest.End) {
			earliest = t
		}
	}
	return !earliest.before(g.time(len(g.calls) - 1))
}

// A setStage is a group of calls without any order. It pairs the rows from one to another with the calls of the group by an
// assignment of greatest weight.
type setStage struct {
	callGroup
	// cameFrom is, by the number of passed rows, that number before the group, and first the first row that the group may
	// use. They differ by one if an endless row takes calls of an earlier group as well.
	cameFrom, first []int
}

// apply tries every first row. If a number of passed rows has no more weight than a smaller one, then rows behind the
// smaller one are a better choice, so few first rows remain.
func (s *setStage) apply(before []weight) ([]weight, bool) {
	if s.c.skipRule == consuming {
		return s.applyInFull(before)
	}
	n := len(before)
	behind := make([]weight, n)
	s.cameFrom, s.first = make([]int, n), make([]int, n)
	for passed := range before {
		behind[passed], s.cameFrom[passed], s.first[passed] = before[passed], passed, passed
	}
	try := func(passed, first int) bool {
		slots := s.slots(first, n-1)
		if !s.affordable(len(slots)) {
			return false
		}
		totals := s.table(slots).Totals()
		for taken := 1; taken < len(totals); taken++ {
			to := slots[taken-1] + 1
			if sum := before[passed].Plus(totals[taken]); behind[to].Less(sum) {
				behind[to], s.cameFrom[to], s.first[to] = sum, passed, first
			}
		}
		return true
	}
	for passed := range n - 1 {
		if passed > 0 && !before[passed-1].Less(before[passed]) {
			continue
		}
		if !try(passed, passed) {
			return nil, false
		}
		if passed > 0 && s.c.plan.rows[passed-1].need == endless && !try(passed, passed-1) {
			return nil, false
		}
	}
	if last := n - 1; last > 0 && s.c.plan.rows[last-1].need == endless && !try(last, last-1) {
		return nil, false
	}
	return s.carry(behind), true
}

// affordable reports whether one more assignment of that many slots is within the limits of the run.
func (s *setStage) affordable(slots int) bool {
	cells := slots * max(slots, len(s.calls))
	s.c.steps += slots * cells
	return cells <= maxAssignCells && s.c.steps <= maxAssignSteps
}

// carry gives more passed rows at least the weight of fewer ones.
func (s *setStage) carry(behind []weight) []weight {
	for passed := 1; passed < len(behind); passed++ {
		if behind[passed].Less(behind[passed-1]) {
			behind[passed], s.cameFrom[passed], s.first[passed] = behind[passed-1], s.cameFrom[passed-1], s.first[passed-1]
		}
	}
	return behind
}

// applyInFull pairs each call with one row, and leaves out no row. All rows are required.
func (s *setStage) applyInFull(before []weight) ([]weight, bool) {
	behind := filled[weight](nil, len(before), impossible)
	s.cameFrom, s.first = make([]int, len(before)), make([]int, len(before))
	k := len(s.calls)
	for passed := range before {
		if before[passed] == impossible || passed+k >= len(before) {
			continue
		}
		if !s.affordable(k) {
			return nil, false
		}
		totals := s.table(s.slots(passed, passed+k)).Totals()
		behind[passed+k] = before[passed].Plus(totals[k])
		s.cameFrom[passed+k], s.first[passed+k] = passed, passed
	}
	return behind, true
}

// slots are the rows from first to before last in which calls of the group gain something, or if no row may be left out
// all of them. An endless row is there as often as calls can use it.
func (s *setStage) slots(first, last int) (slots []int) {
	for row := first; row < last; row++ {
		users := 0
		for i := range s.calls {
			if s.gain(i, row) > 0 {
				users++
			}
		}
		if s.c.plan.rows[row].need != endless {
			users = min(users, 1)
		}
		if s.c.skipRule == consuming {
			users = 1
		}
		for range users {
			slots = append(slots, row)
		}
	}
	return slots
}

// table has the gains of slots and calls. Slots beyond the number of calls have columns without gain.
func (s *setStage) table(slots []int) assignment.Gains {
	return assignment.NewGains(len(slots), max(len(slots), len(s.calls)), func(slot, call int) weight {
		if call >= len(s.calls) {
			return weight{}
		}
		return weightOf(s.c.plan.rows[slots[slot]].need, s.gain(call, slots[slot]))
	})
}

func (s *setStage) unravel(passed int, pair func(row int, call int32)) int {
	// Rows that were carried have no pairs, so the assignment may run up to the number of passed rows.
	slots := s.slots(s.first[passed], passed)
	for _, x := range s.table(slots).Assign() {
		if x[1] < len(s.calls) && s.gain(x[1], slots[x[0]]) > 0 {
			pair(slots[x[0]], s.calls[x[1]])
		}
	}
	return s.cameFrom[passed]
}
