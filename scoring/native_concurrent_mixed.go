package scoring

// A mixedStage is a group of calls of which some come before others. A state is a set of its calls that contains, with
// each call, all that come before it: what may have been made by some time. The table of dynamic programming has a cell for
// each state and each number of passed rows. With calls in a single order there is one state for each number of calls, and
// the table is that of [alignmentDP].
//
// Calls that are alike, in their gains and in what comes before and behind them, are interchangeable. They are taken in
// the order of the list, which saves most states: 30 equal calls at one time have 31 states and not 2 to the 30.
type mixedStage struct {
	callGroup
	states  []state
	choices []uint8 // by state but the first, which has no calls; then by the number of passed rows
}

// A state is a set of calls of the group. lasts are the calls that may have been made last.
type state struct {
	lasts []last
}

// A last is a call of a state, and the state without it.
type last struct{ call, before int32 }

// A choice of a cell is 0 to pass the row. Else it is 1 to leave out a call and 2 to pair it, and twice the place of the
// call in the lasts of its state.
const (
	mixedPassRow uint8 = iota
	mixedPassCall
	mixedPair
)

// lookUp is how many units a look-up takes.
const lookUp = 24

// newMixedStage finds the states. It reports false if there are too many.
func newMixedStage(g callGroup) (*mixedStage, bool) {
	s := &mixedStage{callGroup: g}
	size := (len(g.calls) + 7) / 8
	rows := len(g.c.plan.rows) + 1
	limit := maxMixedCells / (rows + size)
	if len(g.calls) >= limit {
		return nil, false
	}
	key := make([]byte, size)
	sets := []string{string(key)}
	index := map[string]int32{sets[0]: 0}
	s.states = append(s.states, state{})
	for at := 0; at < len(sets); at++ {
		calls, looked := g.next(sets[at])
		// Each call takes a look-up, perhaps a new set, and a cell for each row when the stage is applied.
		if !g.c.spend(looked+len(calls)*(rows+lookUp+size)) || len(g.calls) > 1 && g.c.halfSpent() {
			return nil, false
		}
		for _, call := range calls {
			copy(key, sets[at])
			key[call/8] |= 1 << (call % 8)
			to, known := index[string(key)]
			if !known {
				if to = int32(len(sets)); int(to) >= limit {
					return nil, false
				}
				sets, s.states = append(sets, string(key)), append(s.states, state{})
				index[sets[to]] = to
			}
			s.states[to].lasts = append(s.states[to].lasts, last{call, int32(at)})
		}
	}
	return s, true
}

// next are the calls that may be made next, if those of a set were made. The calls are sorted by start, so behind one that
// must wait for a missing call, all others must wait for it too. looked is how many calls and bytes of the set it looked at.
func (g *callGroup) next(set string) (calls []int32, looked int) {
	has := func(i int) bool { return set[i/8]>>(i%8)&1 == 1 }
	i := 0
	for set[i/8] == 0xff && i+8 < len(g.calls) {
		i += 8
		looked++
	}
	blocker, blocked := Interval{}, false
	for ; i < len(g.calls); i++ {
		looked++
		if has(i) {
			continue
		}
		t := g.time(i)
		if blocked && blocker.before(t) {
			break
		}
		if !blocked || max(t.Start, t.End) < max(blocker.Start, blocker.End) {
			blocker, blocked = t, true
		}
		if g.alike[i] < 0 || has(int(g.alike[i])) {
			calls = append(calls, int32(i))
		}
	}
	return calls, looked
}

func (s *mixedStage) apply(before []weight) ([]weight, bool) {
	n := len(before)
	c := s.c
	s.choices = make([]uint8, (len(s.states)-1)*n)
	c.weights = resized(c.weights, len(s.states)*n)
	copy(c.weights, before)
	c.gains = filled(c.gains, len(s.calls)*len(c.plan.rows), 0)
	for i := range s.calls {
		for _, e := range s.edges(i) {
			for _, r := range c.plan.classes[e.class].rows {
				c.gains[i*len(c.plan.rows)+int(r)] = e.credit
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
func (s *mixedStage) fill(weights []weight, at, n int) {
	now, choices := weights[at*n:(at+1)*n], s.choices[(at-1)*n:at*n]
	for passed := range now {
		best, how := impossible, mixedPassRow
		if passed > 0 && (s.c.skipRule == skipping || s.need(passed-1) != required) {
			best = now[passed-1]
		}
		for i, l := range s.states[at].lasts {
			without := weights[int(l.before)*n : (int(l.before)+1)*n]
			if s.c.skipRule == skipping && best.Less(without[passed]) {
				best, how = without[passed], mixedPassCall+uint8(2*i)
			}
			if passed == 0 {
				continue
			}
			if paired := s.paired(without, passed, int(l.call)); best.Less(paired) {
				best, how = paired, mixedPair+uint8(2*i)
			}
		}
		now[passed], choices[passed] = best, how
	}
}

func (s *mixedStage) need(row int) need { return s.c.plan.rows[row].need }

// paired is the weight of pairing a call with the last passed row. An endless row may have taken other calls before.
func (s *mixedStage) paired(without []weight, passed, call int) weight {
	need, gain := s.need(passed-1), s.c.gains[call*len(s.c.plan.rows)+passed-1]
	before := without[passed-1]
	if need == endless {
		before = without[passed]
	}
	worthless := gain == 0 && (s.c.skipRule == skipping || need != required)
	if worthless || before == impossible {
		return impossible
	}
	return before.Plus(weightOf(need, gain))
}

func (s *mixedStage) unravel(passed int, pair func(row int, call int32)) int {
	n := len(s.c.plan.rows) + 1
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
		pair(passed-1, s.calls[l.call])
		if s.need(passed-1) != endless {
			passed--
		}
	}
	return passed
}
