package toolcorrectnessprocessor

import (
	"fmt"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// warnings name settings that are allowed but probably not meant: expectations that no run can meet, metrics that pass
// every run, and settings that no metric reads.
func (c *Config) warnings(list []listed, all []toolcorrectness.Expectation) []string {
	var warnings []string
	reach := reachOf(list, all)
	for i := range all {
		x := all[i]
		x.Metrics = reach[i].metrics
		if len(x.Metrics) == 0 {
			warnings = append(warnings, fmt.Sprintf("%s: it is never met: %s", list[i].place, reach[i].why()))
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
			if passesAnything(x.Expected, m.Method) {
				warnings = append(warnings, fmt.Sprintf("%s: %s", list[i].place, passing(x.Expected, m)))
			}
		}
		warnings = append(warnings, list[i].unread(&x)...)
	}
	return warnings
}

// unread names the parts of an expectation that none of its metrics reads.
func (c listed) unread(x *toolcorrectness.Expectation) (warnings []string) {
	arguments, output := x.Compares()
	more := slices.ContainsFunc(x.Metrics, func(m toolcorrectness.Metric) bool { return minds(m.Method) })
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

// minds reports whether a native metric scores lower if a tool is called more often than its count.max. Recall does not,
// because it counts required calls only.
func minds(m scoring.Method) bool {
	native, ok := m.(*scoring.Native)
	if !ok {
		return false
	}
	o := native.Options()
	return o.Order == scoring.ExactOrder || o.ExtraCalls == scoring.ForbidExtraCalls || o.Score == scoring.Precision || o.Score == scoring.F1
}

// passesAnything reports whether a metric passes every run, because no call is required. A reference method treats all
// unexpected calls alike, so it is tried on a few runs.
func passesAnything(x *scoring.Expectation, m scoring.Method) bool {
	keys := x.NativeOnly()
	if slices.Contains(keys, "forbidden") || slices.Contains(keys, "max_calls") || !requiresNothing(x) {
		return false
	}
	if native, ok := m.(*scoring.Native); ok {
		return native.Options().Threshold == 0 || !minds(m)
	}
	calls := make([]scoring.Call, 1000)
	for i := range calls {
		calls[i] = scoring.Call{Name: "a stranger", Arguments: scoring.JSON("{}"), Output: scoring.JSON("null")}
	}
	return m.Judge(x, calls[:0]).Passed && m.Judge(x, calls[:1]).Passed && m.Judge(x, calls).Passed
}

// requiresNothing reports whether a run without any call has full recall.
func requiresNothing(x *scoring.Expectation) bool {
	recall, err := scoring.NewNative(scoring.DefaultNative())
	return err == nil && recall.Judge(x, []scoring.Call{}).Score == 1
}

// passing is the warning about a metric that passes every run.
func passing(x *scoring.Expectation, m toolcorrectness.Metric) string {
	tools, remedy := "no tools are expected", ""
	if len(x.NativeOnly()) > 0 {
		tools = "no tools are required"
	}
	if native, ok := m.Method.(*scoring.Native); ok && native.Options().Threshold > 0 {
		remedy = "; with extra_calls: forbid it would not"
	}
	return fmt.Sprintf("%s, and the metric %q passes whatever is called%s", tools, m.Name, remedy)
}
