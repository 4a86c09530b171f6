package scoring

import (
	"encoding/binary"
	"slices"
)

// A callGroup is a group of calls, sorted by start. Every other call is over before it begins or begins when it is over.
type callGroup struct {
	c     *concurrency
	calls []int32
	// alike has, by call of the group, the last earlier one that is interchangeable with it, or -1.
	alike []int32
}

func newCallGroup(c *concurrency, calls []int32) callGroup {
	g := callGroup{c: c, calls: calls}
	g.findAlike()
	return g
}

func (g *callGroup) time(i int) Interval { return g.c.w.calls[g.calls[i]].Time }

// edges are the edges of a call of the group.
func (g *callGroup) edges(i int) []edge { return g.c.w.edgesOf(g.calls[i]) }

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

// hasFewStates reports whether a group without any order is less work as a [mixedStage]: it has few calls, or most are alike.
func (g *callGroup) hasFewStates() bool {
	states := 1
	made := make([]int, len(g.calls)) // by call: how many of those alike there are up to it
	for i, earlier := range g.alike {
		made[i] = 1
		if earlier >= 0 {
			made[i] += made[earlier]
		}
		// One more of those alike: from made[i] choices to made[i]+1.
		states = states / made[i] * (made[i] + 1)
		if states > 8*len(g.calls) {
			return false
		}
	}
	return true
}

// findAlike fills alike.
//
// What is over at a time contains what was over at any earlier time. So two calls have the same calls before them if they
// have as many, and likewise behind them.
func (g *callGroup) findAlike() {
	starts, ends := make([]uint64, len(g.calls)), make([]uint64, len(g.calls))
	moments := map[uint64]int{} // calls that began and ended at once
	for i := range g.calls {
		t := g.time(i)
		if starts[i], ends[i] = t.Start, max(t.Start, t.End); starts[i] == ends[i] {
			moments[t.Start]++
		}
	}
	slices.Sort(ends) // the starts are sorted
	g.alike = make([]int32, len(g.calls))
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
		g.alike[i] = -1
		if earlier, ok := last[string(key)]; ok {
			g.alike[i] = earlier
		}
		last[string(key)] = int32(i)
	}
}

// countBelow is how many of the sorted times are below t.
func countBelow(times []uint64, t uint64) int {
	n, _ := slices.BinarySearch(times, t)
	return n
}
