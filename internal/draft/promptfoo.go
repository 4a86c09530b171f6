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

	"go.yaml.in/yaml/v3"
)

// readPromptfoo reads the tests of a promptfoo configuration: the whole of it, or a list of tests. Of their assertions it reads those on
// tool calls: trajectory:tool-used, trajectory:tool-sequence and trajectory:tool-args-match. Each is an expectation for a metric of its
// own, because promptfoo judges each one by itself.
func readPromptfoo(s *Set, text []byte) error {
	var document any
	err := yaml.Unmarshal(text, &document)
	if err == nil {
		text, err = json.Marshal(document)
	}
	if err != nil {
		return fmt.Errorf("no promptfoo tests: %w", err)
	}
	var file, defaults object
	var tests []json.RawMessage
	if bytes.HasPrefix(text, []byte("[")) {
		file = object{"tests": text}
	} else if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("no promptfoo tests: %w", err)
	}
	if file["tests"] == nil {
		return errors.New("no promptfoo tests: it has no tests")
	}
	if file.get("tests", &tests) != nil {
		tests = []json.RawMessage{file["tests"]}
	}
	if file.get("default_test", &defaults) != nil {
		s.note("defaultTest in another file")
	}
	s.rest("file", file, "$schema", "description", "tests", "default_test", "prompts", "providers", "targets",
		"tracing", "output_path", "env", "command_line_options", "evaluate_options", "sharing", "tags", "metadata", "nunjucks_filters")
	s.rest("defaultTest", defaults, "vars", "assert", "metadata")
	for i, raw := range tests {
		var test object
		if json.Unmarshal(raw, &test) != nil || test["path"] != nil {
			s.note("tests in another file")
			continue
		}
		if err := s.testPromptfoo(cmp.Or(test.text("description"), fmt.Sprintf("test/%d", i+1)), test, defaults); err != nil {
			return fmt.Errorf("test %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) testPromptfoo(key string, test, defaults object) error {
	s.rest("test", test, "description", "vars", "assert", "metadata", "options", "provider", "providers", "prompts")
	if slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Key == key }) {
		s.note("test whose description another test has")
		return nil
	}
	var inherited, own []object
	if err := errors.Join(defaults.get("assert", &inherited), test.get("assert", &own)); err != nil {
		return err
	}
	var options struct{ DisableDefaultAsserts bool }
	if _ = test.get("options", &options); options.DisableDefaultAsserts { // what else options say is about prompts and models
		inherited = nil
	}
	uses, before := map[string]int{}, len(s.Cases) // how many assertions each metric has in the test
	for _, a := range slices.Concat(inherited, own) {
		x, err := assertion(a)
		var cannot errCannot
		if errors.As(err, &cannot) {
			s.note("assertion " + strings.TrimSpace(a.text("type")+" "+string(cannot)))
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.text("type"), err)
		}
		name := x.Metrics[0]
		x.Key, x.Name = key, key+": "+a.text("type")
		x.method, x.Metrics[0] = methodsPromptfoo[name], "tool_correctness."+name
		if uses[name]++; uses[name] > 1 { // a further one of the same kind in a test has a metric of its own
			x.Metrics[0] += fmt.Sprintf("_%d", uses[name])
		}
		s.Cases = append(s.Cases, x)
	}
	if len(s.Cases) == before {
		s.note("test without an assertion that is imported")
	}
	return nil
}

// methodsPromptfoo are the methods of the metrics of assertions.
var methodsPromptfoo = map[string]method{
	"tool_used":           yesOrNo("order", "any"),
	"tool_sequence":       yesOrNo("order", "in_order"),
	"tool_sequence_exact": yesOrNo("order", "exact"),
	"tool_args_match":     yesOrNo("order", "any", "arguments", "subset"),
}

// yesOrNo is the native method with some options, for a run that passes or does not.
func yesOrNo(options ...any) method {
	return method{name: "native", options: append(options, "score", "all_or_nothing", "threshold", 1)}
}

// errCannot says why an assertion is not imported.
type errCannot string

func (e errCannot) Error() string { return string(e) }

// template finds what promptfoo replaces before it compares: variables, and the content of files.
var template = regexp.MustCompile(`\{\{|\{%|"file://`)

// assertion is the case of an assertion, or an errCannot.
func assertion(a object) (Case, error) {
	kind, inverse := strings.CutPrefix(a.text("type"), "not-")
	read := map[string]func(assertedValue, bool) (Case, error){
		"trajectory:tool-used": toolUsed, "trajectory:tool-sequence": toolSequence, "trajectory:tool-args-match": toolArgsMatch,
	}[kind]
	var v assertedValue
	switch {
	case kind == "":
		return Case{}, errCannot("by reference")
	case read == nil:
		return Case{}, errCannot("")
	case template.Match(a["value"]):
		return Case{}, errCannot("with a template")
	case string(a["weight"]) == "0":
		return Case{}, errCannot("of weight 0, which always passes")
	}
	if err := a.get("value", &v); err != nil {
		return Case{}, fmt.Errorf("value must be a text, a list or a map: %w", err)
	}
	return read(v, inverse)
}

