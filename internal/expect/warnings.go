package expect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// warnings names settings that are allowed but probably not intended: unreachable expectations, metrics that pass every
// run, and settings that no metric reads. It leaves the metrics that can use x: see [entry.reach].
func (x *entry) warnings(decided map[string]string) (warnings []string) {
	if why := x.reach(decided); why != "" {
		return []string{fmt.Sprintf("%s: it is never met: %s", x.place(), why)}
	}
	if x.Expected == nil {
		return nil
	}
	for _, m := range x.Metrics {
		if !passesAnything(x.Expected, m.Method) {
			continue
		}
		remedy := ""
		if native, ok := m.Method.(*scoring.Native); ok && native.Options().Threshold > 0 {
			remedy = "; with extra_calls: forbid it would not"
		}
		warnings = append(warnings, fmt.Sprintf("%s: no tools are required, and the metric %q passes whatever is called%s", x.place(), m.Name, remedy))
	}
	return append(warnings, x.unread()...)
}

// reach leaves the metrics that can use the expectation, and says why if there is none. A metric never uses an expectation behind
// one without `when`. decided says which one that is, by metric.
func (x *entry) reach(decided map[string]string) (why string) {
	var left []evaluate.Metric
	var reasons []string
	for _, m := range x.Metrics {
		switch by := decided[m.Name]; {
		case by == "":
			left = append(left, m)
			if x.When == nil && (x.Cases == nil || x.Cases.Report) { // otherwise a later expectation may be tried
				decided[m.Name] = x.place() + " stands before it and has no `when`"
			}
		case !slices.Contains(reasons, by):
			reasons = append(reasons, by)
		}
	}
	x.Metrics = left
	if len(left) > 0 {
		return ""
	}
	return strings.Join(reasons, "; ")
}

// passesAnything reports whether a metric passes every run, because no call is required. A method treats all unexpected calls
// alike, so it is tried on a few runs.
func passesAnything(x *scoring.Expectation, m scoring.Method) bool {
	limits := func(key string) bool {
		return slices.Contains([]string{"forbidden", "allowed", "max_calls", "max_repeats"}, key)
	}
	if len(x.Names()) > 0 || slices.ContainsFunc(x.NativeOnly(), limits) {
		return false
	}
	calls := make([]scoring.Call, 1000)
	for i := range calls {
		calls[i] = scoring.Call{Name: "a stranger", Arguments: scoring.JSON("{}"), Output: scoring.JSON("null")}
	}
	return m.Judge(x, calls[:0]).Passed && m.Judge(x, calls[:1]).Passed && m.Judge(x, calls).Passed
}

// unread names the parts of an expectation that none of its metrics reads.
func (x *entry) unread() (warnings []string) {
	var arguments, output bool // what some metric reads
	for _, m := range x.Metrics {
		a, o := m.Method.Compares()
		arguments, output = arguments || a, output || o
	}
	warn := func(read *bool, rule string) {
		if !*read {
			warnings = append(warnings, fmt.Sprintf("%s: %s", x.place(), rule))
			*read = true // once is enough
		}
	}
	lists := append([][]scoring.Tool{x.settings.Tools}, x.settings.AnyOf...)
	for _, turn := range x.settings.Turns {
		lists = append(append(lists, turn.Tools), turn.AnyOf...)
	}
	for _, tool := range slices.Concat(lists...) {
		if (tool.Arguments != (scoring.Payload{}) || len(tool.Matchers) > 0) && tool.Match <= scoring.ArgumentsIgnore {
			warn(&arguments, "arguments are given, and no metric of it compares arguments")
		}
		if tool.Output != (scoring.Payload{}) {
			warn(&output, "an output is given, and no metric of it compares outputs")
		}
	}
	return warnings
}
