package toolcorrectnessprocessor

import (
	"slices"
	"strings"
)

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
