package toolcorrectnessprocessor

import (
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectcheck"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// warnings name settings that are allowed but probably not meant: expectations that no run can meet, metrics that pass
// every run, and settings that no metric reads.
func (c *Config) warnings(list []listed, all []toolcorrectness.Expectation) []string {
	var warnings []string
	reach := expectcheck.Reach(entriesOf(list, all))
	for i := range all {
		x := all[i]
		x.Metrics = nil
		for _, n := range reach[i].Metrics {
			x.Metrics = append(x.Metrics, all[i].Metrics[n])
		}
		if len(x.Metrics) == 0 {
			warnings = append(warnings, fmt.Sprintf("%s: it is never met: %s", list[i].place, reach[i].Why()))
			continue
		}
		if why := condition.Never(list[i].When); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: it is never met: its `when` never holds: %s", list[i].place, why))
			continue
		}
		warnings = append(warnings, c.impossible(list[i])...)
		if x.Expected == nil {
			continue
		}
		for _, m := range x.Metrics {
			if expectcheck.PassesAnything(x.Expected, m.Method) {
				warnings = append(warnings, fmt.Sprintf("%s: %s", list[i].place, expectcheck.Passing(x.Expected, m.Name, m.Method)))
			}
		}
		warnings = append(warnings, list[i].unread(&x)...)
	}
	return warnings
}

// entriesOf are the expectations as [expectcheck.Reach] compares them.
func entriesOf(list []listed, all []toolcorrectness.Expectation) []expectcheck.Entry {
	entries := make([]expectcheck.Entry, len(all))
	for i := range all {
		e := &entries[i]
		e.Place, e.Always = list[i].place, all[i].Always()
		e.Condition, e.Repeats = condition.Canonical(list[i].When)
		e.Decides = all[i].Cases == nil || all[i].Cases.Report // another may be asked otherwise
		for _, m := range all[i].Metrics {
			e.Metrics = append(e.Metrics, m.Name)
		}
	}
	return entries
}

// unread names the parts of an expectation that none of its metrics reads.
func (c listed) unread(x *toolcorrectness.Expectation) (warnings []string) {
	arguments, output := x.Compares()
	more := slices.ContainsFunc(x.Metrics, func(m toolcorrectness.Metric) bool { return expectcheck.PunishesMore(m.Method) })
	warn := func(read *bool, rule string) {
		if !*read {
			warnings = append(warnings, fmt.Sprintf("%s: %s", c.place, rule))
			*read = true // once is enough
		}
	}
	for _, tool := range slices.Concat(append([][]ToolConfig{c.Tools}, c.AnyOf...)...) {
		if tool.Count != nil && tool.Count.Max != nil {
			warn(&more, "count.max is given, and no metric of it gives more calls a lower score; "+
				"order: exact, extra_calls: forbid, score: precision or score: f1 would")
		}
		if tool.Arguments != nil {
			warn(&arguments, "arguments are given, and no metric of it compares arguments")
		}
		if tool.Output != nil {
			warn(&output, "an output is given, and no metric of it compares outputs")
		}
	}
	return warnings
}
