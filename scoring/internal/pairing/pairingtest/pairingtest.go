// Package pairingtest is for fuzz tests of the packages that solve the problem of package pairing. It makes small problems
// from bytes and solves them by brute force. pairingtest.go is the whole package.
package pairingtest

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
)

// A Dice makes numbers from the bytes of a fuzz input, and 0 once the bytes are used up.
type Dice struct{ Data []byte }

// Below returns a number from 0 to n-1.
func (d *Dice) Below(n int) int {
	if len(d.Data) == 0 {
		return 0
	}
	x := int(d.Data[0])
	d.Data = d.Data[1:]
	return x % n
}

// AddSeeds adds inputs of up to 160 bytes.
func AddSeeds(f *testing.F) {
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

// A Problem is rows, columns and credits.
type Problem struct {
	Shape   pairing.Shape
	Edges   pairing.Edges
	Columns int
	credits [][]int64 // by class, then by column
}

// New makes a problem of at most 8 rows and at most that number of columns. The edges are grouped.
func New(d *Dice, columns int) *Problem {
	p := &Problem{Columns: d.Below(columns + 1)}
	for range 1 + d.Below(4) {
		p.Shape.AddClass()
	}
	for len(p.Shape.Rows) < 6 && d.Below(6) > 0 {
		n := pairing.Needs{Least: d.Below(2), Endless: d.Below(8) == 0}
		if n.Most = n.Least; !n.Endless {
			n.Most += d.Below(2)
		}
		p.Shape.AddRows(int32(d.Below(len(p.Shape.Classes))), n)
	}
	p.Shape.Index()
	p.credits = make([][]int64, len(p.Shape.Classes))
	for k := range p.credits {
		p.credits[k] = make([]int64, p.Columns)
	}
	credits := []int64{0, pairing.Full, 0, pairing.Full, pairing.Full / 2, pairing.Full / 3}
	kinds := 3 + d.Below(4) // without partial credits, or with them
	for j := range p.Columns {
		for k := range p.credits {
			if p.credits[k][j] = credits[d.Below(min(kinds, len(credits)))]; p.credits[k][j] > 0 {
				p.Edges.Add(int32(k), int32(j), p.credits[k][j])
			}
		}
	}
	p.Edges.Group(len(p.Shape.Classes))
	return p
}

// Pairs returns a solution without pairs.
func (p *Problem) Pairs() (pairs pairing.Pairs) {
	pairs.Reset(p.Columns)
	return pairs
}

// Order returns the columns in the order of their numbers.
func (p *Problem) Order() (order []int32) {
	for j := range p.Columns {
		order = append(order, int32(j))
	}
	return order
}

func (p *Problem) credit(row, column int32) int64 { return p.credits[p.Shape.Rows[row].Class][column] }

// Check fails the test unless each pair has the credit of its edge, and only endless rows have several columns.
func (p *Problem) Check(t *testing.T, pairs *pairing.Pairs) {
	t.Helper()
	used := map[int32]bool{}
	for j, r := range pairs.RowOf {
		if r < 0 {
			if pairs.CreditOf[j] != 0 {
				t.Errorf("column %d has no row and a credit of %d", j, pairs.CreditOf[j])
			}
			continue
		}
		if used[r] && p.Shape.Rows[r].Need != ordered.Endless {
			t.Errorf("row %d has two columns", r)
		}
		used[r] = true
		if want := p.credit(r, int32(j)); pairs.CreditOf[j] != want || want == 0 {
			t.Errorf("row %d and column %d have a credit of %d, want %d", r, j, pairs.CreditOf[j], want)
		}
	}
}

// AnyOrder returns the greatest weight if columns have no order.
func (p *Problem) AnyOrder() assignment.Weight { return p.anyOrder(0, map[int]bool{}) }

// anyOrder gives a column and those behind it to any rows that are not used.
func (p *Problem) anyOrder(column int, used map[int]bool) assignment.Weight {
	if column == p.Columns {
		return assignment.Weight{}
	}
	best := p.anyOrder(column+1, used)
	for r, row := range p.Shape.Rows {
		credit := p.credit(int32(r), int32(column))
		if used[r] || credit == 0 {
			continue
		}
		used[r] = row.Need != ordered.Endless
		if w := p.anyOrder(column+1, used).Plus(ordered.WeightOf(row.Need, credit)); best.Less(w) {
			best = w
		}
		used[r] = false
	}
	return best
}

// InOrder returns the greatest weight of pairs that do not cross, under a rule, for columns in an order. It returns
// [ordered.Impossible] if the rule allows no pairs.
func (p *Problem) InOrder(order []int32, rule ordered.SkipRule) assignment.Weight {
	return p.inOrder(0, order, rule)
}

func (p *Problem) inOrder(row int, order []int32, rule ordered.SkipRule) assignment.Weight {
	if row == len(p.Shape.Rows) {
		if rule == ordered.Consuming && len(order) > 0 {
			return ordered.Impossible
		}
		return assignment.Weight{}
	}
	need := p.Shape.Rows[row].Need
	best := ordered.Impossible
	try := func(w assignment.Weight) {
		if best.Less(w) {
			best = w
		}
	}
	if rule == ordered.Skipping || need != ordered.Required {
		try(p.inOrder(row+1, order, rule))
	}
	if len(order) == 0 {
		return best
	}
	if rule == ordered.Skipping {
		try(p.inOrder(row, order[1:], rule))
	}
	next := row + 1
	if need == ordered.Endless {
		next = row
	}
	credit := p.credit(int32(row), order[0])
	if credit == 0 && (rule == ordered.Skipping || need != ordered.Required) {
		return best
	}
	if w := p.inOrder(next, order[1:], rule); w != ordered.Impossible {
		try(w.Plus(ordered.WeightOf(need, credit)))
	}
	return best
}
