package draft

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readPromptfoo reads the tests of a promptfoo configuration: the whole of it, or a list of tests. Of their assertions it reads those on
// tool calls: trajectory:tool-used, trajectory:tool-sequence and trajectory:tool-args-match. Each is an expectation for a metric of its
// own, because promptfoo judges each one by itself.
func readPromptfoo(s *Set, content []byte) error {
	var document any
	err := yaml.Unmarshal(content, &document)
	if err == nil {
		content, err = json.Marshal(document)
	}
	if err != nil {
		return fmt.Errorf("no promptfoo tests: %w", err)
	}
	tests, _ := values(content) // it is JSON
	var defaults any
	if _, list := document.([]any); !list && tests != nil {
		file := tests[0]
		s.rest("file", file, "$schema description tests default_test prompts providers targets"+
			" tracing output_path env command_line_options evaluate_options sharing tags metadata nunjucks_filters")
		tests = listed(get(file, "tests"))
		if defaults = get(file, "default_test"); text(file, "default_test") != "" {
			s.note("defaultTest in another file")
		}
		s.rest("defaultTest", defaults, "vars assert metadata")
	}
	if tests == nil {
		return errors.New("no promptfoo tests: it has no tests")
	}
	for i, test := range tests {
		if _, is := test.(map[string]any); !is || get(test, "path") != nil {
			s.note("tests in another file")
			continue
		}
		if err := s.testPromptfoo(cmp.Or(text(test, "description"), fmt.Sprintf("test/%d", i+1)), test, defaults); err != nil {
			return fmt.Errorf("test %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) testPromptfoo(key string, test, defaults any) error {
	s.rest("test", test, "description vars assert metadata options provider providers prompts")
	if slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Key == key }) {
		s.note("test whose description another test has")
		return nil
	}
	asserts, err := objects(defaults, "assert")
	own, wrong := objects(test, "assert")
	if err := cmp.Or(err, wrong); err != nil {
		return err
	}
	if get(get(test, "options"), "disable_default_asserts") == true { // what else options say is about prompts and models
		asserts = nil
	}
	uses, before := map[string]int{}, len(s.Cases) // how many assertions each metric has in the test
	for _, a := range append(asserts, own...) {
		x, cannot := assertion(a)
		if cannot != "" {
			s.note(strings.TrimSpace("assertion "+text(a, "type")) + " " + cannot)
			continue
		}
		x.Key, x.Name = key, key+": "+text(a, "type")
		metric := &x.Metrics[0]
		if uses[*metric]++; uses[*metric] > 1 { // a further one of the same kind in a test has a metric of its own
			*metric += fmt.Sprintf("_%d", uses[*metric])
		}
		s.Cases = append(s.Cases, x)
	}
	if len(s.Cases) == before {
		s.note("test without an assertion that is imported")
	}
	return nil
}

// Why an assertion is not imported.
const (
	otherForm     = "with a value of another form"
	noEquivalent  = "that no expectation can say"
	alwaysOrNever = "that every run passes, or none"
)

// template finds what promptfoo replaces before it compares: variables, and the content of files.
var template = regexp.MustCompile(`\{\{|\{%|"file://`)

// assertion is the case of an assertion, or why it is not imported.
func assertion(a any) (x Case, cannot string) {
	kind, inverse := strings.CutPrefix(text(a, "type"), "not-")
	read := map[string]func(*Case, any, []Tool, bool) string{
		"trajectory:tool-used": toolUsed, "trajectory:tool-sequence": toolSequence, "trajectory:tool-args-match": toolArgsMatch,
	}[kind]
	value := get(a, "value")
	said, _ := json.Marshal(value) // it was JSON
	switch {
	case kind == "":
		return x, "by reference"
	case read == nil:
		return x, "of another kind"
	case template.Match(said):
		return x, "with a template"
	case get(a, "weight") == json.Number("0"):
		return x, alwaysOrNever
	}
	x.Metrics = []string{"tool_correctness." + strings.ReplaceAll(strings.TrimPrefix(kind, "trajectory:"), "-", "_")}
	x.native = options{"order": "any", "score": "all_or_nothing", "threshold": 1} // a run passes or does not
	tools, cannot := steps(value)
	if cannot == "" {
		cannot = read(&x, value, tools, inverse)
	}
	return x, cannot
}

// steps are the tools of a value: the name of a tool, a map with its name or a pattern, a list of both, or a map with such a list.
func steps(value any) (tools []Tool, cannot string) {
	for _, step := range listed(cmp.Or(get(value, "steps"), value)) {
		name, _ := step.(string)
		name = cmp.Or(name, text(step, "pattern", "name"))
		if strings.Contains(name, "?") || cmp.Or(text(step, "type"), "tool") != "tool" {
			return nil, noEquivalent
		}
		if name == "" {
			return nil, otherForm
		}
		tools = append(tools, Tool{Name: name})
	}
	if tools == nil {
		return nil, otherForm
	}
	return tools, ""
}

// toolUsed expects each tool of a list to be called, or a tool to be called so often.
func toolUsed(x *Case, value any, tools []Tool, inverse bool) (cannot string) {
	const unbounded = math.MaxInt
	bounds := struct{ Min, Max int }{1, unbounded}
	said, _ := json.Marshal(value) // it was JSON
	err := json.Unmarshal(said, &bounds)
	least, most, counted := bounds.Min, bounds.Max, get(value, "min") != nil || get(value, "max") != nil
	switch {
	case inverse && counted:
		return noEquivalent
	case counted && (err != nil || least < 0 || most < 0): // no whole numbers
		return otherForm
	case least > most, least == 0 && most == unbounded:
		return alwaysOrNever
	case inverse, most == 0:
		x.Forbidden = tools
	case counted && least > 0:
		x.Tools = []Tool{{Name: tools[0].Name, Count: &Count{Min: least}}}
	case !counted:
		for _, tool := range tools {
			if !slices.ContainsFunc(x.Tools, func(t Tool) bool { return t.Name == tool.Name }) { // else one call is enough for both
				x.Tools = append(x.Tools, tool)
			}
		}
		if len(x.Tools) > 1 && slices.ContainsFunc(x.Tools, func(t Tool) bool { return strings.Contains(t.Name, "*") }) {
			return noEquivalent // one call may be enough for two of them
		}
	}
	if 0 < most && most < unbounded {
		x.MaxCalls = map[string]int{tools[0].Name: most}
	}
	return ""
}

// toolSequence expects tools in their order, with other calls between them or without.
func toolSequence(x *Case, value any, tools []Tool, inverse bool) (cannot string) {
	if inverse {
		return noEquivalent
	}
	x.Tools, x.native["order"] = tools, "in_order"
	if text(value, "mode") == "exact" {
		x.Metrics[0] += "_exact"
		x.native["order"] = "exact"
	}
	return ""
}

// mapInList finds a map inside of a list, in JSON without spaces: behind a colon is the value of a key. promptfoo compares such a map in part,
// and we as a whole.
var mapInList = regexp.MustCompile(`[\[,]\{`)

// toolArgsMatch expects a call of a tool with arguments.
func toolArgsMatch(x *Case, value any, tools []Tool, inverse bool) (cannot string) {
	x.native["arguments"] = "subset"
	tool := tools[0]
	tool.Arguments = cmp.Or(get(value, "args"), get(value, "arguments"))
	if text(value, "mode") == "exact" {
		tool.Match = "exact"
	}
	for _, key := range listed(get(value, "ignore")) {
		name, is := key.(string)
		if !is {
			return otherForm
		}
		if strings.ContainsAny(name, "?.[") { // names of the outermost keys there, and paths here
			return noEquivalent
		}
		tool.Ignore = append(tool.Ignore, name)
	}
	said, _ := json.Marshal(tool.Arguments) // it was JSON
	_, pairs := tool.Arguments.(map[string]any)
	switch {
	case !pairs || !slices.Contains([]string{"", "partial", "exact"}, text(value, "mode")):
		return otherForm
	case get(value, "defaults") != nil, tool.Match == "" && mapInList.Match(said):
		return noEquivalent
	case inverse:
		x.Forbidden = []Tool{tool}
	default:
		x.Tools = []Tool{tool}
	}
	return ""
}
