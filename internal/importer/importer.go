package importer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/yamldoc"
)

// A Format reads the test cases of another tool.
type Format struct {
	Name string
	// Matches are the words for [Set.Match], and Arguments those for [Set.Arguments], the default first.
	Matches, Arguments []string
	// Read adds the cases of a file.
	Read func(set *Set, text []byte) error
	// metric is the metric that scores as the other tool does, as the options of one method. It is nil if the cases name their
	// metrics.
	metric func(set *Set) (method string, options [][2]string)
}

// Formats are all formats.
var Formats = []Format{
	{"adk", nil, nil, readADK, metricADK},
	{"agentevals", []string{"strict", "unordered", "subset", "superset"}, []string{"exact", "ignore", "subset", "superset"}, readAgentevals, metricAgentevals},
	{"azure", []string{"exact_match", "in_order_match", "any_order_match"}, nil, readAzure, metricAzure},
	{"deepeval", nil, nil, readDeepEval, metricDeepEval},
	{"langsmith", nil, nil, readLangSmith, metricLangSmith},
	{"promptfoo", nil, nil, readPromptfoo, nil},
	{"tau2", nil, nil, readTau2, metricTau2},
}

// A Set has the cases of some files.
type Set struct {
	Cases []Case
	// Match is how the other tool compares lists: ADK's match type (EXACT, IN_ORDER or ANY_ORDER), agentevals'
	// trajectory_match_mode or Azure's matching_mode. Empty is its default.
	Match string
	// Arguments is agentevals' tool_args_match_mode. Empty is exact.
	Arguments string
	// Pointer is where an example of LangSmith has its expected tools.
	Pointer string
	// IgnoreArguments is ADK's ignore_args.
	IgnoreArguments bool

	// File is the dataset that has the cases. Empty: the configuration has them.
	File string

	notes   map[string]int
	metrics []metric
}

// A metric has a name, and one method with its options.
type metric struct {
	name, method string
	options      [][2]string
}

// A Case is one test case, or what one metric expects of it.
type Case struct {
	Key string
	// Name is that of the expectation. Empty: the key.
	Name string
	// Metric is the metric that the case is for. Empty: the only one.
	Metric string
	// Tools are expected. nil: nothing is said of them.
	Tools     []Tool
	Forbidden []Tool
	MaxCalls  []Limit
}

// A Limit is how often a tool may be called.
type Limit struct {
	Name string
	Max  int
}

// A Tool is an expected tool. Arguments, Output and Defaults are JSON, and nil if nothing is said of them.
type Tool struct {
	Name              string
	Arguments, Output json.RawMessage
	// Match is how the arguments are compared. Empty is as the metric does.
	Match string
	// Ignore are keys of arguments that are not compared, and Defaults those that a call may lack.
	Ignore   []string
	Defaults json.RawMessage
	// Min is how many calls are expected. 0: one.
	Min int
}

// Keys counts the test cases.
func (s *Set) Keys() int {
	keys := map[string]bool{}
	var unnamed int
	for _, c := range s.Cases {
		if c.Metric == "" {
			unnamed++
		} else {
			keys[c.Key] = true
		}
	}
	return unnamed + len(keys)
}

// note counts what cannot be imported.
func (s *Set) note(what string) {
	if s.notes == nil {
		s.notes = map[string]int{}
	}
	s.notes[what]++
}

// Notes say what could not be imported, and how often.
func (s *Set) Notes() []string {
	var notes []string
	for _, what := range slices.Sorted(maps.Keys(s.notes)) {
		notes = append(notes, fmt.Sprintf("%d x %s", s.notes[what], what))
	}
	return notes
}

