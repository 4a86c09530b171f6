package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// A Format reads the test cases of another tool.
type Format struct {
	// Matches are the words for [Set.Match], and Arguments those for [Set.Arguments], the default first.
	Matches, Arguments []string
	// Read adds the cases of a file.
	Read func(set *Set, text []byte) error
	// metric is the metric that scores as the other tool does. It is nil if the cases name their metrics.
	metric func(set *Set) method
}

// Formats are all formats by their names.
var Formats = map[string]Format{
	"adk":        {[]string{"EXACT", "IN_ORDER", "ANY_ORDER"}, []string{"exact", "ignore"}, readADK, metricADK},
	"agentevals": {[]string{"strict", "unordered", "subset", "superset"}, []string{"exact", "ignore", "subset", "superset"}, readAgentevals, metricAgentevals},
	"deepeval":   {nil, nil, readDeepEval, metricDeepEval},
	"promptfoo":  {nil, nil, readPromptfoo, nil},
}

// A method is a method of a metric, with the keys and values of its options.
type method struct {
	name    string
	options []any
	// lenient says that every run passes where nothing is expected.
	lenient bool
}

// A Set has the cases of some files.
type Set struct {
	Cases []Case
	// Match is how the other tool compares lists: ADK's match_type, or agentevals' trajectory_match_mode. Arguments is agentevals'
	// tool_args_match_mode, or ignore for ADK's ignore_args. Empty is the default.
	Match, Arguments string
	// File is the dataset that has the cases. Empty: the configuration has them.
	File string

	notes []string
}

// A Case is one test case, or what one metric expects of it, in the keys of an expectation.
type Case struct {
	Key string `json:"key,omitempty"`
	// Name is that of the expectation. Empty: the key.
	Name string `json:"name,omitempty"`
	When string `json:"when,omitempty"`
	// Metrics has the metric that the case is for, which has a method. Empty: the only one.
	Metrics []string `json:"metrics,omitempty"`
	method  method
	// Tools are expected. nil: nothing is said of them.
	Tools     []Tool         `json:"tools,omitzero"`
	Forbidden []Tool         `json:"forbidden,omitzero"`
	MaxCalls  map[string]int `json:"max_calls,omitempty"`
	// Turns are those of a conversation, in place of the tools.
	Turns []Turn `json:"turns,omitempty"`
}

// A Turn is one of a conversation.
type Turn struct {
	Tools []Tool `json:"tools"`
}

// A Tool is an expected tool. Arguments and Output are JSON, and nil if nothing is said of them.
type Tool struct {
	Name      string          `json:"name"`
	Count     *Count          `json:"count,omitempty"` // nil: one call
	Arguments json.RawMessage `json:"arguments,omitzero"`
	// Match is how the arguments are compared. Empty is as the metric does.
	Match string `json:"arguments_match,omitempty"`
	// Ignore are keys of arguments that are not compared.
	Ignore []string        `json:"ignore_arguments,omitempty"`
	Output json.RawMessage `json:"output,omitzero"`
}

// A Count is how many calls are expected at least.
type Count struct {
	Min int `json:"min"`
}

// Keys counts the test cases.
func (s *Set) Keys() int {
	keys := map[string]bool{}
	for _, c := range s.Cases {
		keys[c.Key] = true
	}
	return len(keys)
}

// note notes what cannot be imported.
func (s *Set) note(what string) { s.notes = append(s.notes, what) }

// Notes say what could not be imported, and how often.
func (s *Set) Notes() (notes []string) {
	times := map[string]int{}
	for _, what := range s.notes {
		times[what]++
	}
	for _, what := range slices.Sorted(maps.Keys(times)) {
		notes = append(notes, fmt.Sprintf("%d x %s", times[what], what))
	}
	return notes
}

// Mixed reports whether the cases of the format name their metrics, so that they are no dataset.
func (f Format) Mixed() bool { return f.metric == nil }

// YAML writes a collector configuration with an expectation for each case, for the runs whose own span has the case's key in an
// attribute. An empty attribute is for a single case that all runs are of.
func (s *Set) YAML(w io.Writer, f Format, attribute, head string) error {
	metrics := yamlMap()
	if f.Mixed() {
		added := map[string]bool{}
		for _, c := range s.Cases {
			if name := c.Metrics[0]; !added[name] {
				added[name] = true
				metrics.push(name, c.method.yaml())
			}
		}
	} else {
		metrics.push("tool_correctness", f.metric(s).yaml())
	}
	expectations, err := s.expectations(attribute)
	if err != nil {
		return err
	}
	if notes := s.Notes(); len(notes) > 0 {
		head += "\nNot imported:\n  " + strings.Join(notes, "\n  ")
	}
	section := yamlMap()
	if slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Turns != nil }) {
		section.push("run", yamlMap("scope", "conversation"))
	}
	section.push("metrics", metrics)
	section.push("expectations", expectations)
	return writeConfig(w, section, head)
}

