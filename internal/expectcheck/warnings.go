package expectcheck

import (
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A Metric is a named method.
type Metric struct {
	Name   string
	Method scoring.Method
}

// An Expectation is a valid expectation of a list.
type Expectation struct {
	Place   string   // where it stands, such as expectations[0]
	Metrics []Metric // those that it is for
	When    string   // its condition, empty for every run
	Decides bool     // whether a run that meets the condition is judged, and not left to a later expectation
	Always  bool     // whether it judges every run

	// Settings and Expected say which tools are expected. Both are nil if they stand in an attribute or in a dataset.
	Settings *scoring.ExpectationSettings
	Expected *scoring.Expectation
}

// Limits are what a configuration leaves out of every run.
type Limits struct {
	// Exclude are names of tools, or globs with *, whose calls do not count.
	Exclude []string
	// CallsPerRun is how many calls of a run are kept.
	CallsPerRun int
}

// Warnings names settings that are allowed but probably not intended: unreachable or impossible expectations, metrics that
// pass every run, and settings that no metric reads.
func Warnings(list []Expectation, limits Limits) []string {
	var warnings []string
	reach := Reach(entries(list))
	for i, x := range list {
		x.Metrics = nil
		for _, n := range reach[i].Metrics {
			x.Metrics = append(x.Metrics, list[i].Metrics[n])
		}
		if len(x.Metrics) == 0 {
			warnings = append(warnings, fmt.Sprintf("%s: it is never met: %s", x.Place, reach[i].Why()))
			continue
		}
		if why := conditions.Never(x.When); why != "" {
			warnings = append(warnings, fmt.Sprintf("%s: it is never met: its `when` never holds: %s", x.Place, why))
			continue
		}
		if x.Expected == nil {
			continue
		}
		warnings = append(warnings, limits.impossible(x.Place, x.Settings)...)
		for _, m := range x.Metrics {
			if PassesAnything(x.Expected, m.Method) {
				warnings = append(warnings, fmt.Sprintf("%s: %s", x.Place, Passing(x.Expected, m.Name, m.Method)))
			}
		}
		warnings = append(warnings, x.unread()...)
	}
	return warnings
}

// entries are the expectations as [Reach] compares them.
func entries(list []Expectation) []Entry {
	all := make([]Entry, len(list))
	for i := range list {
		x, e := &list[i], &all[i]
		e.Place, e.Decides, e.Always = x.Place, x.Decides, x.Always
		e.Condition, e.Repeats = conditions.Canonical(x.When)
		for _, m := range x.Metrics {
			e.Metrics = append(e.Metrics, m.Name)
		}
	}
	return all
}

// unread names the parts of an expectation that none of its metrics reads.
func (x *Expectation) unread() (warnings []string) {
	arguments, output := x.Expected.Compares()
	more := false
	for _, m := range x.Metrics {
		a, o := m.Method.Compares()
		arguments, output, more = arguments || a, output || o, more || PunishesMore(m.Method)
	}
	warn := func(read *bool, rule string) {
		if !*read {
			warnings = append(warnings, fmt.Sprintf("%s: %s", x.Place, rule))
			*read = true // once is enough
		}
	}
	for _, tool := range slices.Concat(append([][]scoring.Tool{x.Settings.Tools}, x.Settings.AnyOf...)...) {
		if tool.Count.Max > 0 {
			warn(&more, "count.max is given, and no metric of it gives more calls a lower score; "+
				"order: exact, extra_calls: forbid, score: precision or score: f1 would")
		}
		if tool.Arguments != (scoring.Payload{}) {
			warn(&arguments, "arguments are given, and no metric of it compares arguments")
		}
		if tool.Output != (scoring.Payload{}) {
			warn(&output, "an output is given, and no metric of it compares outputs")
		}
	}
	return warnings
}
