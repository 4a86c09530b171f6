package intervalorder

import (
	"encoding/binary"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
)

// A columnGroup is a group of columns, sorted by start. Every other column is over before the group begins, or begins after
// its end.
type columnGroup struct {
	c       *search
	columns []int32
	// alike is, by column of the group, the last earlier one that is interchangeable with it, or -1.
	alike []int32
}

func newColumnGroup(c *search, columns []int32) columnGroup {
	g := columnGroup{c: c, columns: columns}
	g.findAlike()
	return g
}

func (g *columnGroup) time(i int) Interval { return g.c.Times[g.columns[i]] }

// edges returns the edges of a column of the group.
func (g *columnGroup) edges(i int) []pairing.Edge { return g.c.Edges.OfColumn(g.columns[i]) }

// isFree reports whether no column of the group comes before another one.
func (g *columnGroup) isFree() bool {
	// The columns are sorted by start, so the earliest end and the latest start decide.
	earliest := g.time(0)
	for i := range g.columns {
		if t := g.time(i); max(t.Start, t.End) < max(earliest.Start, earliest.End) {
			earliest = t
		}
	}
	return !earliest.Before(g.time(len(g.columns) - 1))
}

// hasFewStates reports whether a group without any order is cheaper as a [mixedStage], because it has few columns or most are
// alike.
func (g *columnGroup) hasFewStates() bool {
	states := 1
	made := make([]int, len(g.columns)) // by column: the number of columns alike up to it
	for i, earlier := range g.alike {
		made[i] = 1
		if earlier >= 0 {
			made[i] += made[earlier]
		}
		// One more alike column: made[i] choices become made[i]+1.
		states = states / made[i] * (made[i] + 1)
		if states > 8*len(g.columns) {
			return false
		}
	}
	return true
}

// findAlike fills alike.
//
// The set of columns that are over only grows with time. So two columns have the same columns before them if they have as
// many, and likewise behind them.
func (g *columnGroup) findAlike() {
	starts, ends := make([]uint64, len(g.columns)), make([]uint64, len(g.columns))
	moments := map[uint64]int{} // columns that began and ended at once
	for i := range g.columns {
		t := g.time(i)
		if starts[i], ends[i] = t.Start, max(t.Start, t.End); starts[i] == ends[i] {
			moments[t.Start]++
		}
	}
	slices.Sort(ends) // the starts are sorted
	g.alike = make([]int32, len(g.columns))
	last := map[string]int32{}
	for i := range g.columns {
		t := g.time(i)
		over := countBelow(ends, t.Start+1) - moments[t.Start]
		waiting := countBelow(starts, max(t.End, t.Start+1))
		key := binary.LittleEndian.AppendUint64(nil, uint64(over))
		key = binary.LittleEndian.AppendUint64(key, uint64(waiting))
		for _, e := range g.c.Edges.OfColumn(g.columns[i]) {
			key = binary.LittleEndian.AppendUint64(key, uint64(e.Class))
			key = binary.LittleEndian.AppendUint64(key, uint64(e.Credit))
		}
		g.alike[i] = -1
		if earlier, ok := last[string(key)]; ok {
			g.alike[i] = earlier
		}
		last[string(key)] = int32(i)
	}
}

// countBelow returns how many of the sorted times are below t.
func countBelow(times []uint64, t uint64) int {
	n, _ := slices.BinarySearch(times, t)
	return n
}
