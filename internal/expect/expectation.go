package expect

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// An Expectation says for which runs it is, and which tools they are expected to call.
type Expectation struct {
	// The name that is written on spans with a verdict. By default it is the expectation's index.
	Name string `mapstructure:"name,omitempty"`

	// An OTTL condition in the span context. It is evaluated on the run's span. Without one, the expectation is for every run.
	When string `mapstructure:"when,omitempty"`

	// The names of the metrics that the expectation is for. By default it is for all metrics.
	Metrics []string `mapstructure:"metrics,omitempty"`

	// The expected tools. An empty list says that no tool is expected.
	Tools []Tool `mapstructure:"tools,omitempty"`

	// Alternative lists of tools, instead of `tools`. The list with the best score counts. Native method only.
	AnyOf [][]Tool `mapstructure:"any_of,omitempty"`

	// The attribute of the run's span that has the expected tools, instead of `tools`: a JSON array of tools, or a JSON object with
	// tools, any_of, forbidden, allowed, max_calls and max_repeats, of at most 256 KiB. It cannot have conditions (`where`).
	FromAttribute string `mapstructure:"from_attribute,omitempty"`

	// Many cases in a file, instead of `tools`. Each run finds its case by a key.
	Dataset *Dataset `mapstructure:"dataset,omitempty"`

	// What happens if no case has the run's key. next: the next expectation is tried. report: the run is not_evaluable, and the reason
	// says so. Only with `dataset`.
	UnknownKey string `mapstructure:"unknown_key,omitempty"`

	// Tools that must not be called. One such call makes the score 0. Native method only.
	Forbidden []Tool `mapstructure:"forbidden,omitempty"`

	// Names of the tools (* matches any characters) that may be called besides the expected ones. The score is multiplied by the share
	// of the calls that are neither. With extra_calls forbid or score all_or_nothing it is 0. Native method only.
	Allowed []string `mapstructure:"allowed,omitempty"`

	// How many calls a run may have, or a map from the name of a tool (* matches any characters) to the number of its calls. If there
	// are more, the score is 0. With 0 there may be none. Native method only.
	MaxCalls any `mapstructure:"max_calls,omitempty"`

	// How often a call may be made with the same name and arguments. If it is made more often, the score is 0. Native method only.
	MaxRepeats *int `mapstructure:"max_repeats,omitempty"`

	// What is expected of each turn of a conversation, in order, instead of `tools`. Each turn is scored by itself. A turn too many
	// scores 0. Only with run.scope conversation.
	Turns []Turn `mapstructure:"turns,omitempty"`

	// How the scores of the turns become one. mean is their average. all is 1 if each turn passes, else 0.
	TurnsScore string `mapstructure:"turns_score,omitempty"`
}

// A Dataset names a file of cases, and the key that finds the case of a run.
type Dataset struct {
	// The path of a file with a JSON case on each line, or a YAML list of cases if the name ends in .yaml or .yml. A case has a key, and
	// tools, any_of, forbidden, allowed, max_calls, max_repeats, turns and turns_score as in an expectation. The file is read again
	// when it changes.
	File string `mapstructure:"file,omitempty"`

	// An OTTL value in the span context, evaluated on the run's span.
	Key string `mapstructure:"key,omitempty"`
}

// own is what the expectation says besides its turns.
func (x *Expectation) own() *Turn {
	return &Turn{Tools: x.Tools, AnyOf: x.AnyOf, Forbidden: x.Forbidden, Allowed: x.Allowed, MaxCalls: x.MaxCalls, MaxRepeats: x.MaxRepeats}
}

// A Turn is what is expected of one turn of a conversation.
//
// A key that is nil says nothing.
type Turn struct {
	// The expected tools. An empty list says that no tool is expected.
	Tools []Tool `mapstructure:"tools,omitempty" json:"tools"`

	// Alternative lists of tools, as in an expectation.
	AnyOf [][]Tool `mapstructure:"any_of,omitempty" json:"any_of"`

	// Tools that must not be called in this turn.
	Forbidden []Tool `mapstructure:"forbidden,omitempty" json:"forbidden"`

	// Names of the tools that may be called besides the expected ones, as in an expectation.
	Allowed []string `mapstructure:"allowed,omitempty" json:"allowed"`

	// How many calls the turn may have, as in an expectation.
	MaxCalls any `mapstructure:"max_calls,omitempty" json:"max_calls"`

	// How often a call may be made in this turn with the same name and arguments.
	MaxRepeats *int `mapstructure:"max_repeats,omitempty" json:"max_repeats"`
}

// The values of turns_score, the default first.
const (
	MeanOfTurns = "mean"
	AllTurns    = "all"
)

