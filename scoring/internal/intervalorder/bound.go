package intervalorder

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/pairing"
)

// Settled reports whether no order of the columns can gain more than pairs. It is cheap, and needs no intervals.
func Settled(s *pairing.Shape, e *pairing.Edges, pairs *pairing.Pairs) bool {
	inFull := 0
	for column, r := range pairs.RowOf {
		if r >= 0 && pairs.CreditOf[column] == pairing.Full && s.Rows[r].Need == ordered.Required {
			inFull++
		}
	}
	if inFull < s.Required {
		return false
	}
	return s.Required == len(s.Rows) ||
		!slices.ContainsFunc(e.All, func(x pairing.Edge) bool { return pairs.CreditOf[x.Column] < pairing.Full })
}

// mostWeight returns an upper bound of the weight in any order: each class gets its best columns, even if other classes get
// them too.
func (p *Problem) mostWeight() (most Weight) {
	p.Edges.Group(len(p.Shape.Classes))
	var credits []int64
	for k := range p.Shape.Classes {
		credits = credits[:0]
		for _, e := range p.Edges.Of(int32(k)) {
			credits = append(credits, e.Credit)
		}
		slices.SortFunc(credits, func(a, b int64) int { return cmp.Compare(b, a) })
		class := &p.Shape.Classes[k]
		for i := range min(len(credits), class.Capacity(len(credits))) {
			if i < class.Needs.Least {
				most.Major += credits[i]
			} else {
				most.Minor += credits[i]
			}
		}
	}
	return most
}
