package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The metrics of assertions, by their kinds.
const (
	toolUsed          = "tool_used"
	toolSequence      = "tool_sequence"
	toolSequenceExact = "tool_sequence_exact"
	toolArgsMatch     = "tool_args_match"
	stepCount         = "step_count"
)

// methodsPromptfoo are the methods of these metrics.
var methodsPromptfoo = map[string]method{
	toolUsed:          yesOrNo("order", "any"),
	toolSequence:      yesOrNo("order", "in_order"),
	toolSequenceExact: yesOrNo("order", "exact"),
	toolArgsMatch:     yesOrNo("order", "any", "arguments", "subset"),
	stepCount:         yesOrNo("order", "any"),
}

// yesOrNo is the native method with some options, for a run that passes or does not.
func yesOrNo(options ...any) method {
	return method{name: "native", options: append(options, "score", "all_or_nothing", "threshold", 1)}
}

// A matcher is how promptfoo names steps: by a name or a pattern, and perhaps by their type.
type matcher struct {
	Name, Pattern   string
	Type            any
	Min, Max        *int
	Args, Arguments json.RawMessage
	Mode            string
	Defaults        json.RawMessage
	Ignore          any
}

// readMatcher reads a matcher, and the name or the pattern of the tool in it.
func readMatcher(value json.RawMessage) (m matcher, tool string, err error) {
	if json.Unmarshal(value, &m.Name) != nil && (!bytes.HasPrefix(value, []byte("{")) || json.Unmarshal(value, &m) != nil) {
		return m, "", errors.New("value must be a text, a list or a map")
	}
	tool = cmp.Or(m.Pattern, m.Name)
	if err := checkTool(tool); err != nil {
		return m, "", err
	}
	if m.Type != nil && !m.tools() {
		return m, "", errCannot("of steps that are no tools")
	}
	return m, tool, nil
}

// checkTool checks the name or the pattern of a tool.
func checkTool(name string) error {
	switch {
	case name == "":
		return errors.New("it must have a name or a pattern")
	case strings.Contains(name, "?"):
		return errCannot("of a pattern with ?")
	}
	return nil
}

// tools reports whether the matcher is of tools alone.
func (m matcher) tools() bool {
	list, _ := m.Type.([]any)
	return m.Type == "tool" || len(list) == 1 && list[0] == "tool"
}

// readToolUsed expects each tool of a list to be called, or a tool to be called so often.
func readToolUsed(value json.RawMessage, inverse bool) (Case, error) {
	x := Case{Metrics: []string{toolUsed}, Tools: []Tool{}}
	var names []string
	if json.Unmarshal(value, &names) != nil {
		m, name, err := readMatcher(value)
		switch {
		case err != nil:
			return x, err
		case inverse && (m.Min != nil || m.Max != nil):
			return x, errCannot("with min or max")
		case inverse:
			x.Tools, x.Forbidden = nil, []Tool{{Name: name}}
			return x, nil
		}
		return x.counted(name, 1, m)
	}
	if len(names) == 0 {
		return x, errors.New("it must have a tool")
	}
	patterns := false
	for _, name := range names {
		if err := checkTool(name); err != nil {
			return x, err
		}
		patterns = patterns || strings.Contains(name, "*")
		if !slices.ContainsFunc(x.Tools, func(t Tool) bool { return t.Name == name }) { // else one call is enough for both
			x.Tools = append(x.Tools, Tool{Name: name})
		}
	}
	if inverse {
		x.Tools, x.Forbidden = nil, x.Tools
	} else if len(x.Tools) > 1 && patterns {
		return x, errCannot("of several tools with a pattern: one call may be enough for two of them")
	}
	return x, nil
}

// counted adds calls of a tool, with the least and the greatest number that a matcher has. Without one, least is the least.
func (c Case) counted(name string, least int, m matcher) (Case, error) {
	if m.Min != nil {
		least = *m.Min
	}
	switch {
	case m.Max != nil && *m.Max < max(least, 0):
		return c, errCannot("whose min is over its max: no run passes")
	case least == 1:
		c.Tools = append(c.Tools, Tool{Name: name})
	case least > 1:
		c.Tools = append(c.Tools, Tool{Name: name, Count: &Count{least}})
	case m.Max == nil:
		return c, errCannot("that every run passes")
	default:
		c.Tools = nil
	}
	switch {
	case m.Max != nil && *m.Max == 0:
		c.Forbidden = []Tool{{Name: name}}
	case m.Max != nil:
		c.MaxCalls = map[string]int{name: *m.Max}
	}
	return c, nil
}