// A Tool is the name of an expected tool, or a map with its name and what is expected of its calls.
type Tool struct {
	// The tool's name. With the native method, * matches any characters.
	Name string `mapstructure:"name,omitempty" json:"name"`

	// Alternative names, instead of `name`. Native method only.
	AnyOf []string `mapstructure:"any_of,omitempty" json:"any_of"`

	// The expected arguments: a map, or a string with a JSON object. The string keeps the order of keys and the digits of long numbers.
	// Without this key, all arguments are accepted.
	Arguments any `mapstructure:"arguments,omitempty" json:"arguments"`

	// The expected output. A string is a text, not JSON. Without this key, every output is accepted.
	Output any `mapstructure:"output,omitempty" json:"output"`

	// How this tool's arguments are compared, in place of the metric's option. Needs `arguments`. Native method only.
	ArgumentsMatch string `mapstructure:"arguments_match,omitempty" json:"arguments_match"`

	// How many calls are expected. By default one is. Native method only.
	Count *Count `mapstructure:"count,omitempty" json:"count"`

	// Whether the tool may be called but need not be. Native method only.
	Optional bool `mapstructure:"optional,omitempty" json:"optional"`

	// Keys of arguments that are never compared, by their paths: request_id, meta.*, lines[*].id. A * matches any characters. Needs
	// `arguments`. Native method only.
	IgnoreArguments []string `mapstructure:"ignore_arguments,omitempty" json:"ignore_arguments"`

	// A map, or a string with a JSON object. If a call lacks a key, the value here counts. Needs `arguments`. Native method only.
	ArgumentDefaults any `mapstructure:"argument_defaults,omitempty" json:"argument_defaults"`

	// A map from the path of a key of the arguments, such as city or address.city, to a rule that says which values agree. The key must
	// not be in `arguments` too, and counts as one of them. Native method only.
	Matchers map[string]Matcher `mapstructure:"matchers,omitempty" json:"matchers"`

	// Names of tools (* matches any characters). Only calls that come after a call of each of them match. Native method only.
	After []string `mapstructure:"after,omitempty" json:"after"`

	// An OTTL condition on the call. It reads name, arguments, output, status, duration, index, calls["NAME"].output, run.attributes,
	// run.resource.attributes and run.start_time. Only calls on which it holds match. Native method only.
	Where string `mapstructure:"where,omitempty" json:"where"`
}

// Shorthand says that a tool may be written as its name.
func (Tool) Shorthand() (key, want string) { return "name", "the name of a tool, or a map" }

// A Matcher says which values of a key agree. It has one of one_of, near, loose and any_order.
type Matcher struct {
	// A list of values. One of them must be equal.
	OneOf any `mapstructure:"one_of,omitempty" json:"one_of"`

	// A number. Numbers that are not further from it than `within` agree.
	Near any `mapstructure:"near,omitempty" json:"near"`

	// How far a number may be from `near`: a number, or a share of it such as 5%.
	Within any `mapstructure:"within,omitempty" json:"within"`

	// A text. Case, spaces and punctuation do not count; between two digits they count as one space.
	Loose any `mapstructure:"loose,omitempty" json:"loose"`

	// A list. The elements may have any order.
	AnyOrder any `mapstructure:"any_order,omitempty" json:"any_order"`

	// Whether a call that lacks the key agrees too.
	Optional bool `mapstructure:"optional,omitempty" json:"optional"`
}

// A Count bounds how often a tool is expected.
type Count struct {
	// The lowest number of calls. By default 1, and 0 for an optional tool.
	Min *int `mapstructure:"min,omitempty" json:"min"`

	// The highest number of calls. By default there is no limit.
	Max *int `mapstructure:"max,omitempty" json:"max"`
}

