package expectation

import (
	"slices"
	"strings"
)

// NativeOnly names the keys in use that only the native method understands, like [scoring.Expectation.NativeOnly].
// It also works for an expectation with errors.
func (x *Expectation) NativeOnly() []string {
	tools := slices.Concat(append(slices.Clone(x.AnyOf), x.Tools)...)
	uses := func(is func(Tool) bool) bool { return slices.ContainsFunc(tools, is) }
	starred := func(name string) bool { return strings.Contains(name, "*") }
	var keys []string
	for _, feature := range []struct {
		key  string
		used bool
	}{
		{"any_of", len(x.AnyOf) > 0 || uses(func(t Tool) bool { return len(t.AnyOf) > 0 })},
		{"count", uses(func(t Tool) bool { return t.Count != nil })},
		{"optional", uses(func(t Tool) bool { return t.Optional })},
		{"arguments_match", uses(func(t Tool) bool { return t.ArgumentsMatch != "" })},
		{"ignore_arguments", uses(func(t Tool) bool { return len(t.IgnoreArguments) > 0 })},
		{"argument_defaults", uses(func(t Tool) bool { return t.ArgumentDefaults != nil })},
		{"where", uses(func(t Tool) bool { return t.Where != "" })},
		{"* in a name", uses(func(t Tool) bool { return starred(t.Name) || slices.ContainsFunc(t.AnyOf, starred) })},
		{"forbidden", len(x.Forbidden) > 0},
		{"max_calls", x.limitsCalls()},
	} {
		if feature.used {
			keys = append(keys, feature.key)
		}
	}
	return keys
}
