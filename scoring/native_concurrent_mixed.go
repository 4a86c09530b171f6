package scoring

import (
	"encoding/binary"
	"slices"
)

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
	choices []uint8 // by state, then by the number of passed rows
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

// newMixedStage finds the states. It reports false if there are too many.
func newMixedStage(g callGroup) (*mixedStage, bool) {
	s := &mixedStage{callGroup: g}
	words := (len(g.calls) + 63) / 64
	limit := maxMixedCells / (len(g.c.plan.rows) + words + 1)
	if len(g.calls) >= limit {
		return nil, false
	}
	alike := g.alike()
	sets := [][]uint64{make([]uint64, words)}
	index := map[string]int32{keyOf(sets[0]): 0}
	s.states = append(s.states, state{})
	for at := 0; at < len(sets); at++ {
		for _, call := range g.next(sets[at], alike) {
			next := slices.Clone(sets[at])
			next[call/64] |= 1 << (call % 64)
			key := keyOf(next)
			to, known := index[key]
			if !known {
				if to = int32(len(sets)); int(to) >= limit {
					return nil, false
				}
				index[key] = to
				sets, s.states = append(sets, next), append(s.states, state{})
			}
			s.states[to].lasts = append(s.states[to].lasts, last{call, int32(at)})
		}
	}
	return s, true
}

// next are the calls that may be made next, if those of a set were made. The calls are sorted by start, so behind one that
// must wait for a missing call, all others must wait for it too.
func (g *callGroup) next(set []uint64, alike []int32) (calls []int32) {
	has := func(i int) bool { return set[i/64]>>(i%64)&1 == 1 }
	i := 0
	for set[i/64] == ^uint64(0) && i+64 < len(g.calls) {
		i += 64
	}
	blocker, blocked := Interval{}, false
	for ; i < len(g.calls); i++ {
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
		if alike[i] < 0 || has(int(alike[i])) {
			calls = append(calls, int32(i))
		}
	}
	return calls
}

func (s *mixedStage) cells() int { return len(s.states) * (len(s.c.plan.rows) + 1) }

func keyOf(set []uint64) string {
	key := make([]byte, 0, len(set)*8)
	for _, x := range set {
		key = binary.LittleEndian.AppendUint64(key, x)
	}
	return string(key)
}

// alike has, by call of the group, an earlier one that is interchangeable with it, the last of them, or -1.
//
// What is over at a time contains what was over at any earlier time. So two calls have the same calls before them if they
// have as many, and likewise behind them.
func (g *callGroup) alike() []int32 {
	starts, ends := make([]uint64, len(g.calls)), make([]uint64, len(g.calls))
	moments := map[uint64]int{} // calls that began and ended at once
	for i := range g.calls {
		t := g.time(i)
		if starts[i], ends[i] = t.Start, max(t.Start, t.End); starts[i] == ends[i] {
			moments[t.Start]++
		}
	}
	slices.Sort(ends) // the starts are sorted
	alike := make([]int32, len(g.calls))
	last := map[string]int32{}
	for i := range g.calls {
		t := g.time(i)
		over := countBelow(ends, t.Start+1) - moments[t.Start]
		waiting := countBelow(starts, max(t.End, t.Start+1))
		key := binary.LittleEndian.AppendUint64(nil, uint64(over))
		key = binary.LittleEndian.AppendUint64(key, uint64(waiting))
		for _, e := range g.c.w.edgesOf(g.calls[i]) {
			key = binary.LittleEndian.AppendUint64(key, uint64(e.class))
			key = binary.LittleEndian.AppendUint64(key, uint64(e.credit))
		}
		alike[i] = -1
		if earlier, ok := last[string(key)]; ok {
			alike[i] = earlier
		}
		last[string(key)] = int32(i)
	}
	return alike
}

// countBelow is how many of the sorted times are below t.
func countBelow(times []uint64, t uint64) int {
	n, _ := slices.BinarySearch(times, t)
	return n
}

func (s *mixedStage) apply(before []weight) ([]weight, bool) {
	n := len(before)
	s.choices = make([]uint8, len(s.states)*n)
	weights := make([]weight, len(s.states)*n)
	copy(weights, before)
	for at := 1; at < len(s.states); at++ {
		s.fill(weights, at, n)
	}
	return slices.Clone(weights[len(weights)-n:]), true
}

// fill fills the cells of one state.
func (s *mixedStage) fill(weights []weight, at, n int) {
	now, choices := weights[at*n:(at+1)*n], s.choices[at*n:(at+1)*n]
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
	need, gain := s.need(passed-1), s.gain(call, passed-1)
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
		how := s.choices[at*n+passed]
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
