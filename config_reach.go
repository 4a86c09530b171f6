package toolcorrectnessprocessor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// A reach says which metrics can use an expectation, and which earlier expectation prevents the others.
type reach struct {
	metrics []toolcorrectness.Metric
	blocked []blocked
}

// blocked says that for a metric the expectation at the place by decides before a later one is tried.
type blocked struct {
	metric string
	by     string // its place
	rule   string
}

// reach returns the reach of each expectation. A metric never uses an expectation behind one without `when`, nor behind one
// with the same `when`: if the condition holds, the first is used, and if it does not, neither is.
func reachOf(list []listed, all []toolcorrectness.Expectation) []reach {
	found := make([]reach, len(all))
	always := map[string]string{}     // place by metric
	earlier := map[[2]string]string{} // place by metric and condition
	for i := range all {
		text, repeats := condition.Canonical(list[i].When)
		for _, m := range all[i].Metrics {
			key := [2]string{m.Name, text}
			if by, ok := always[m.Name]; ok {
				found[i].blocked = append(found[i].blocked, blocked{m.Name, by, "has no `when`"})
				continue
			}
			if by, ok := earlier[key]; ok && repeats {
				found[i].blocked = append(found[i].blocked, blocked{m.Name, by, "has the same `when`"})
				continue
			}
			found[i].metrics = append(found[i].metrics, m)
			if all[i].Cases == nil || all[i].Cases.Report { // another may be asked otherwise
				earlier[key] = list[i].place
			}
			if all[i].Always() {
				always[m.Name] = list[i].place
			}
		}
	}
	return found
}

// why says which expectations prevent that any metric uses this one.
func (r *reach) why() string {
	first := r.blocked[0]
	other := func(b blocked) bool { return b.by != first.by || b.rule != first.rule }
	if !slices.ContainsFunc(r.blocked, other) {
		return fmt.Sprintf("%s stands before it, is for the same metrics, and %s", first.by, first.rule)
	}
	var parts []string
	for _, b := range r.blocked {
		parts = append(parts, fmt.Sprintf("for the metric %q, %s stands before it and %s", b.metric, b.by, b.rule))
	}
	return strings.Join(parts, "; ")
}
