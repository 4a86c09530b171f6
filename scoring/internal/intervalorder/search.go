package intervalorder

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
)

const (
	// WorkPerColumn bounds the work on orders, for each column. A unit is a cell of a mixed group and one column, or two steps
	// of an assignment. It takes some nanoseconds. MaxWork is the bound for all columns.
	WorkPerColumn = 1 << 12
	MaxWork       = 1 << 24
	// maxMixedCells bounds the partial results of one group times the rows. Each takes 17 bytes.
	maxMixedCells = 1 << 20
	// maxAssignedCells bounds the table of one assignment.
	maxAssignedCells = 1 << 20
)

// A Weight is the credit of required rows (Major) and of other rows (Minor). The first decides.
type Weight = assignment.Weight

// A Problem is rows, and columns with their intervals.
type Problem struct {
	Shape *pairing.Shape
	Edges *pairing.Edges
	// Times are, by column, when it lasted.
	Times []Interval
	Rule  ordered.SkipRule
}

// An Outcome is what a search found.
type Outcome uint8

// The outcomes.
const (
	Kept    Outcome = iota // no order gains more
	Better                 // another order gains more, and the pairs are those of the best one
	TooMuch                // another order may gain more, and to find out is too much work
)

// Improve replaces the pairs by better ones, if overlapping intervals allow any. started is the weight of the pairs of the
// columns in their order, or [ordered.Impossible] if there are none under the rule. The search adds the units of its
// work to work. If they are more than its bound, the outcome is [TooMuch].
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

// A search is a problem whose groups become stages.
type search struct {
	Problem
	stages []stage
	// relaxed: some stage gives its columns more freedom than they have.
	relaxed bool
	// work is what was done so far, limit the count at which it is too much, and bound how much the limit allows.
	work         *int
	bound, limit int
	// weights and gains are memory for the mixed stage that is being applied.
	weights []Weight
	gains   []int64
}

// A stage is a group of columns. Weights are by the number of rows that have been passed.
type stage interface {
	// apply returns the greatest weights behind the group, from those before it, which it may overwrite. ok is false if that
	// is too much work.
	apply(before []Weight) (behind []Weight, ok bool)
	// unravel gives pair the pairs of the group that lead to a number of passed rows, and returns that number before the
	// group.
	unravel(passed int, pair func(row int, column int32)) int
}

// spend counts work before it is done. It reports false if that is too much.
func (c *search) spend(units int) bool {
	*c.work += units
	return *c.work <= c.limit
}

// halfSpent reports whether so much work was done that groups of many columns get no more. Enough is then left to apply the
// stages.
func (c *search) halfSpent() bool { return *c.work > c.limit-c.bound/2 }

// add makes a stage of a group. It reports false if that is too much work.
func (c *search) add(columns []int32) bool {
	g := newColumnGroup(c, columns)
	free := g.isFree()
	// An assignment cannot leave out optional rows and no others.
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

// best is the greatest weight behind all stages. ok is false if that is too much work.
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

// unravel writes down the pairs that lead to the greatest weight. A row and a column may be paired without a gain.
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
