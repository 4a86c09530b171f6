package expect

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// An Expectation is what is expected of a run, as it was written.
type Expectation struct {
	Tools     []Tool
	AnyOf     [][]Tool
	Forbidden []Tool
	// MaxCalls is a whole number, or a map from names of tools to one. Nil says nothing.
	MaxCalls any
	// MaxRepeats is how often a call may be made with the same name and arguments. Nil says nothing.
	MaxRepeats *int
	// Allowed names the tools that may be called besides the expected ones. Nil says nothing.
	Allowed []string
	// Turns are what is expected of each turn of a conversation, and TurnsScore is how their scores become one: mean or all.
	Turns      []Turn
	TurnsScore string
	// FromAttribute and Dataset say that the expected tools stand in an attribute of the anchor, or in a file of cases.
	FromAttribute, Dataset bool
}

// A Turn is what is expected of one turn of a conversation.
type Turn struct {
	Tools      []Tool   `mapstructure:"tools,omitempty"`
	AnyOf      [][]Tool `mapstructure:"any_of,omitempty"`
	Forbidden  []Tool   `mapstructure:"forbidden,omitempty" json:",omitempty"`
	Allowed    []string `mapstructure:"allowed,omitempty" json:",omitzero"`
	MaxCalls   any      `mapstructure:"max_calls,omitempty" json:",omitempty"`
	MaxRepeats *int     `mapstructure:"max_repeats,omitempty" json:",omitempty"`
}

func (t *Turn) expectation() *Expectation {
	return &Expectation{Tools: t.Tools, AnyOf: t.AnyOf, Forbidden: t.Forbidden, Allowed: t.Allowed, MaxCalls: t.MaxCalls, MaxRepeats: t.MaxRepeats}
}

// The values of turns_score, the default first.
const (
	MeanOfTurns = "mean"
	AllTurns    = "all"
)

// A Tool is an expected tool. In YAML a plain string is a tool with that name.
type Tool struct {
	Name string `mapstructure:"name,omitempty"`

	// AnyOf are alternatives to Name.
	AnyOf []string `mapstructure:"any_of,omitempty"`

	// Arguments is a map, or a string with a JSON object. The string keeps the order of keys and the form of numbers.
	Arguments any `mapstructure:"arguments,omitempty"`

	// Output is any value. A string is a text, not JSON.
	Output any `mapstructure:"output,omitempty"`

	// ArgumentsMatch overrides the argument mode of the native method for this tool.
	ArgumentsMatch string `mapstructure:"arguments_match,omitempty"`

	// Count bounds how many calls are expected. Nil: exactly one.
	Count *Count `mapstructure:"count,omitempty"`

	// Optional tools may be called but need not be.
	Optional bool `mapstructure:"optional,omitempty"`

	// IgnoreArguments lists paths of argument keys that are never compared: "request_id", "meta.*", "lines[*].id".
	IgnoreArguments []string `mapstructure:"ignore_arguments,omitempty" json:",omitempty"`

	// ArgumentDefaults has values for keys that a call lacks. It has the forms of Arguments.
	ArgumentDefaults any `mapstructure:"argument_defaults,omitempty" json:",omitempty"`

	// Matchers say which values of a key of the arguments agree, by its path.
	Matchers map[string]Matcher `mapstructure:"matchers,omitempty" json:",omitempty"`

	// After names tools, or globs. Only calls that come after a call of each of them match.
	After []string `mapstructure:"after,omitempty" json:",omitempty"`

	// Where is an OTTL condition on a call: see package conditions. Only calls on which it holds match.
	Where string `mapstructure:"where,omitempty" json:",omitempty"`
}

// A Matcher has one rule, which says which values of a key agree.
type Matcher struct {
	// OneOf is a list of values, of which one must be equal.
	OneOf any `mapstructure:"one_of,omitempty" json:",omitempty"`

	// Near is a number, and Within how far another may be from it: a number, or a share such as 5%.
	Near   any `mapstructure:"near,omitempty" json:",omitempty"`
	Within any `mapstructure:"within,omitempty" json:",omitempty"`

	// Loose is a text. Case, spaces and punctuation do not count.
	Loose any `mapstructure:"loose,omitempty" json:",omitempty"`

	// AnyOrder is a list, whose elements may have any order.
	AnyOrder any `mapstructure:"any_order,omitempty" json:",omitempty"`

	// Optional lets a call lack the key.
	Optional bool `mapstructure:"optional,omitempty" json:",omitempty"`
}

// A Count bounds how often a tool is expected.
type Count struct {
	// Min is by default 1, or 0 for an optional tool.
	Min *int `mapstructure:"min,omitempty"`

	// Max is unlimited by default.
	Max *int `mapstructure:"max,omitempty"`
}

