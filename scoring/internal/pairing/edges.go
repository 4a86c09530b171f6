package pairing

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// Full is the credit of a pair that agrees completely. It is the least common multiple of 1 to 36. So any share of up to 36
// keys is a whole number of units, and a sum does not depend on its order. 50,000 times Full must fit an int64, so 36 is the
// limit. A share of more keys is rounded down to a unit, 7e-15 of a pair.
const Full = 144403552893600

// An Edge says that a column may have a row of a class, and its credit there, from 1 to [Full].
type Edge struct {
	Class, Column int32
	Credit        int64
}

// Edges are all pairs of a class and a column with a credit above 0. Call [Edges.Reset], then [Edges.Add] for each, column by
// column, and [Edges.Group] before [Edges.Of]. Edges reuse their memory, by one goroutine at a time.
type Edges struct {
	// All are the edges, column by column.
	All []Edge
	// Partial: some credit is below [Full].
	Partial bool
	// byClass are the same edges, class by class: those of class k are byClass[start[k]:start[k+1]].
	byClass []Edge
	start   []int32
}

// Reset removes all edges.
func (e *Edges) Reset() { e.All, e.Partial = e.All[:0], false }

// Add adds an edge. Columns must be added in ascending order.
func (e *Edges) Add(class, column int32, credit int64) {
	e.All = append(e.All, Edge{class, column, credit})
	e.Partial = e.Partial || credit < Full
}

// Group sorts the edges by class.
func (e *Edges) Group(classes int) {
	e.start = reuse.Filled(e.start, classes+1, 0)
	for _, x := range e.All {
		e.start[x.Class+1]++
	}
	for k := range classes {
		e.start[k+1] += e.start[k]
	}
	e.byClass = reuse.Sized(e.byClass, len(e.All))
	for _, x := range e.All {
		e.byClass[e.start[x.Class]] = x
		e.start[x.Class]++
	}
	copy(e.start[1:], e.start)
	e.start[0] = 0
}

// Of returns the edges of a class, in the order of columns, as [Edges.Group] sorted them.
func (e *Edges) Of(class int32) []Edge { return e.byClass[e.start[class]:e.start[class+1]] }

// OfColumn returns the edges of a column.
func (e *Edges) OfColumn(column int32) []Edge {
	first, _ := Search(e.All, column)
	last := first
	for last < len(e.All) && e.All[last].Column == column {
		last++
	}
	return e.All[first:last]
}

// Search finds the first edge of a column among edges that are sorted by column.
func Search(edges []Edge, column int32) (int, bool) {
	return slices.BinarySearchFunc(edges, column, func(e Edge, column int32) int { return cmp.Compare(e.Column, column) })
}
