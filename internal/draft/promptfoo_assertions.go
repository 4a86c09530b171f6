package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// assertionKinds read the values of assertions. inverse is for the kind behind not-.
var assertionKinds = map[string]func(v assertedValue, inverse bool) (Case, error){
	"trajectory:tool-used": readToolUsed, "trajectory:tool-sequence": readToolSequence,
	"trajectory:tool-args-match": readToolArgsMatch, "trajectory:step-count": readStepCount,
}

// methodsPromptfoo are the methods of the metrics of assertions, by their kinds.
var methodsPromptfoo = map[string]method{
	"tool_used":           yesOrNo("order", "any"),
	"tool_sequence":       yesOrNo("order", "in_order"),
	"tool_sequence_exact": yesOrNo("order", "exact"),
	"tool_args_match":     yesOrNo("order", "any", "arguments", "subset"),
	"step_count":          yesOrNo("order", "any"),
}

// yesOrNo is the native method with some options, for a run that passes or does not.
func yesOrNo(options ...any) method {
	return method{name: "native", options: append(options, "score", "all_or_nothing", "threshold", 1)}
}

// An assertedValue is the value of an assertion: the name of a tool, a list of such values, or a map with more.
type assertedValue struct {
	Name, Pattern, Mode       string
	Type, Ignore              any
	Min, Max                  *int
	Args, Arguments, Defaults json.RawMessage
	Steps                     []assertedValue
}

// UnmarshalJSON takes the three forms.
func (v *assertedValue) UnmarshalJSON(text []byte) error {
	type fields assertedValue
	switch text[0] {
	case '"':
		return json.Unmarshal(text, &v.Name)
	case '[':
		return json.Unmarshal(text, &v.Steps)
	}
	return json.Unmarshal(text, (*fields)(v))
}

// tool is the name or the pattern of a tool.
func (v assertedValue) tool() (Tool, error) {
	name := cmp.Or(v.Pattern, v.Name)
	switch {
	case name == "":
		return Tool{}, errors.New("it must have a name or a pattern")
	case strings.Contains(name, "?"):
		return Tool{}, errCannot("of a pattern with ?")
	case v.Type != nil && !v.ofTools():
		return Tool{}, errCannot("of steps that are no tools")
	}
	return Tool{Name: name}, nil
}

// ofTools reports whether the value is of tools alone.
func (v assertedValue) ofTools() bool {
	kind := fmt.Sprint(v.Type)
	return kind == "tool" || kind == "[tool]"
}

// tools are those of the steps.
func (v assertedValue) tools() ([]Tool, error) {
	if len(v.Steps) == 0 {
		return nil, errors.New("it must have a list of tools")
	}
	tools := make([]Tool, len(v.Steps))
	for i, step := range v.Steps {
		var err error
		if tools[i], err = step.tool(); err != nil {
			return nil, fmt.Errorf("steps[%d]: %w", i, err)
		}
	}
	return tools, nil
}

// readToolUsed expects each tool of a list to be called, or a tool to be called so often.
func readToolUsed(v assertedValue, inverse bool) (Case, error) {
	x := Case{Metrics: []string{"tool_used"}}
	var tools []Tool
	var err error
	if v.Steps != nil {
		tools, err = v.tools()
	} else {
		tools = make([]Tool, 1)
		tools[0], err = v.tool()
	}
	switch {
	case err != nil:
		return x, err
	case inverse && (v.Min != nil || v.Max != nil):
		return x, errCannot("with min or max")
	case inverse:
		x.Forbidden = tools
		return x, nil
	case v.Steps == nil:
		return x.counted(tools[0].Name, 1, v)
	}
	for _, tool := range tools {
		if !slices.ContainsFunc(x.Tools, func(t Tool) bool { return t.Name == tool.Name }) { // else one call is enough for both
			x.Tools = append(x.Tools, tool)
		}
	}
	if len(x.Tools) > 1 && slices.ContainsFunc(x.Tools, func(t Tool) bool { return strings.Contains(t.Name, "*") }) {
		return x, errCannot("of several tools with a pattern: one call may be enough for two of them")
	}
	return x, nil
}