// MarshalJSON writes 1.0 and 1 differently, because they are different to some methods. So the fingerprints differ.
func (t Tool) MarshalJSON() ([]byte, error) {
	type plain Tool // has no MarshalJSON, which would call itself
	p := plain(t)
	for _, v := range []*any{&p.Arguments, &p.Output, &p.ArgumentDefaults} {
		if v == &p.ArgumentDefaults && *v == nil {
			continue // it is left out
		}
		text, err := configcheck.JSON(*v)
		if err != nil {
			return nil, err
		}
		*v = json.RawMessage(text)
	}
	return json.Marshal(p)
}

// Make compiles settings. It is nil for nil settings, or if there is an error.
func Make(errs *configcheck.Errors, settings *scoring.ExpectationSettings) *scoring.Expectation {
	if settings == nil {
		return nil
	}
	x, err := scoring.NewExpectation(*settings)
	if err != nil {
		errs.Join(err)
		return nil
	}
	return x
}

// Settings are what the expectation says itself. They are nil if the expected tools stand in an attribute or in a dataset, or if
// nothing is said. parser compiles conditions on calls, and may be nil if there are none.
func (x *Expectation) Settings(errs *configcheck.Errors, parser *conditions.Parser) *scoring.ExpectationSettings {
	var says []string
	for _, part := range []struct {
		key  string
		said bool
	}{
		{"tools", x.Tools != nil}, {"any_of", len(x.AnyOf) > 0}, {"forbidden", len(x.Forbidden) > 0}, {"allowed", x.Allowed != nil},
		{"max_calls", x.MaxCalls != nil}, {"max_repeats", x.MaxRepeats != nil}, {"turns", x.Turns != nil},
	} {
		if part.said {
			says = append(says, part.key)
		}
	}
	for _, source := range []struct {
		key  string
		used bool
	}{{"from_attribute", x.FromAttribute}, {"dataset", x.Dataset}} {
		if !source.used {
			continue
		}
		for _, key := range says {
			errs.Add(source.key, "must not be combined with `%s`", key)
		}
		if source.key == "from_attribute" && x.Dataset {
			errs.Add("dataset", "must not be combined with `from_attribute`")
		}
		return nil
	}
	if len(says) == 0 {
		errs.Add("", "says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`")
		return nil
	}
	if x.Turns != nil {
		return x.turns(errs, says, parser)
	}
	if x.TurnsScore != "" {
		errs.Add("turns_score", "is for an expectation with `turns`")
	}
	settings := &scoring.ExpectationSettings{
		Tools: tools(errs, "tools", x.Tools, parser), Forbidden: tools(errs, "forbidden", x.Forbidden, parser), Allowed: x.Allowed,
	}
	if configcheck.Given(&settings.MaxRepeats, x.MaxRepeats); x.MaxRepeats != nil && *x.MaxRepeats < 1 {
		errs.Add("max_repeats", "must be at least 1, is %d", *x.MaxRepeats)
		settings.MaxRepeats = 1
	}
	settings.MaxCalls, settings.MaxCallsOf = x.maxCalls(errs)
	for i, list := range x.AnyOf {
		settings.AnyOf = append(settings.AnyOf, tools(errs, fmt.Sprintf("any_of[%d]", i), list, parser))
	}
	return settings
}

// turns are the settings of an expectation with turns.
func (x *Expectation) turns(errs *configcheck.Errors, says []string, parser *conditions.Parser) *scoring.ExpectationSettings {
	for _, key := range says[:len(says)-1] {
		errs.Add("turns", "must not be combined with `%s`: a turn may have it", key)
	}
	if len(x.Turns) == 0 {
		errs.Add("turns", "must not be empty")
	}
	if x.TurnsScore != "" {
		errs.OneOf("turns_score", x.TurnsScore, MeanOfTurns, AllTurns)
	}
	settings := &scoring.ExpectationSettings{AllTurns: x.TurnsScore == AllTurns}
	for i := range x.Turns {
		if turn := x.Turns[i].expectation().Settings(errs.Under(fmt.Sprintf("turns[%d]", i)), parser); turn != nil {
			settings.Turns = append(settings.Turns, *turn)
		}
	}
	if settings.Turns == nil {
		return nil // there is an error
	}
	return settings
}

// tools converts a list of tools. A nil list stays nil, because an empty list means something else.
func tools(errs *configcheck.Errors, path string, stated []Tool, parser *conditions.Parser) []scoring.Tool {
	if stated == nil {
		return nil
	}
	list := make([]scoring.Tool, len(stated))
	for i := range stated {
		list[i] = stated[i].tool(errs.Under(path+"["+strconv.Itoa(i)+"]"), parser)
	}
	return list
}