// readToolSequence expects tools in their order, with other calls between them or without.
func readToolSequence(value json.RawMessage, inverse bool) (Case, error) {
	x := Case{Metrics: []string{toolSequence}, Tools: []Tool{}}
	var steps []json.RawMessage
	if json.Unmarshal(value, &steps) != nil {
		var sequence struct {
			Mode  string
			Steps []json.RawMessage
		}
		if err := json.Unmarshal(value, &sequence); err != nil {
			return x, errors.New("value must be a list, or a map with steps")
		}
		if steps = sequence.Steps; sequence.Mode == "exact" {
			x.Metrics[0] = toolSequenceExact
		}
	}
	if len(steps) == 0 {
		return x, errors.New("it must have a step")
	}
	for i, raw := range steps {
		_, name, err := readMatcher(raw)
		if err != nil {
			return x, fmt.Errorf("steps[%d]: %w", i, err)
		}
		x.Tools = append(x.Tools, Tool{Name: name})
	}
	if inverse {
		return x, errCannot("")
	}
	return x, nil
}

// readToolArgsMatch expects a call of a tool with arguments.
func readToolArgsMatch(value json.RawMessage, inverse bool) (Case, error) {
	x := Case{Metrics: []string{toolArgsMatch}}
	m, name, err := readMatcher(value)
	if err != nil {
		return x, err
	}
	tool := Tool{Name: name, Arguments: m.Args, Defaults: m.Defaults}
	if tool.Arguments == nil {
		tool.Arguments = m.Arguments
	}
	switch {
	case tool.Arguments == nil:
		return x, errors.New("it must have args or arguments")
	case !slices.Contains([]string{"", "partial", "exact"}, m.Mode):
		return x, fmt.Errorf("mode must be partial or exact, is %q", m.Mode)
	case m.Mode == "exact":
		tool.Match = "exact"
	}
	if tool.Ignore, err = m.ignored(); err != nil {
		return x, err
	}
	if err := comparableArguments(tool); err != nil {
		return x, err
	}
	if inverse {
		x.Forbidden = []Tool{tool}
	} else {
		x.Tools = []Tool{tool}
	}
	return x, nil
}

// ignored are the keys of arguments that are not compared. promptfoo has names of the outermost keys, and not paths.
func (m matcher) ignored() ([]string, error) {
	list, several := m.Ignore.([]any)
	if !several && m.Ignore != nil {
		list = []any{m.Ignore}
	}
	var names []string
	for _, entry := range list {
		name, _ := entry.(string)
		if strings.TrimSpace(name) == "" {
			return nil, errors.New("ignore must be a text, or a list of texts")
		}
		if strings.ContainsAny(name, "?.[") {
			return nil, errCannot("that ignores a key with ?, . or [")
		}
		names = append(names, name)
	}
	return names, nil
}

// comparableArguments says what of a tool's arguments the native method compares in another way.
func comparableArguments(t Tool) error {
	var expected, defaults map[string]json.RawMessage
	var whole any
	if json.Unmarshal(t.Arguments, &expected) != nil {
		return errCannot("whose arguments are no map")
	}
	if t.Defaults != nil && json.Unmarshal(t.Defaults, &defaults) != nil {
		return errors.New("defaults must be a map")
	}
	for key, value := range defaults {
		if string(expected[key]) == string(value) {
			return errCannot("that expects a default value: promptfoo takes it away from the call")
		}
	}
	_ = json.Unmarshal(t.Arguments, &whole) // it is JSON, and its numbers do not matter
	if t.Match == "" && mapInList(whole, false) {
		return errCannot("with a map in a list, which promptfoo compares in part and we as a whole")
	}
	return nil
}

// mapInList reports whether a value has a map inside of a list.
func mapInList(value any, inside bool) bool {
	switch value := value.(type) {
	case []any:
		return slices.ContainsFunc(value, func(v any) bool { return mapInList(v, true) })
	case map[string]any:
		return inside || slices.ContainsFunc(slices.Collect(maps.Values(value)), func(v any) bool { return mapInList(v, false) })
	}
	return false
}

// readStepCount bounds how many calls of tools there are. Other steps are no calls.
func readStepCount(value json.RawMessage, inverse bool) (Case, error) {
	x := Case{Metrics: []string{stepCount}, Tools: []Tool{}}
	var m matcher
	switch {
	case json.Unmarshal(value, &m) != nil || !bytes.HasPrefix(value, []byte("{")):
		return x, errors.New("value must be a map")
	case m.Min == nil && m.Max == nil:
		return x, errors.New("it must have min or max")
	case !m.tools():
		return x, errCannot("of steps that are no tools")
	case inverse:
		return x, errCannot("")
	}
	name := cmp.Or(m.Pattern, m.Name, "*")
	if err := checkTool(name); err != nil {
		return x, err
	}
	return x.counted(name, 0, m)
}