// YAML writes a collector configuration with an expectation for each case, for the runs whose own span has the case's key in an
// attribute. An empty attribute is for a single case that all runs are of.
func (s *Set) YAML(w io.Writer, f Format, attribute, head string) error {
	section, metrics := yamldoc.Object(), yamldoc.Object()
	for _, m := range s.metricsOf(f) {
		metric, options := yamldoc.Object(), yamldoc.Object()
		for _, o := range m.options {
			options.Add(o[0], yamldoc.Number(o[1]))
		}
		metric.Add(m.method, options)
		metrics.Add(m.name, metric)
	}
	section.Add("metrics", metrics)
	expectations := s.expectations(attribute)
	section.Add("expectations", expectations)
	processors, whole := yamldoc.Object(), yamldoc.Object()
	processors.Add("tool_correctness", section)
	whole.Add("processors", processors)
	if notes := s.Notes(); len(notes) > 0 {
		head += "\nNot imported:\n  " + strings.Join(notes, "\n  ")
	}
	whole.HeadComment = yamldoc.Comment(head)
	return yamldoc.Write(w, whole)
}

func (s *Set) metricsOf(f Format) []metric {
	if f.metric == nil {
		return s.metrics
	}
	method, options := f.metric(s)
	return []metric{{"tool_correctness", method, options}}
}

// Mixed reports whether the cases of the format name their metrics, so that they are no dataset.
func (f Format) Mixed() bool { return f.metric == nil }

// expectations are one for each case, or one for the dataset with all of them.
func (s *Set) expectations(attribute string) yamldoc.Node {
	list := yamldoc.List()
	if s.File != "" {
		x, dataset := yamldoc.Object(), yamldoc.Object()
		dataset.Add("file", yamldoc.Text(s.File))
		dataset.Add("key", yamldoc.Text(fmt.Sprintf("attributes[%q]", attribute)))
		x.Add("name", yamldoc.Text("imported"))
		x.Add("dataset", dataset)
		x.Add("unknown_key", yamldoc.Text("report"))
		list.Push(x)
		return list
	}
	taken := map[string]int{}
	for _, c := range s.Cases {
		c.Name = cmp.Or(c.Name, c.Key)
		if taken[c.Name]++; taken[c.Name] > 1 {
			c.Name = fmt.Sprintf("%s (%d)", c.Name, taken[c.Name])
		}
		list.Push(c.yaml(attribute))
	}
	return list
}

// Lines writes the cases as a dataset, one a line. A key that two cases have is an error, because a run could not tell
// which one it is of.
func (s *Set) Lines(w io.Writer) error {
	type tool struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		Match     string          `json:"arguments_match,omitempty"`
		Output    json.RawMessage `json:"output,omitempty"`
	}
	e := json.NewEncoder(yamldoc.Escaping(w))
	e.SetEscapeHTML(false)
	seen := map[string]bool{}
	for _, c := range s.Cases {
		if seen[c.Key] {
			return fmt.Errorf("two cases have the key %q, and a dataset has each key once", c.Key)
		}
		seen[c.Key] = true
		line := struct {
			Key   string `json:"key"`
			Tools []any  `json:"tools"`
		}{c.Key, []any{}}
		for _, t := range c.Tools {
			if t.Arguments == nil && t.Output == nil {
				line.Tools = append(line.Tools, t.Name)
				continue
			}
			line.Tools = append(line.Tools, tool{t.Name, t.Arguments, t.Match, t.Output})
		}
		if err := e.Encode(line); err != nil {
			return err
		}
	}
	return nil
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

func snake(key string) string {
	var b strings.Builder
	for _, r := range key {
		if r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
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

// rest notes the keys that are not understood and say something.
func (s *Set) rest(where string, o object, known ...string) {
	for key, value := range o {
		empty := slices.Contains([]string{"null", `""`, "[]", "{}"}, string(value))
		if !empty && !slices.Contains(known, key) {
			s.note(where + "." + key)
		}
	}
}

// ordered is the native option order. The other tools compare lists and know no times, so calls in parallel are ordered too.
func ordered(order string) [][2]string {
	options := [][2]string{{"order", order}}
	if order != "any" {
		options = append(options, [2]string{"concurrent", "as_started"})
	}
	return options
}
