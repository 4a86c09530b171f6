package draft

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// readPromptfoo reads the tests of a promptfoo configuration: the whole of it, or a list of tests. Each trajectory assertion of a
// test is an expectation for a metric of its own, because promptfoo judges each one by itself.
func readPromptfoo(s *Set, text []byte) error {
	whole, err := yamlAsJSON(text)
	if err != nil {
		return fmt.Errorf("no promptfoo tests: %w", err)
	}
	var file, defaults object
	var templates map[string]object
	var tests []json.RawMessage
	if json.Unmarshal(whole, &tests) != nil {
		if err := json.Unmarshal(whole, &file); err != nil {
			return fmt.Errorf("no promptfoo tests: %w", err)
		}
		if file["tests"] == nil {
			return errors.New("no promptfoo tests: it has no tests")
		}
		if json.Unmarshal(file["tests"], &tests) != nil {
			tests = []json.RawMessage{file["tests"]}
		}
		if err := file.get("assertion_templates", &templates); err != nil {
			return err
		}
		if file["default_test"] != nil && json.Unmarshal(file["default_test"], &defaults) != nil {
			s.note("defaultTest in another file")
		}
		s.rest("file", file, "$schema", "description", "tests", "default_test", "assertion_templates", "prompts", "providers", "targets",
			"tracing", "output_path", "env", "command_line_options", "evaluate_options", "sharing", "tags", "metadata", "nunjucks_filters")
		s.rest("defaultTest", defaults, "vars", "assert", "metadata", "options")
	}
	for i, raw := range tests {
		if err := s.testPromptfoo(i, raw, defaults, templates); err != nil {
			return fmt.Errorf("test %d: %w", i+1, err)
		}
	}
	return nil
}

// A trajectory is what the assertions of a test share.
type trajectory struct {
	key  string
	vars map[string]json.RawMessage
	uses map[string]int // how many assertions each metric has in the test
	// templates are assertions of the file, by their names.
	templates map[string]object
}

func (s *Set) testPromptfoo(i int, raw json.RawMessage, defaults object, templates map[string]object) error {
	var test object
	if json.Unmarshal(raw, &test) != nil {
		s.note("tests in another file")
		return nil
	}
	if test["path"] != nil {
		s.note("tests that a program makes")
		return nil
	}
	s.rest("test", test, "description", "vars", "assert", "metadata", "options", "provider", "providers", "prompts")
	t := trajectory{key: cmp.Or(test.text("description"), fmt.Sprintf("test/%d", i+1)), uses: map[string]int{}, templates: templates}
	if slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Key == t.key }) {
		s.note("test whose description another test has")
		return nil
	}
	for _, o := range []object{defaults, test} { // variables in another file are left out, and so are the assertions that need them
		if o.text("vars") == "" {
			if err := o.get("vars", &t.vars); err != nil {
				return err
			}
		}
	}
	var options struct{ DisableDefaultAsserts bool }
	var inherited, own []json.RawMessage
	_ = test.get("options", &options) // what else options say is about prompts and models
	if !options.DisableDefaultAsserts {
		if err := defaults.get("assert", &inherited); err != nil {
			return fmt.Errorf("defaultTest.%w", err)
		}
	}
	if err := test.get("assert", &own); err != nil {
		return err
	}
	before := len(s.Cases)
	if err := s.assertions(&t, slices.Concat(inherited, own)); err != nil {
		return err
	}
	if len(s.Cases) == before {
		s.note("test without an assertion that is imported")
	}
	return nil
}

func (s *Set) assertions(t *trajectory, list []json.RawMessage) error {
	for _, raw := range list {
		var a object
		failed := json.Unmarshal(raw, &a) != nil
		if ref := a.text("$ref"); ref != "" {
			a = t.templates[strings.TrimPrefix(ref, "#/assertionTemplates/")]
		}
		kind := a.text("type")
		switch {
		case failed || a == nil || a["$ref"] != nil:
			s.note("assertion in another file")
		case kind == "":
			return errors.New("an assertion has no type")
		case kind == "assert-set" && a["threshold"] != nil:
			s.note("assert-set with a threshold")
		case kind == "assert-set": // without a threshold all must hold, as everywhere
			var inner []json.RawMessage
			if err := a.get("assert", &inner); err != nil {
				return err
			}
			if err := s.assertions(t, inner); err != nil {
				return err
			}
		case string(a["weight"]) == "0":
			s.note("assertion of weight 0, which always passes")
		default:
			if err := s.assertion(t, kind, a["value"]); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
		}
	}
	return nil
}

// errCannot says why an assertion is no expectation.
type errCannot string

func (e errCannot) Error() string { return string(e) }

// assertion adds the tools of an assertion, or a note if it has no equivalent.
func (s *Set) assertion(t *trajectory, kind string, value json.RawMessage) error {
	base, inverse := strings.CutPrefix(kind, "not-")
	read := assertionKinds[base]
	if read == nil {
		s.note("assertion " + kind)
		return nil
	}
	value, err := rendered(value, t.vars)
	if err != nil {
		s.note(fmt.Sprintf("assertion %s: %v", kind, err))
		return nil
	}
	var v assertedValue
	if json.Unmarshal(value, &v) != nil {
		return errors.New("value must be a text, a list or a map")
	}
	x, err := read(v, inverse)
	var cannot errCannot
	if errors.As(err, &cannot) {
		s.note(strings.TrimSpace(fmt.Sprintf("assertion %s %v", kind, cannot)))
		return nil
	}
	if err != nil {
		return err
	}
	x.Key, x.Name = t.key, t.key+": "+kind
	name := x.Metrics[0]
	x.method, x.Metrics[0] = methodsPromptfoo[name], "tool_correctness."+name
	if t.uses[name]++; t.uses[name] > 1 { // a further one of the same kind in a test has a metric of its own
		x.Metrics[0] += fmt.Sprintf("_%d", t.uses[name])
	}
	s.Cases = append(s.Cases, x)
	return nil
}

// yamlAsJSON is a YAML document as JSON. Dates and the keys of maps are texts.
func yamlAsJSON(text []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	asInJSON(&document)
	var value any
	if err := document.Decode(&value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

func asInJSON(n *yaml.Node) {
	for i, c := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0 && c.Tag != "!!merge"
		if c.Kind == yaml.ScalarNode && (key || c.Tag == "!!timestamp") {
			c.Tag = "!!str"
		}
		asInJSON(c)
	}
}

var (
	template = regexp.MustCompile(`\{\{|\{%|"file://`)
	variable = regexp.MustCompile(`\{\{-?\s*(\w+)\s*-?\}\}`)
)

// rendered is the value of an assertion with the variables of its test in place of {{ NAME }}. promptfoo does that in a text and in
// the texts of a list.
func rendered(value json.RawMessage, vars map[string]json.RawMessage) (json.RawMessage, error) {
	if !template.Match(value) {
		return value, nil
	}
	text := variable.ReplaceAllFunc(value, func(match []byte) []byte {
		v, has := vars[string(variable.FindSubmatch(match)[1])]
		switch {
		case !has:
			return match
		case v[0] == '"':
			return v[1 : len(v)-1]
		}
		return v // a list or a map is no part of a text, so that this is no JSON
	})
	if template.Match(text) || !json.Valid(text) || text[0] == '{' {
		return nil, errors.New("a template that needs promptfoo")
	}
	return text, nil
}
