package intervalorder

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
)

const (
	// WorkPerColumn bounds the work for each column, and MaxWork the work for all. A unit is a cell of a mixed group and one
	// column, or two steps of an assignment. It takes some nanoseconds.
	WorkPerColumn = 1 << 12
	MaxWork       = 1 << 24
	// maxMixedCells bounds the states of one group times the rows. Each cell takes 17 bytes.
	maxMixedCells = 1 << 20
	// maxAssignedCells bounds the table of one assignment.
	maxAssignedCells = 1 << 20
)

// A Weight is the credit of required rows (Major) and of other rows (Minor). The first decides.
type Weight = assignment.Weight

// A Problem is rows and columns, their credits, and the intervals of the columns.
type Problem struct {
	Shape *pairing.Shape
	Edges *pairing.Edges
	// Times has the interval of each column.
	Times []Interval
	Rule  ordered.SkipRule
}

// An Outcome is the result of a search.
type Outcome uint8

// The outcomes.
const (
	Kept    Outcome = iota // no order gains more
	Better                 // another order gains more, and the pairs are those of the best one
	TooMuch                // another order may gain more, but the search would exceed its bound
)

// Improve replaces pairs by better ones, if overlapping intervals allow any. started is the weight of pairs, which must be
// the best for the columns as listed, or [ordered.Impossible] if the rule allows none. The search adds its units of work to
// *work.
func (p Problem) Improve(pairs *pairing.Pairs, started Weight, work *int) Outcome {
	groups := p.groups()
	if groups == nil || started != ordered.Impossible && !started.Less(p.mostWeight()) {
		return Kept
	}
	c := search{Problem: p, work: work, bound: min(len(p.Times)*WorkPerColumn, MaxWork)}
	c.limit = *work + c.bound
	for _, g := range groups {
		if !c.add(g) {
			return TooMuch
		}
	}
	best, ok := c.best()
	switch {
	case !ok:
		return TooMuch
	case !started.Less(best):
		return Kept
	case c.relaxed:
		return TooMuch
	}
	pairs.Reset(len(p.Times))
	c.unravel(pairs)
	return Better
}

// A search is the state of [Problem.Improve].
type search struct {
	Problem
	stages []stage
	// relaxed: some stage ignores the order of its columns, so its weight is only an upper bound.
	relaxed bool
	// work is the work so far, limit the value that it must not exceed, and bound how much this search may add.
	work         *int
	bound, limit int
	// weights and gains are scratch memory of mixed stages.
	weights []Weight
	gains   []int64
}

// A stage is a group of columns. Weights are indexed by the number of passed rows.
type stage interface {
	// apply returns the greatest weights behind the group, given those before it, which it may overwrite. ok is false if that
	// is too much work.
	apply(before []Weight) (behind []Weight, ok bool)
	// unravel calls pair for the pairs of the group that lead to a number of passed rows, and returns the number before the
	// group.
	unravel(passed int, pair func(row int, column int32)) int
}

// spend counts work before it is done. It returns false if that is too much.
func (c *search) spend(units int) bool {
	*c.work += units
	return *c.work <= c.limit
}

// halfSpent reports whether half of the work is spent. No more states are then made, so that enough is left to apply the
// stages.
func (c *search) halfSpent() bool { return *c.work > c.limit-c.bound/2 }

// add makes a stage of a group. It returns false if that is too much work.
func (c *search) add(columns []int32) bool {
	g := newColumnGroup(c, columns)
	free := g.isFree()
	// An assignment cannot leave out optional rows only.
	mixed := c.Rule == ordered.Consuming && c.Shape.Required < len(c.Shape.Rows)
	if !free || mixed || g.hasFewStates() {
		if s, ok := newMixedStage(g); ok {
			c.stages = append(c.stages, s)
			return true
		}
	}
	if mixed {
		return false
	}
	c.relaxed = c.relaxed || !free
	c.stages = append(c.stages, newSetStage(g))
	return true
}

// best returns the greatest weight behind all stages. ok is false if that is too much work.
func (c *search) best() (best Weight, ok bool) {
	weights := make([]Weight, len(c.Shape.Rows)+1)
	for r := range c.Shape.Rows {
		if c.Rule == ordered.Consuming && c.Shape.Rows[r].Need == ordered.Required {
			for i := r + 1; i < len(weights); i++ {
				weights[i] = ordered.Impossible
			}
			break
		}
	}
	for _, s := range c.stages {
		if weights, ok = s.apply(weights); !ok {
			return Weight{}, false
		}
	}
	return weights[len(c.Shape.Rows)], true
}

// unravel writes the pairs that lead to the greatest weight. A pair may have no gain.
func (c *search) unravel(pairs *pairing.Pairs) {
	pair := func(row int, column int32) {
		class := c.Shape.Rows[row].Class
		for _, e := range c.Edges.OfColumn(column) {
			if e.Class == class {
				pairs.Add(int32(row), column, e.Credit)
			}
		}
	}
	passed := len(c.Shape.Rows)
	for _, s := range slices.Backward(c.stages) {
		passed = s.unravel(passed, pair)
	}
}
