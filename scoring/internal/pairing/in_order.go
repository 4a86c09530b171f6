package pairing

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"

// InOrder finds pairs that do not cross, for rows and columns in their order: see package ordered. The edges must be grouped.
// InOrder reuses its memory, by one goroutine at a time. It grows with rows times columns, which the caller must bound.
type InOrder struct {
	common ordered.Common
	table  ordered.Table
}

// Retained returns how many words of memory are kept.
func (o *InOrder) Retained() int { return o.common.Retained() + o.table.Retained() }

// Most finds the most pairs. All rows must be required, and all credits must be [Full].
func (o *InOrder) Most(s *Shape, e *Edges, pairs *Pairs) {
	o.common.Reset(len(s.Classes), len(s.Rows), len(pairs.RowOf))
	for _, x := range e.All {
		o.common.Match(x.Class, x.Column)
	}
	for r := range s.Rows {
		o.common.Row(s.Rows[r].Class)
	}
	o.common.Pairs(func(row, column int) { pairs.Add(int32(row), int32(column), Full) })
}

// Best finds the pairs of greatest weight under a rule. It returns false if the rule allows none.
func (o *InOrder) Best(s *Shape, e *Edges, rule ordered.SkipRule, pairs *Pairs) bool {
	o.table.Reset(len(s.Rows), len(pairs.RowOf), rule)
	for r := range s.Rows {
		edges := e.Of(s.Rows[r].Class)
		for _, x := range edges {
			o.table.Gains[x.Column] = x.Credit
		}
		o.table.Row(s.Rows[r].Need)
		for _, x := range edges {
			o.table.Gains[x.Column] = 0
		}
	}
	if o.table.Weight() == ordered.Impossible {
		return false
	}
	o.unravel(s, e, pairs)
	return true
}

// unravel walks the choices back and writes the pairs.
func (o *InOrder) unravel(s *Shape, e *Edges, pairs *Pairs) {
	r, j := len(s.Rows)-1, len(pairs.RowOf)
	for r >= 0 {
		switch o.table.Choice(r, j) {
		case ordered.PassRow:
			r--
		case ordered.PassColumn:
			j--
		case ordered.PairBoth:
			j--
			edges := e.Of(s.Rows[r].Class)
			if i, ok := Search(edges, int32(j)); ok { // without an edge the pair has no credit
				pairs.Add(int32(r), int32(j), edges[i].Credit)
			}
			if s.Rows[r].Need != ordered.Endless {
				r--
			}
		}
	}
}
