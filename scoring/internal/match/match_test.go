package match

import (
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// FuzzAssign holds the assignment against trying everything.
func FuzzAssign(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newProblem(&dice{data: data}, 5)
		want := p.anyOrder(0, map[int]bool{})
		var m Assigner
		work := names.Budget(MaxSteps)
		for range 2 { // the memory is used again
			pairs := p.pairs()
			if !m.Assign(&p.shape, &p.edges, &pairs, &work) {
				t.Fatal("a small problem took too many steps")
			}
			p.check(t, &pairs)
			if got := pairs.Weight(&p.shape); got != want {
				t.Errorf("the weight is %v, want %v", got, want)
			}
		}
		rivals := func(i int) bool { return p.edges.All[i-1].Column == p.edges.All[i].Column }
		for i := 1; i < len(p.edges.All); i++ {
			if rivals(i) {
				return
			}
		}
		if p.edges.Partial {
			return
		}
		pairs := p.pairs()
		m.FirstCome(&p.shape, &p.edges, &pairs)
		p.check(t, &pairs)
		if got := pairs.Weight(&p.shape); got != want {
			t.Errorf("first come: the weight is %v, want %v", got, want)
		}
	})
}

func TestStepsOfAssignmentsAreBounded(t *testing.T) {
	const n = 60
	var s Shape
	var e Edges
	for range n {
		s.AddRows(s.AddClass(), Needs{Least: 1, Most: 1})
	}
	s.Index()
	for j := range int32(n) {
		for k := range int32(n) {
			e.Add(k, j, 1+int64((j+1)*(k+1)))
		}
	}
	e.Group(n)
	var m Assigner
	var pairs Pairs
	pairs.Reset(n)
	work := names.Budget(MaxSteps)
	if !m.Assign(&s, &e, &pairs, &work) {
		t.Error("60 columns and 60 rows are too many")
	}
	if work = 2 * n; m.Assign(&s, &e, &pairs, &work) {
		t.Error("an assignment was made beyond the bound")
	}
}

// FuzzInOrder holds pairs that do not cross against trying everything.
func FuzzInOrder(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newProblem(&dice{data: data}, 6)
		var in InOrder
		for range 2 { // the memory is used again
			pairs, want := p.pairs(), p.inOrder(0, p.order(), Skipping)
			in.Pair(&p.shape, &p.edges, &pairs)
			if got := pairs.Weight(&p.shape); got != want {
				t.Errorf("the weight is %v, want %v", got, want)
			}
			p.check(t, &pairs)
		}
	})
}

func TestBefore(t *testing.T) {
	for _, tc := range []struct {
		a, b   Interval
		before bool
		reason string
	}{
		{Interval{1, 2}, Interval{2, 3}, true, "it ends at the moment at which the other begins"},
		{Interval{1, 3}, Interval{2, 4}, false, "they overlap"},
		{Interval{1, 1}, Interval{1, 5}, false, "both begin together, so neither is first"},
		{Interval{3, 1}, Interval{4, 5}, true, "an end before the start counts as the start"},
	} {
		if got := tc.a.Before(tc.b); got != tc.before {
			t.Errorf("%v before %v is %v: %s", tc.a, tc.b, got, tc.reason)
		}
	}
}

// orders calls yield with every order of the columns in which no column stands before one that was over when it began.
func (c *Concurrent) orders(yield func([]int32)) {
	var extend func(order, rest []int32)
	extend = func(order, rest []int32) {
		if len(rest) == 0 {
			yield(order)
			return
		}
		for i, column := range rest {
			wasOver := func(o int32) bool { return c.Times[o].Before(c.Times[column]) }
			if !slices.ContainsFunc(rest, wasOver) {
				extend(append(slices.Clone(order), column), slices.Delete(slices.Clone(rest), i, i+1))
			}
		}
	}
	var all []int32
	for j := range c.Times {
		all = append(all, int32(j))
	}
	extend(nil, all)
}

// FuzzConcurrent holds the search against trying every order, and in it everything.
func FuzzConcurrent(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		d := &dice{data: data}
		p := newProblem(d, 5)
		times := make([]Interval, p.columns)
		start, sorted := uint64(1), d.below(4) > 0
		for j := range times {
			if start += uint64(d.below(3)); !sorted {
				start = uint64(1 + d.below(8))
			}
			times[j] = Interval{start, start + uint64(d.below(5))}
		}
		for _, rule := range []Rule{Skipping, Consuming} {
			work := names.Budget(1 << 20)
			c := Concurrent{Shape: &p.shape, Edges: &p.edges, Times: times, Rule: rule, Work: &work}
			best, orders := Impossible, 0
			c.orders(func(order []int32) {
				orders++
				if w := p.inOrder(0, order, rule); best.Less(w) {
					best = w
				}
			})
			if rule == Consuming && sorted && c.HaveOneOrder() != (orders == 1) {
				t.Errorf("one order is %v of %d", c.HaveOneOrder(), orders)
			}
			free := p.pairs()
			if new(Assigner).Assign(&p.shape, &p.edges, &free, &work); c.Allows(&free) && free.Weight(&p.shape) != best {
				t.Errorf("rule %d: %v is allowed, and the best order makes %v", rule, free.Weight(&p.shape), best)
			}
			pairs := p.pairs()
			got, ok := c.Pair(&pairs)
			if !ok || got != best {
				t.Errorf("rule %d: %v %v, want %v", rule, got, ok, best)
			}
			if best == Impossible {
				continue
			}
			p.check(t, &pairs)
			if got := pairs.Weight(&p.shape); got != best {
				t.Errorf("rule %d: the pairs make %v, want %v", rule, got, best)
			}
			if rule == Skipping && !c.Allows(&pairs) {
				t.Errorf("the best pairs cross in every order")
			}
		}
	})
}

