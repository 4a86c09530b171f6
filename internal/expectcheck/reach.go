package expectcheck

import (
	"fmt"
	"slices"
	"strings"
)

// An Entry is what counts about an expectation for those behind it.
type Entry struct {
	Place     string   // where it stands, such as expectations[0]
	Metrics   []string // the names of the metrics that it is for
	Condition string   // its `when` in a canonical form
	Repeats   bool     // whether the same condition always gives the same answer
	Decides   bool     // whether a run that meets the condition is judged, and not left to a later expectation
	Always    bool     // whether it judges every run
}

// An Extent says which metrics can use an expectation, and which earlier expectation prevents the others.
type Extent struct {
	Metrics []int // positions in [Entry.Metrics], ascending
	blocked []blocked
}

// blocked says that for a metric the expectation at the place by decides before a later one is tried.
type blocked struct {
	metric string
	by     string // its place
	rule   string
}

// Reach returns the extent of each expectation. A metric never uses an expectation behind one without `when`, or behind one
// with the same `when`. If that condition holds, the first is used; otherwise neither is.
func Reach(list []Entry) []Extent {
	found := make([]Extent, len(list))
	always := map[string]string{}     // place by metric
	earlier := map[[2]string]string{} // place by metric and condition
	for i, e := range list {
		for n, metric := range e.Metrics {
			key := [2]string{metric, e.Condition}
			if by, ok := always[metric]; ok {
				found[i].blocked = append(found[i].blocked, blocked{metric, by, "has no `when`"})
				continue
			}
			if by, ok := earlier[key]; ok && e.Repeats {
				found[i].blocked = append(found[i].blocked, blocked{metric, by, "has the same `when`"})
				continue
			}
			found[i].Metrics = append(found[i].Metrics, n)
			if e.Decides {
				earlier[key] = e.Place
			}
			if e.Always {
				always[metric] = e.Place
			}
		}
	}
	return found
}

// Why says which expectations prevent that any metric uses this one. The extent must have no metrics, and its entry at least one.
func (x *Extent) Why() string {
	first := x.blocked[0]
	other := func(b blocked) bool { return b.by != first.by || b.rule != first.rule }
	if !slices.ContainsFunc(x.blocked, other) {
		return fmt.Sprintf("%s stands before it, is for the same metrics, and %s", first.by, first.rule)
	}
	var parts []string
	for _, b := range x.blocked {
		parts = append(parts, fmt.Sprintf("for the metric %q, %s stands before it and %s", b.metric, b.by, b.rule))
	}
	return strings.Join(parts, "; ")
}
