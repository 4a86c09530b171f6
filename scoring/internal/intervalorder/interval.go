package intervalorder

import (
	"cmp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"
)

// An Interval is when a column began and ended, in any unit. The zero Interval means unknown. An end before the start counts
// as the start.
type Interval struct{ Start, End uint64 }

// Before reports whether a was over when b began. If both began together, neither is before the other.
func (a Interval) Before(b Interval) bool {
	return max(a.Start, a.End) <= b.Start && a.Start < b.Start
}

// groups divides the columns so that each group is over before the next one begins. It returns none if the columns have only
// one order, or if an interval is unknown. A column without an edge takes part only if it needs a row.
func (p *Problem) groups() (groups [][]int32) {
	if slices.Contains(p.Times, Interval{}) {
		return nil
	}
	order := p.takingPart()
	if p.isOneAfterAnother(order) {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(p.Times[a].Start, p.Times[b].Start) })
	from := 0
	hull := p.Times[order[0]]
	for i, column := range order {
		t := p.Times[column]
		if hull.Before(t) {
			groups = append(groups, order[from:i])
			from = i
		}
		// A column is behind the group if it is behind its latest start and its latest end.
		hull = Interval{t.Start, max(hull.End, t.Start, t.End)}
	}
	return append(groups, order[from:])
}

// isOneAfterAnother reports whether each column was over when the next one began.
func (p *Problem) isOneAfterAnother(columns []int32) bool {
	for i := 1; i < len(columns); i++ {
		if !p.Times[columns[i-1]].Before(p.Times[columns[i]]) {
			return false
		}
	}
	return true
}

// takingPart returns the columns with an edge, or all columns if the rule is Consuming.
func (p *Problem) takingPart() (columns []int32) {
	if p.Rule == ordered.Consuming {
		for j := range p.Times {
			columns = append(columns, int32(j))
		}
		return columns
	}
	for _, e := range p.Edges.All {
		if n := len(columns); n == 0 || columns[n-1] != e.Column {
			columns = append(columns, e.Column)
		}
	}
	return columns
}
