package pairing

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/assignment"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/reuse"
)

// Pairs say which row each column has. They reuse their memory, by one goroutine at a time.
type Pairs struct {
	// RowOf has the row of each column, or -1, and CreditOf its credit there, from 0 to [Full].
	RowOf    []int32
	CreditOf []int64
}

// Reset removes all pairs, and sets the number of columns.
func (p *Pairs) Reset(columns int) {
	p.RowOf = reuse.Filled(p.RowOf, columns, -1)
	p.CreditOf = reuse.Filled(p.CreditOf, columns, 0)
}

// Add gives a column a row.
func (p *Pairs) Add(row, column int32, credit int64) {
	p.RowOf[column], p.CreditOf[column] = row, credit
}

// Weight returns the weight of all pairs.
func (p *Pairs) Weight(s *Shape) (sum assignment.Weight) {
	for column, r := range p.RowOf {
		if r >= 0 {
			sum = sum.Plus(ordered.WeightOf(s.Rows[r].Need, p.CreditOf[column]))
		}
	}
	return sum
}

// Unpaired returns how many required rows have no column, and how many columns have no row.
func (p *Pairs) Unpaired(s *Shape) (rows, columns int) {
	rows = s.Required
	for _, r := range p.RowOf {
		switch {
		case r < 0:
			columns++
		case s.Rows[r].Need == ordered.Required:
			rows--
		}
	}
	return rows, columns
}