// A dice makes numbers from the bytes of a fuzz input, and 0 once the bytes are used up.
type dice struct{ data []byte }

// below returns a number from 0 to n-1.
func (d *dice) below(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	x := int(d.data[0])
	d.data = d.data[1:]
	return x % n
}

// addSeeds adds inputs of up to 160 bytes.
func addSeeds(f *testing.F) {
	x := uint32(1)
	for n := range 40 {
		seed := make([]byte, 4*n)
		for i := range seed {
			x = x*1664525 + 1013904223 // the generator of Numerical Recipes
			seed[i] = byte(x >> 24)
		}
		f.Add(seed)
	}
}

// A problem is rows, columns and credits.
type problem struct {
	shape   Shape
	edges   Edges
	columns int
	credits [][]int64 // by class, then by column
}

// newProblem makes a problem of at most 8 rows and at most that number of columns. The edges are grouped.
func newProblem(d *dice, columns int) *problem {
	p := &problem{columns: d.below(columns + 1)}
	for range 1 + d.below(4) {
		p.shape.AddClass()
	}
	for len(p.shape.Rows) < 6 && d.below(6) > 0 {
		n := Needs{Least: d.below(2), Endless: d.below(8) == 0}
		if n.Most = n.Least; !n.Endless {
			n.Most += d.below(2)
		}
		p.shape.AddRows(int32(d.below(len(p.shape.Classes))), n)
	}
	p.shape.Index()
	p.credits = make([][]int64, len(p.shape.Classes))
	for k := range p.credits {
		p.credits[k] = make([]int64, p.columns)
	}
	credits := []int64{0, Full, 0, Full, Full / 2, Full / 3}
	kinds := 3 + d.below(4) // without partial credits, or with them
	for j := range p.columns {
		for k := range p.credits {
			if p.credits[k][j] = credits[d.below(min(kinds, len(credits)))]; p.credits[k][j] > 0 {
				p.edges.Add(int32(k), int32(j), p.credits[k][j])
			}
		}
	}
	p.edges.Group(len(p.shape.Classes))
	return p
}

// pairs returns a solution without pairs.
func (p *problem) pairs() (pairs Pairs) {
	pairs.Reset(p.columns)
	return pairs
}

// order returns the columns in the order of their numbers.
func (p *problem) order() (order []int32) {
	for j := range p.columns {
		order = append(order, int32(j))
	}
	return order
}

func (p *problem) credit(row, column int32) int64 { return p.credits[p.shape.Rows[row].Class][column] }

// check fails the test unless each pair has the credit of its edge, and only endless rows have several columns.
func (p *problem) check(t *testing.T, pairs *Pairs) {
	t.Helper()
	used := map[int32]bool{}
	for j, r := range pairs.RowOf {
		if r < 0 {
			if pairs.CreditOf[j] != 0 {
				t.Errorf("column %d has no row and a credit of %d", j, pairs.CreditOf[j])
			}
			continue
		}
		if used[r] && p.shape.Rows[r].Need != Endless {
			t.Errorf("row %d has two columns", r)
		}
		used[r] = true
		if want := p.credit(r, int32(j)); pairs.CreditOf[j] != want || want == 0 {
			t.Errorf("row %d and column %d have a credit of %d, want %d", r, j, pairs.CreditOf[j], want)
		}
	}
}

// anyOrder returns the greatest weight if columns have no order. It gives a column and those behind it to any rows that are not used.
func (p *problem) anyOrder(column int, used map[int]bool) Weight {
	if column == p.columns {
		return Weight{}
	}
	best := p.anyOrder(column+1, used)
	for r, row := range p.shape.Rows {
		credit := p.credit(int32(r), int32(column))
		if used[r] || credit == 0 {
			continue
		}
		used[r] = row.Need != Endless
		if w := p.anyOrder(column+1, used).Plus(WeightOf(row.Need, credit)); best.Less(w) {
			best = w
		}
		used[r] = false
	}
	return best
}

// inOrder returns the greatest weight of pairs that do not cross, under a rule, for rows from one on and columns in an order. It
// returns [Impossible] if the rule allows no pairs.
func (p *problem) inOrder(row int, order []int32, rule Rule) Weight {
	if row == len(p.shape.Rows) {
		if rule == Consuming && len(order) > 0 {
			return Impossible
		}
		return Weight{}
	}
	need := p.shape.Rows[row].Need
	best := Impossible
	try := func(w Weight) {
		if best.Less(w) {
			best = w
		}
	}
	if rule == Skipping || need != Required {
		try(p.inOrder(row+1, order, rule))
	}
	if len(order) == 0 {
		return best
	}
	if rule == Skipping {
		try(p.inOrder(row, order[1:], rule))
	}
	next := row + 1
	if need == Endless {
		next = row
	}
	credit := p.credit(int32(row), order[0])
	if credit == 0 && (rule == Skipping || need != Required) {
		return best
	}
	if w := p.inOrder(next, order[1:], rule); w != Impossible {
		try(w.Plus(WeightOf(need, credit)))
	}
	return best
}