func (t *Tool) tool(errs *configcheck.Errors, parser *conditions.Parser) scoring.Tool {
	to := scoring.Tool{Name: t.Name, Names: t.AnyOf, Optional: t.Optional, IgnoreArguments: t.IgnoreArguments, After: t.After}
	configcheck.Enum(errs, "arguments_match", t.ArgumentsMatch, &to.Match, scoring.Parse[scoring.ArgumentMode], scoring.Words[scoring.ArgumentMode]())
	if t.Count != nil {
		to.Count = t.Count.count(errs.Under("count"), t.Optional)
	}
	to.Arguments = errs.Arguments("arguments", t.Arguments)
	if defaults := errs.Arguments("argument_defaults", t.ArgumentDefaults); defaults.IsObject() {
		to.ArgumentDefaults = defaults // else there is an error
	}
	to.Output = errs.Output("output", t.Output)
	for _, path := range slices.Sorted(maps.Keys(t.Matchers)) {
		to.Matchers = append(to.Matchers, t.Matchers[path].matchers(errs.Under(fmt.Sprintf("matchers[%q]", path)), path)...)
	}
	if t.Where != "" {
		compiled, err := parser.Where(t.Where)
		if err != nil {
			errs.Add("where", "%v", err)
			return to
		}
		to.Where = compiled
	}
	return to
}

// matchers returns the matcher, or nothing if it does not have one rule.
func (m Matcher) matchers(errs *configcheck.Errors, path string) []scoring.Matcher {
	var list []scoring.Matcher
	for rule, value := range [...]any{scoring.OneOf: m.OneOf, scoring.Near: m.Near, scoring.Loose: m.Loose, scoring.InAnyOrder: m.AnyOrder} {
		if value != nil {
			rule := scoring.MatcherRule(rule) //nolint:gosec // it is one of four
			list = append(list, scoring.Matcher{Path: path, Rule: rule, Value: errs.Output(rule.String(), value), Within: m.within(), Optional: m.Optional})
		}
	}
	if len(list) != 1 {
		errs.Add("", "must have one of one_of, near, loose and any_order, has %d", len(list))
		return nil
	}
	return list
}

// within is Within as a text.
func (m Matcher) within() string {
	switch within := m.Within.(type) {
	case nil:
		return ""
	case string:
		return within
	case configcheck.RawJSON:
		return string(within)
	}
	text, err := configcheck.JSON(m.Within)
	if err != nil {
		return "no number"
	}
	return string(text)
}

func (c *Count) count(errs *configcheck.Errors, optional bool) scoring.Count {
	n := scoring.Count{Min: 1, Max: scoring.Unlimited}
	if optional {
		n.Min = 0
	}
	configcheck.Given(&n.Min, c.Min)
	configcheck.Given(&n.Max, c.Max)
	if c.Max != nil && *c.Max <= 0 {
		errs.Add("max", "must be at least 1, is %d (a tool that must not be called belongs under `forbidden`)", *c.Max)
	}
	return n
}

// maxCalls are the limit of all calls and the limits by tool, in the order of their names.
func (x *Expectation) maxCalls(errs *configcheck.Errors) (all *int, of []scoring.CallLimit) {
	if x.MaxCalls == nil {
		return nil, nil
	}
	if n, ok := configcheck.WholeNumber(x.MaxCalls); ok {
		return &n, nil
	}
	m, ok := configcheck.AsMap(x.MaxCalls)
	if !ok {
		errs.Add("max_calls", "must be a whole number, or a map from the name of a tool to one, is %s", configcheck.Describe(x.MaxCalls))
		return nil, []scoring.CallLimit{{Name: "*", Max: 1 << 30}} // a limit is stated, so no rule about missing ones applies
	}
	if len(m) == 0 {
		errs.Add("max_calls", "must not be an empty map")
	}
	for _, name := range slices.Sorted(maps.Keys(m)) {
		n, ok := configcheck.WholeNumber(m[name])
		if !ok {
			errs.Add(fmt.Sprintf("max_calls[%q]", name), "must be a whole number, is %s", configcheck.Describe(m[name]))
			continue
		}
		of = append(of, scoring.CallLimit{Name: name, Max: n})
	}
	return nil, of
}

// NativeOnly names the keys in use that only the native method understands, like [scoring.Expectation.NativeOnly]. It also works
// for an expectation with errors.
func (x *Expectation) NativeOnly() []string {
	if x.Turns != nil {
		var keys []string
		for i := range x.Turns {
			keys = append(keys, x.Turns[i].expectation().NativeOnly()...)
		}
		slices.Sort(keys)
		return slices.Compact(keys)
	}
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
		{"matchers", uses(func(t Tool) bool { return len(t.Matchers) > 0 })},
		{"after", uses(func(t Tool) bool { return len(t.After) > 0 })},
		{"where", uses(func(t Tool) bool { return t.Where != "" })},
		{"* in a name", uses(func(t Tool) bool { return starred(t.Name) || slices.ContainsFunc(t.AnyOf, starred) })},
		{"forbidden", len(x.Forbidden) > 0},
		{"max_calls", x.MaxCalls != nil},
		{"max_repeats", x.MaxRepeats != nil},
		{"allowed", x.Allowed != nil},
	} {
		if feature.used {
			keys = append(keys, feature.key)
		}
	}
	return keys
}
