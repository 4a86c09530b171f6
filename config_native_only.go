package toolcorrectnessprocessor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// suits adds an error for each metric of an expectation whose method does not understand keys of it. The error names
// metrics that do. It begins with who, which is empty for the expectation itself.
func suits(errs *configcheck.Errors, keys []string, who string, scoring, all []toolcorrectness.Metric) {
	if len(keys) == 0 {
		return
	}
	native := nativeNames(scoring)
	if len(native) == 0 {
		native = nativeNames(all)
	}
	advice := "define a metric with the native method and name it in `metrics`"
	if len(native) > 0 {
		advice = fmt.Sprintf("say metrics: [%s]", strings.Join(native, ", "))
	}
	for _, m := range scoring {
		if name := m.Method.Name(); name != "native" {
			errs.Add("", "%suses %s, which only the native method understands, but is scored by the metric %q, whose method is %s: %s",
				who, strings.Join(keys, ", "), m.Name, name, advice)
		}
	}
}

// nativeNames are the names of the metrics with the native method.
func nativeNames(metrics []toolcorrectness.Metric) []string {
	var names []string
	for _, m := range metrics {
		if m.Method.Name() == "native" {
			names = append(names, m.Name)
		}
	}
	return names
}

// nativeOnly names the keys in use that only the native method understands, like [scoring.Expectation.NativeOnly].
// It also works for an expectation with errors.
func (c *ExpectationConfig) nativeOnly() []string {
	tools := slices.Concat(append(slices.Clone(c.AnyOf), c.Tools)...)
	uses := func(feature func(ToolConfig) bool) bool { return slices.ContainsFunc(tools, feature) }
	starred := func(name string) bool { return strings.Contains(name, "*") }
	var keys []string
	for _, x := range []struct {
		key  string
		used bool
	}{
		{"any_of", len(c.AnyOf) > 0 || uses(func(t ToolConfig) bool { return len(t.AnyOf) > 0 })},
		{"count", uses(func(t ToolConfig) bool { return t.Count != nil })},
		{"optional", uses(func(t ToolConfig) bool { return t.Optional })},
		{"arguments_match", uses(func(t ToolConfig) bool { return t.ArgumentsMatch != "" })},
		{"ignore_arguments", uses(func(t ToolConfig) bool { return len(t.IgnoreArguments) > 0 })},
		{"argument_defaults", uses(func(t ToolConfig) bool { return t.ArgumentDefaults != nil })},
		{"where", uses(func(t ToolConfig) bool { return t.Where != "" })},
		{"* in a name", uses(func(t ToolConfig) bool { return starred(t.Name) || slices.ContainsFunc(t.AnyOf, starred) })},
		{"forbidden", len(c.Forbidden) > 0},
		{"max_calls", c.limitsCalls()},
	} {
		if x.used {
			keys = append(keys, x.key)
		}
	}
	return keys
}