// MarshalJSON writes 1.0 and 1 differently, because they are different to some methods. So the fingerprints differ.
func (t Tool) MarshalJSON() ([]byte, error) {
	type plain Tool // has no MarshalJSON, which would call itself
	p := plain(t)
	errs := configcheck.New()
	for _, v := range []*any{&p.Arguments, &p.Output, &p.ArgumentDefaults} {
		*v = json.RawMessage(errs.JSON("", *v))
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// compile is nil for nil settings, or if there is an error.
func compile(errs *configcheck.Errors, settings *scoring.ExpectationSettings) *scoring.Expectation {
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

// says names the keys that say something.
func (t *Turn) says() (keys []string) {
	for _, part := range []struct {
		key  string
		said bool
	}{
		{"tools", t.Tools != nil}, {"any_of", len(t.AnyOf) > 0}, {"forbidden", len(t.Forbidden) > 0}, {"allowed", t.Allowed != nil},
		{"max_calls", t.MaxCalls != nil}, {"max_repeats", t.MaxRepeats != nil},
	} {
		if part.said {
			keys = append(keys, part.key)
		}
	}
	return keys
}

// settings are what the expectation says itself. They are nil if the expected tools stand in an attribute or in a dataset, or if
// nothing is said. parser compiles conditions on calls, and may be nil if there are none.
func (x *Expectation) settings(errs *configcheck.Errors, parser *conditions.Parser) *scoring.ExpectationSettings {
	stated := x.own().says()
	if x.FromAttribute != "" {
		stated = append(stated, "from_attribute")
	}
	if x.Turns != nil {
		stated = append(stated, "turns")
	}
	refuseOthers := func(key, why string) {
		for _, other := range stated {
			if other != key {
				errs.Add(key, "must not be combined with `%s`%s", other, why)
			}
		}
	}
	switch {
	case x.Dataset != nil:
		refuseOthers("dataset", "")
		return nil
	case x.FromAttribute != "":
		refuseOthers("from_attribute", "")
		return nil
	case x.Turns != nil:
		refuseOthers("turns", ": a turn may have it")
		return x.settingsOfTurns(errs, parser)
	}
	settings := x.own().settings(errs, parser)
	errs.Unless(settings == nil || x.TurnsScore == "", "turns_score", "is for an expectation with `turns`")
	return settings
}

func (x *Expectation) settingsOfTurns(errs *configcheck.Errors, parser *conditions.Parser) *scoring.ExpectationSettings {
	errs.Unless(len(x.Turns) > 0, "turns", "must not be empty")
	errs.OneOf("turns_score", cmp.Or(x.TurnsScore, MeanOfTurns), MeanOfTurns, AllTurns)
	settings := &scoring.ExpectationSettings{AllTurns: x.TurnsScore == AllTurns}
	for i := range x.Turns {
		if turn := x.Turns[i].settings(errs.Under(fmt.Sprintf("turns[%d]", i)), parser); turn != nil {
			settings.Turns = append(settings.Turns, *turn)
		}
	}
	if settings.Turns == nil {
		return nil // there is an error
	}
	return settings
}

func (t *Turn) settings(errs *configcheck.Errors, parser *conditions.Parser) *scoring.ExpectationSettings {
	if len(t.says()) == 0 {
		errs.Missing("says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden`, `allowed`, `max_calls`, `max_repeats` or `turns`")
		return nil
	}
	settings := &scoring.ExpectationSettings{
		Tools: tools(errs, "tools", t.Tools, parser), Forbidden: tools(errs, "forbidden", t.Forbidden, parser), Allowed: t.Allowed,
	}
	if t.MaxRepeats != nil {
		errs.Unless(*t.MaxRepeats >= 1, "max_repeats", "must be at least 1, is %d", *t.MaxRepeats)
		settings.MaxRepeats = max(1, *t.MaxRepeats)
	}
	settings.MaxCalls, settings.MaxCallsOf = t.maxCalls(errs)
	for i, list := range t.AnyOf {
		settings.AnyOf = append(settings.AnyOf, tools(errs, fmt.Sprintf("any_of[%d]", i), list, parser))
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
	configcheck.Enum(errs, "arguments_match", t.ArgumentsMatch, &to.Match)
	if t.Count != nil {
		to.Count = t.Count.count(errs.Under("count"), t.Optional)
	}
	to.Arguments = errs.Arguments("arguments", t.Arguments)
	to.ArgumentDefaults = errs.Arguments("argument_defaults", t.ArgumentDefaults)
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
	within := ""
	if m.Within != nil {
		within = fmt.Sprint(m.Within)
	}
	for rule, value := range [...]any{scoring.OneOf: m.OneOf, scoring.Near: m.Near, scoring.Loose: m.Loose, scoring.InAnyOrder: m.AnyOrder} {
		if value != nil {
			rule := scoring.MatcherRule(rule) //nolint:gosec // it is one of four
			list = append(list, scoring.Matcher{Path: path, Rule: rule, Value: errs.Output(rule.String(), value), Within: within, Optional: m.Optional})
		}
	}
	if len(list) != 1 {
		errs.Add("", "must have one of one_of, near, loose and any_order, has %d", len(list))
		return nil
	}
	return list
}

func (c *Count) count(errs *configcheck.Errors, optional bool) scoring.Count {
	n := scoring.Count{Min: 1, Max: scoring.Unlimited}
	if optional {
		n.Min = 0
	}
	n.Min = *cmp.Or(c.Min, &n.Min)
	n.Max = *cmp.Or(c.Max, &n.Max)
	errs.Unless(c.Max == nil || n.Max >= 1, "max", "must be at least 1, is %d (a tool that must not be called belongs under `forbidden`)", n.Max)
	return n
}

// maxCalls are the limit of all calls and the limits by tool, in the order of their names.
func (t *Turn) maxCalls(errs *configcheck.Errors) (all *int, of []scoring.CallLimit) {
	if t.MaxCalls == nil {
		return nil, nil
	}
	if n, ok := configcheck.WholeNumber(t.MaxCalls); ok {
		return &n, nil
	}
	m, ok := configcheck.AsMap(t.MaxCalls)
	if !ok {
		errs.Add("max_calls", "must be a whole number, or a map from the name of a tool to one, is %s", configcheck.Describe(t.MaxCalls))
		return nil, []scoring.CallLimit{{Name: "*", Max: 1 << 30}} // a limit is stated, so no rule about missing ones applies
	}
	errs.Unless(len(m) > 0, "max_calls", "must not be an empty map")
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
