package scoring

import (
	"cmp"
	"slices"
)

// Calls that ran at the same time have no order among each other. Under order in_order and exact, the option concurrent
// then takes the order that fits best.
//
// A call comes before another one if it was over when the other began. This is a partial order, and any order of the calls
// that agrees with it may be taken. The engine first takes the calls as they started. If that leaves something to gain, it
// divides the calls into groups: each group is over before the next one begins. Each group is a [stage], which maps the
// weights of the rows before it to those behind it:
//
//	native_concurrent_mixed.go   a group of calls of which some come before others
//	native_concurrent_set.go     a group of calls without any order
//
// The result is the greatest weight over all orders. The number of partial results of a mixed group can double with each
// call that ran at the same time, so all work is counted and bounded. Beyond the bound, the run is not evaluable, unless an
// order that is even more free would gain nothing.

const (
	// concurrentWorkPerCall bounds the work on orders, for each call of the run. A unit is a cell of a mixed group and one
	// call, or two steps of an assignment. It takes some nanoseconds. maxConcurrentWork is the bound for a whole run.
	concurrentWorkPerCall = 1 << 12
	maxConcurrentWork     = 1 << 24
	// maxMixedCells bounds the partial results of one group times the rows. Each takes 17 bytes.
	maxMixedCells = 1 << 20
)

const (
	tooConcurrent = "more calls ran at the same time than can be put in order"
	reordered     = "calls that ran at the same time were taken in the order that fits best"
)

// An Interval is when a call ran, in nanoseconds of any clock. The zero Interval is not known. An end before the start
// counts as the start.
type Interval struct{ Start, End uint64 }

// before reports whether a was over when b began. If both began together, nothing tells which was first.
func (a Interval) before(b Interval) bool {
	return max(a.Start, a.End) <= b.Start && a.Start < b.Start
}

// A stage is a group of calls. Weights are by the number of rows that have been passed.
type stage interface {
	// apply returns the greatest weights behind the group, from those before it, which it may overwrite. ok is false if that
	// is too much work.
	apply(before []weight) (behind []weight, ok bool)
	// unravel gives pair the pairs of the group that lead to a number of passed rows, and returns that number before the
	// group.
	unravel(passed int, pair func(row int, call int32)) int
}

// A concurrency is the calls of a run in their partial order.
type concurrency struct {
	w        *nativeRun
	plan     *plan
	skipRule skipRule
	stages   []stage
	// relaxed: some stage gives its calls more freedom than they have.
	relaxed bool
	// bound is the most work, limit the count of work at which it is reached.
	bound, limit int
	// weights and gains are memory for the mixed stage that is being applied.
	weights []weight
	gains   []int64
}

// spend counts work before it is done. It reports false if that is too much.
func (c *concurrency) spend(units int) bool {
	c.w.concurrentWork += units
	return c.w.concurrentWork <= c.limit
}

// halfSpent reports whether so much work was done that groups of many calls get no more. Enough is then left to apply the
// stages.
func (c *concurrency) halfSpent() bool { return c.w.concurrentWork > c.limit-c.bound/2 }

// reorder replaces the pairs by better ones, if calls that ran at the same time allow any. started is the weight of the
// calls as they started. fits is false if there are no pairs under the rule. If it cannot be known, why says so.
func (w *nativeRun) reorder(p *plan, d skipRule, started weight) (fits bool, why string) {
	fits = started != impossible
	if w.options.Concurrent != ConcurrentAnyOrder || fits && w.settled(p) {
		return fits, ""
	}
	groups := w.concurrentGroups(d)
	if groups == nil || fits && !started.Less(w.mostWeight(p)) {
		return fits, ""
	}
	c := concurrency{w: w, plan: p, skipRule: d, bound: min(len(w.calls)*concurrentWorkPerCall, maxConcurrentWork)}
	c.limit = w.concurrentWork + c.bound
	for _, g := range groups {
		if !c.add(g) {
			return fits, tooConcurrent
		}
	}
	best, ok := c.best()
	switch {
	case !ok:
		return fits, tooConcurrent
	case !started.Less(best):
		return fits, ""
	case c.relaxed:
		return fits, tooConcurrent
	}
	w.rowOf = filled(w.rowOf, len(w.calls), -1)
	w.creditOf = filled(w.creditOf, len(w.calls), 0)
	c.unravel()
	w.notes = append(w.notes, reordered)
	return true, ""
}