// counted adds calls of a tool, with the least and the greatest number that a value has. Without one, least is the least.
func (c Case) counted(name string, least int, v assertedValue) (Case, error) {
	if v.Min != nil {
		least = *v.Min
	}
	switch {
	case v.Max != nil && *v.Max < max(least, 0):
		return c, errCannot("whose min is over its max: no run passes")
	case least < 1 && v.Max == nil:
		return c, errCannot("that every run passes")
	case least == 1:
		c.Tools = []Tool{{Name: name}}
	case least > 1:
		c.Tools = []Tool{{Name: name, Count: &Count{least}}}
	}
	switch {
	case v.Max != nil && *v.Max == 0:
		c.Forbidden = []Tool{{Name: name}}
	case v.Max != nil:
		c.MaxCalls = map[string]int{name: *v.Max}
	}
	return c, nil
}

// readToolSequence expects tools in their order, with other calls between them or without.
func readToolSequence(v assertedValue, inverse bool) (x Case, err error) {
	x.Metrics = []string{"tool_sequence"}
	if v.Mode == "exact" {
		x.Metrics[0] = "tool_sequence_exact"
	}
	if x.Tools, err = v.tools(); err == nil && inverse {
		err = errCannot("")
	}
	return x, err
}

// readToolArgsMatch expects a call of a tool with arguments.
func readToolArgsMatch(v assertedValue, inverse bool) (Case, error) {
	x := Case{Metrics: []string{"tool_args_match"}}
	tool, err := v.tool()
	if err != nil {
		return x, err
	}
	tool.Arguments, tool.Defaults = v.Args, v.Defaults
	if tool.Arguments == nil {
		tool.Arguments = v.Arguments
	}
	switch {
	case tool.Arguments == nil:
		return x, errors.New("it must have args or arguments")
	case !slices.Contains([]string{"", "partial", "exact"}, v.Mode):
		return x, fmt.Errorf("mode must be partial or exact, is %q", v.Mode)
	case v.Mode == "exact":
		tool.Match = "exact"
	}
	if tool.Ignore, err = v.ignored(); err != nil {
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
func (v assertedValue) ignored() (names []string, err error) {
	list, several := v.Ignore.([]any)
	if !several && v.Ignore != nil {
		list = []any{v.Ignore}
	}
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

// mapInList finds a map inside of a list, in JSON without spaces: behind a colon is the value of a key.
var mapInList = regexp.MustCompile(`[\[,]\{`)

// comparableArguments says what of a tool's arguments the native method compares in another way.
func comparableArguments(t Tool) error {
	var expected, defaults map[string]json.RawMessage
	if json.Unmarshal(t.Arguments, &expected) != nil {
		return errCannot("whose arguments are no map")
	}
	if t.Defaults != nil && json.Unmarshal(t.Defaults, &defaults) != nil {
		return errors.New("defaults must be a map")
	}
	for key, value := range defaults {
		if bytes.Equal(expected[key], value) {
			return errCannot("that expects a default value: promptfoo takes it away from the call")
		}
	}
	if t.Match == "" && mapInList.Match(t.Arguments) {
		return errCannot("with a map in a list, which promptfoo compares in part and we as a whole")
	}
	return nil
}

// readStepCount bounds how many calls of tools there are. Other steps are no calls.
func readStepCount(v assertedValue, inverse bool) (Case, error) {
	x := Case{Metrics: []string{"step_count"}}
	v.Name = cmp.Or(v.Pattern, v.Name, "*")
	tool, err := v.tool()
	switch {
	case v.Min == nil && v.Max == nil:
		return x, errors.New("it must have min or max")
	case !v.ofTools():
		return x, errCannot("of steps that are no tools")
	case err != nil:
		return x, err
	case inverse:
		return x, errCannot("")
	}
	return x.counted(tool.Name, 0, v)
}