// An assertedValue is the value of an assertion: the name of a tool, a list of such values, or a map with more.
type assertedValue struct {
	Name, Pattern, Type, Mode string
	Min, Max                  *int
	Args, Arguments, Defaults json.RawMessage
	Ignore                    assertedNames
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

// assertedNames are written as a text or as a list of texts.
type assertedNames []string

// UnmarshalJSON takes both forms.
func (n *assertedNames) UnmarshalJSON(text []byte) error {
	if text[0] == '"' {
		text = slices.Concat([]byte("["), text, []byte("]"))
	}
	return json.Unmarshal(text, (*[]string)(n))
}

// tools are those of the steps, or the only one.
func (v assertedValue) tools() (tools []Tool, err error) {
	if v.Steps == nil {
		v.Steps = []assertedValue{v}
	}
	for _, step := range v.Steps {
		name := cmp.Or(step.Pattern, step.Name)
		switch {
		case name == "":
			return nil, errors.New("it must have a name or a pattern of each tool")
		case strings.Contains(name, "?"):
			return nil, errCannot("of a pattern with ?")
		case step.Type != "" && step.Type != "tool":
			return nil, errCannot("of steps that are no tools")
		}
		tools = append(tools, Tool{Name: name})
	}
	if tools == nil {
		return nil, errors.New("it must have a list of tools")
	}
	return tools, nil
}

// toolUsed expects each tool of a list to be called, or a tool to be called so often.
func toolUsed(v assertedValue, inverse bool) (x Case, err error) {
	x.Metrics = []string{"tool_used"}
	tools, err := v.tools()
	patterns := func(t Tool) bool { return strings.Contains(t.Name, "*") }
	switch {
	case err != nil:
		return x, err
	case inverse && (v.Min != nil || v.Max != nil):
		return x, errCannot("with min or max")
	case inverse:
		x.Forbidden = tools
		return x, nil
	case v.Min != nil || v.Max != nil:
		return x.counted(tools[0].Name, v)
	}
	for _, tool := range tools {
		if !slices.ContainsFunc(x.Tools, func(t Tool) bool { return t.Name == tool.Name }) { // else one call is enough for both
			x.Tools = append(x.Tools, tool)
		}
	}
	if len(x.Tools) > 1 && slices.ContainsFunc(x.Tools, patterns) {
		return x, errCannot("of several tools with a pattern: one call may be enough for two of them")
	}
	return x, nil
}

// counted adds calls of a tool, with the least and the greatest number that a value has. Without one, least is 1.
func (c Case) counted(name string, v assertedValue) (Case, error) {
	least := 1
	if v.Min != nil {
		least = *v.Min
	}
	switch {
	case v.Max == nil && least < 1:
		return c, errCannot("that every run passes")
	case v.Max != nil && *v.Max < max(least, 0):
		return c, errCannot("whose min is over its max: no run passes")
	case least > 0:
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

// toolSequence expects tools in their order, with other calls between them or without.
func toolSequence(v assertedValue, inverse bool) (x Case, err error) {
	x.Metrics = []string{"tool_sequence"}
	if v.Mode == "exact" {
		x.Metrics[0] = "tool_sequence_exact"
	}
	if x.Tools, err = v.tools(); err == nil && inverse {
		err = errCannot("")
	}
	return x, err
}

// mapInList finds a map inside of a list, in JSON without spaces: behind a colon is the value of a key.
var mapInList = regexp.MustCompile(`[\[,]\{`)

// toolArgsMatch expects a call of a tool with arguments.
func toolArgsMatch(v assertedValue, inverse bool) (x Case, err error) {
	x.Metrics = []string{"tool_args_match"}
	tools, err := v.tools()
	if err != nil {
		return x, err
	}
	tool := Tool{Name: tools[0].Name, Arguments: slices.Concat(v.Args, v.Arguments), Ignore: v.Ignore}
	if v.Mode == "exact" {
		tool.Match = "exact"
	}
	switch {
	case len(tool.Arguments) == 0:
		return x, errors.New("it must have args or arguments")
	case v.Mode != "" && v.Mode != "partial" && v.Mode != "exact":
		return x, fmt.Errorf("mode must be partial or exact, is %q", v.Mode)
	case tool.Arguments[0] != '{':
		return x, errCannot("whose arguments are no map")
	case v.Defaults != nil:
		return x, errCannot("with defaults")
	case tool.Match == "" && mapInList.Match(tool.Arguments):
		return x, errCannot("with a map in a list, which promptfoo compares in part and we as a whole")
	case slices.ContainsFunc(v.Ignore, func(name string) bool { return strings.ContainsAny(name, "?.[") }):
		return x, errCannot("that ignores a key with ?, . or [") // names of the outermost keys there, and paths here
	case inverse:
		x.Forbidden = []Tool{tool}
	default:
		x.Tools = []Tool{tool}
	}
	return x, nil
}