// settled reports whether no order can gain more than the pairs have.
func (w *nativeRun) settled(p *plan) bool {
	inFull := 0
	for call, r := range w.rowOf {
		if r >= 0 && w.creditOf[call] == full && p.rows[r].need == required {
			inFull++
		}
	}
	if inFull < len(p.required) {
		return false
	}
	return len(p.required) == len(p.rows) ||
		!slices.ContainsFunc(w.credits.edges, func(e edge) bool { return w.creditOf[e.call] < full })
}

// mostWeight is at least the weight of any pairs, in any order: each class has its best calls, even if other classes have
// them too.
func (w *nativeRun) mostWeight(p *plan) (most weight) {
	w.credits.group(len(p.classes))
	var credits []int64
	for k := range p.classes {
		credits = credits[:0]
		for _, e := range w.credits.of(int32(k)) {
			credits = append(credits, e.credit)
		}
		slices.SortFunc(credits, func(a, b int64) int { return cmp.Compare(b, a) })
		needs := p.classes[k].needs
		for i := range min(len(credits), p.classes[k].capacity(len(credits))) {
			if i < needs.least {
				most.Major += credits[i]
			} else {
				most.Minor += credits[i]
			}
		}
	}
	return most
}

// weight is the weight of all pairs.
func (w *nativeRun) weight(p *plan) (sum weight) {
	for call, r := range w.rowOf {
		if r >= 0 {
			sum = sum.Plus(weightOf(p.rows[r].need, w.creditOf[call]))
		}
	}
	return sum
}

// concurrentGroups divides the calls so that each group is over before the next one begins. It returns none if the order of
// the calls is the only one. A call without an edge takes part only if it needs a position.
func (w *nativeRun) concurrentGroups(d skipRule) (groups [][]int32) {
	if slices.ContainsFunc(w.calls, func(c Call) bool { return c.Time == Interval{} }) {
		return nil
	}
	order := w.takingPart(d)
	if w.isOneAfterAnother(order) {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(w.calls[a].Time.Start, w.calls[b].Time.Start) })
	from := 0
	hull := w.calls[order[0]].Time
	for i, call := range order {
		t := w.calls[call].Time
		if hull.before(t) {
			groups = append(groups, order[from:i])
			from = i
		}
		// The latest start and the latest end of the group decide what comes behind all of it.
		hull = Interval{t.Start, max(hull.End, t.Start, t.End)}
	}
	return append(groups, order[from:])
}

// isOneAfterAnother reports whether each call was over when the next one began.
func (w *nativeRun) isOneAfterAnother(calls []int32) bool {
	for i := 1; i < len(calls); i++ {
		if !w.calls[calls[i-1]].Time.before(w.calls[calls[i]].Time) {
			return false
		}
	}
	return true
}

// takingPart are the calls that may be in a pair, or if rows are consumed all calls.
func (w *nativeRun) takingPart(d skipRule) (calls []int32) {
	if d == consuming {
		for j := range w.calls {
			calls = append(calls, int32(j))
		}
		return calls
	}
	for _, e := range w.credits.edges {
		if n := len(calls); n == 0 || calls[n-1] != e.call {
			calls = append(calls, e.call)
		}
	}
	return calls
}

// add makes a stage of a group. It reports false if that is too much work.
func (c *concurrency) add(calls []int32) bool {
	g := newCallGroup(c, calls)
	free := g.isFree()
	// An assignment cannot leave out optional rows and no others.
	mixed := c.skipRule == consuming && len(c.plan.required) < len(c.plan.rows)
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
func (c *concurrency) best() (best weight, ok bool) {
	weights := make([]weight, len(c.plan.rows)+1)
	for r := range c.plan.rows {
		if c.skipRule == consuming && c.plan.rows[r].need == required {
			for i := r + 1; i < len(weights); i++ {
				weights[i] = impossible
			}
			break
		}
	}
	for _, s := range c.stages {
		if weights, ok = s.apply(weights); !ok {
			return weight{}, false
		}
	}
	return weights[len(c.plan.rows)], true
}

// unravel writes down the pairs that lead to the greatest weight. A row and a call may be paired without a gain.
func (c *concurrency) unravel() {
	w := c.w
	pair := func(row int, call int32) {
		class := c.plan.rows[row].class
		for _, e := range w.edgesOf(call) {
			if e.class == class {
				w.rowOf[call], w.creditOf[call] = int32(row), e.credit
			}
		}
	}
	passed := len(c.plan.rows)
	for _, s := range slices.Backward(c.stages) {
		passed = s.unravel(passed, pair)
	}
}

// edgesOf are the edges of a call, which are neighbours.
func (w *nativeRun) edgesOf(call int32) []edge {
	edges := w.credits.edges
	first, _ := searchCall(edges, call)
	last := first
	for last < len(edges) && edges[last].call == call {
		last++
	}
	return edges[first:last]
}
