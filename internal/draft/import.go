package draft

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// options are those of a method by their keys, or the options of a metric's method by its name.
type options map[string]any

// A section is that of the processor in a configuration.
type section struct {
	Run          options `json:"run,omitempty"`
	Metrics      options `json:"metrics"`
	Expectations any     `json:"expectations"`
}

// A Set has the cases of some files.
type Set struct {
	Cases []Case
	// Match is how the other tool compares lists: ADK's match_type, or agentevals' trajectory_match_mode. Arguments is agentevals'
	// tool_args_match_mode, or ignore for ADK's ignore_args. Empty is the default.
	Match, Arguments string
	// File is the dataset that has the cases. Empty: the configuration has them.
	File string

	notes map[string]int // how often there is what cannot be imported
}

// A Case is one test case, or what one metric expects of it, in the keys of an expectation.
type Case struct {
	Key string `json:"key,omitempty"`
	// Name is that of the expectation. Empty: the key.
	Name string `json:"name,omitempty"`
	When string `json:"when,omitempty"`
	// Metrics has the metric that the case is for, whose method has these options. Empty: the only one.
	Metrics []string `json:"metrics,omitempty"`
	native  options
	// Tools are expected. nil: nothing is said of them.
	Tools     []Tool         `json:"tools,omitzero"`
	Forbidden []Tool         `json:"forbidden,omitzero"`
	MaxCalls  map[string]int `json:"max_calls,omitempty"`
	// Turns are those of a conversation, in place of the tools. Each has tools alone.
	Turns []Case `json:"turns,omitempty"`
}

// A Tool is an expected tool. Arguments and Output are values of JSON, and nil if nothing is said of them.
type Tool struct {
	Name      string `json:"name"`
	Arguments any    `json:"arguments,omitempty"`
	// Match is how the arguments are compared. Empty is as the metric does.
	Match string `json:"arguments_match,omitempty"`
	// Ignore are keys of arguments that are not compared.
	Ignore   []string `json:"ignore_arguments,omitempty"`
	Output   any      `json:"output,omitempty"`
	Optional bool     `json:"optional,omitempty"`
	Count    *Count   `json:"count,omitempty"` // nil: one call
}

// A Count is how many calls are expected at least and at most. 0 is no bound.
type Count struct {
	Min int `json:"min,omitempty"`
	Max int `json:"max,omitempty"`
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
func (s *Set) note(what string) {
	if s.notes == nil {
		s.notes = map[string]int{}
	}
	s.notes[what]++
}

// Notes say what could not be imported, and how often.
func (s *Set) Notes() (notes []string) {
	for _, what := range slices.Sorted(maps.Keys(s.notes)) {
		notes = append(notes, fmt.Sprintf("%d x %s", s.notes[what], what))
	}
	return notes
}

// YAML writes a collector configuration with an expectation for each case, for the runs whose own span has the case's key in an
// attribute. An empty attribute is for a single case that all runs are of.
func (s *Set) YAML(w io.Writer, f Format, attribute, head string) error {
	metrics := options{}
	if f.Mixed() {
		for _, c := range s.Cases {
			metrics[c.Metrics[0]] = options{"native": c.native}
		}
	} else {
		metrics["tool_correctness"] = f.metric(s)
	}
	if notes := s.Notes(); len(notes) > 0 {
		head += "\nNot imported:\n  " + strings.Join(notes, "\n  ")
	}
	x := section{Metrics: metrics, Expectations: s.expectations(attribute)}
	if slices.ContainsFunc(s.Cases, func(c Case) bool { return c.Turns != nil }) {
		x.Run = options{"scope": "conversation"}
	}
	return writeConfig(w, yamlOf(x), head)
}

// expectations are one for each case, or one for the dataset with all of them.
func (s *Set) expectations(attribute string) any {
	if s.File != "" {
		dataset := map[string]string{"file": s.File, "key": fmt.Sprintf("attributes[%q]", attribute)}
		return []any{map[string]any{"name": "imported", "dataset": dataset, "unknown_key": "report"}}
	}
	cases, taken := slices.Clone(s.Cases), map[string]int{}
	for i := range cases {
		c := &cases[i]
		c.Name = cmp.Or(c.Name, c.Key)
		if taken[c.Name]++; taken[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s (%d)", c.Name, taken[c.Name])
		}
		if attribute != "" {
			c.When = fmt.Sprintf("attributes[%q] == %q", attribute, c.Key)
		}
		c.Key = "" // it is in the condition
	}
	return cases
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
		if !f.Mixed() && len(c.Tools) == 0 && lenient(f.metric(s)) {
			s.note("no tools: such a case is passed whatever is called, there as well; `forbidden: [\"*\"]` refuses all calls")
		}
	}
	return nil
}

// native are options of the native method, by which a run passes or does not. The other tools compare lists and know no times, so calls in
// parallel are ordered too.
func native(order, arguments string) options {
	o := options{"order": order, "arguments": arguments, "score": "all_or_nothing", "threshold": 1}
	if order != "any" {
		o["concurrent"] = "as_started"
	}
	return o
}

// lenient reports whether every run passes a metric where nothing is expected.
func lenient(metric options) bool {
	o, _ := metric["native"].(options)
	return o["score"] == "all_or_nothing" && o["order"] != "exact" && o["extra_calls"] != "forbid"
}

// writeConfig writes a collector configuration with this section of the processor, below a comment. Texts stay what they are: a
// dollar, which a collector would take for the beginning of a variable's name, is doubled, and a comment cannot end early. Characters that
// are invisible or rearrange others are escaped, and load as they were.
func writeConfig(w io.Writer, section *yaml.Node, head string) error {
	var text bytes.Buffer
	e := yaml.NewEncoder(&text)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(map[string]map[string]*yaml.Node{"processors": {"tool_correctness": section}}), e.Close()); err != nil {
		return err
	}
	comment := "# " + strings.NewReplacer("\n", "\n# ", "\t", `\t`).Replace(head)
	whole := comment + "\n" + strings.ReplaceAll(text.String(), "$", "$$")
	_, err := w.Write(report.EscapeJSON([]byte(whole))) // hidden characters are only in the comment, and in texts in double quotes
	return err
}

// yamlOf is a value as YAML, with the keys that it has in JSON. Numbers stay as JSON has them.
func yamlOf(value any) *yaml.Node {
	text, _ := json.Marshal(value) // it has a form in JSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return yamlNext(d)
}

func yamlNext(d *json.Decoder) *yaml.Node {
	token, _ := d.Token() // it is JSON
	n := &yaml.Node{}
	switch token := token.(type) {
	case json.Delim:
		n.Kind = map[json.Delim]yaml.Kind{'{': yaml.MappingNode, '[': yaml.SequenceNode}[token]
		for d.More() {
			n.Content = append(n.Content, yamlNext(d)) // of a map, keys and values in turn
		}
		_, _ = d.Token() // the end
	case json.Number:
		n.Kind, n.Value = yaml.ScalarNode, token.String()
	default:
		_ = n.Encode(token) // it has a form in YAML
		if strings.ContainsFunc(n.Value, func(r rune) bool { return !strconv.IsPrint(r) }) {
			n.Style = yaml.DoubleQuotedStyle
		}
	}
	return n
}

// below is the value of a key of a map that has the key.
func below(n *yaml.Node, key string) *yaml.Node {
	at := 0
	for n.Content[at].Value != key {
		at += 2
	}
	return n.Content[at+1]
}