func (m method) yaml() node { return yamlMap(m.name, yamlMap(m.options...)) }

// expectations are one for each case, or one for the dataset with all of them.
func (s *Set) expectations(attribute string) (node, error) {
	list := yamlList()
	if s.File != "" {
		dataset := yamlMap("file", s.File, "key", fmt.Sprintf("attributes[%q]", attribute))
		list.push(yamlMap("name", "imported", "dataset", dataset, "unknown_key", "report"))
		return list, nil
	}
	taken := map[string]int{}
	for _, c := range s.Cases {
		c.Name = cmp.Or(c.Name, c.Key)
		if taken[c.Name]++; taken[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s (%d)", c.Name, taken[c.Name])
		}
		if attribute != "" {
			c.When = fmt.Sprintf("attributes[%q] == %q", attribute, c.Key)
		}
		key := c.Key
		c.Key = "" // it is in the condition
		text, err := json.Marshal(c)
		if err != nil {
			return list, fmt.Errorf("case %q: %w", key, err)
		}
		list.push(yamlJSON(text))
	}
	return list, nil
}

// Check is the error that two cases have the same key, because a run could not tell which one it is of. It notes cases that expect
// nothing and would be passed by every run.
func (s *Set) Check(f Format) error {
	seen := map[string]bool{}
	for _, c := range s.Cases {
		key := c.Key + strings.Join(c.Metrics, " ")
		if seen[key] {
			return fmt.Errorf("two cases have the key %q, and a run could not tell which one it is of", c.Key)
		}
		seen[key] = true
		if !f.Mixed() && len(c.Tools) == 0 && f.metric(s).lenient {
			s.note("no tools: such a case is passed whatever is called, there as well; `forbidden: [\"*\"]` refuses all calls")
		}
	}
	return nil
}

// Lines writes the cases as a dataset, one a line.
func (s *Set) Lines(w io.Writer) error { return report.Lines(w, s.Cases) }

// values are the JSON values of a text: the elements of one list, or one value a line.
func values(text []byte) (all []json.RawMessage, err error) {
	text = bytes.TrimPrefix(bytes.TrimSpace(text), []byte("\uFEFF"))
	if bytes.HasPrefix(text, []byte("[")) && json.Unmarshal(text, &all) == nil {
		return all, nil
	}
	all = nil
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		var value json.RawMessage
		err := d.Decode(&value)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("number %d is no JSON: %w", len(all)+1, err)
		}
		all = append(all, value)
	}
}

// An object is a JSON object whose keys may be written in snake_case or in camelCase.
type object map[string]json.RawMessage

// UnmarshalJSON gives keys their names in snake_case.
func (o *object) UnmarshalJSON(text []byte) error {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return err
	}
	*o = object{}
	for key, value := range raw {
		if string(value) != "null" {
			(*o)[snake(key)] = value
		}
	}
	return nil
}

var capital = regexp.MustCompile("[A-Z]")

func snake(key string) string {
	return capital.ReplaceAllStringFunc(key, func(c string) string { return "_" + strings.ToLower(c) })
}

// get decodes the value of a key, if there is one.
func (o object) get(key string, to any) error {
	value, has := o[key]
	if !has {
		return nil
	}
	if err := json.Unmarshal(value, to); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// text is the text of a key; empty without one.
func (o object) text(key string) string {
	var s string
	if json.Unmarshal(o[key], &s) != nil {
		return ""
	}
	return s
}

// noArguments are those of a call that says nothing of them.
var noArguments = json.RawMessage("{}")

// first is the value of the first of the keys that has one.
func (o object) first(otherwise json.RawMessage, keys ...string) json.RawMessage {
	for _, key := range keys {
		if o[key] != nil {
			return o[key]
		}
	}
	return otherwise
}

// tool is a tool by its name, with these arguments.
func (o object) tool(arguments json.RawMessage) (Tool, error) {
	t := Tool{Name: o.text("name"), Arguments: arguments}
	switch {
	case t.Name == "":
		return t, errors.New("a tool has no name")
	case arguments != nil && !json.Valid(arguments):
		return t, errors.New("its arguments are no JSON")
	}
	return t, nil
}

// rest notes the keys that are not understood and say something.
func (s *Set) rest(where string, o object, known ...string) {
	for key, value := range o {
		empty := slices.Contains([]string{"null", `""`, "[]", "{}"}, string(value))
		if !empty && !slices.Contains(known, key) {
			s.note(where + "." + key)
		}
	}
}

// native is the native method with an order and further options. The other tools compare lists and know no times, so calls in
// parallel are ordered too.
func native(order string, options ...any) method {
	first := []any{"order", order}
	if order != "any" {
		first = append(first, "concurrent", "as_started")
	}
	return method{name: "native", options: append(first, options...)}
}
