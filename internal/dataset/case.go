package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// A Case is a case as its JSON has it. Decoding into it takes a tenth of the time that the general way of a configuration
// takes, so a million cases are read in seconds.
type Case struct {
	Key       string   `json:"key"`
	Tools     []Tool   `json:"tools"`
	AnyOf     [][]Tool `json:"any_of"`
	Forbidden []Tool   `json:"forbidden"`
	MaxCalls  any      `json:"max_calls"`
}

// A Tool is an expected tool in JSON: the tool's name, or an object.
type Tool struct {
	Name           string          `json:"name"`
	AnyOf          []string        `json:"any_of"`
	Arguments      json.RawMessage `json:"arguments"`
	Output         json.RawMessage `json:"output"`
	ArgumentsMatch string          `json:"arguments_match"`
	Where          string          `json:"where"`

	IgnoreArguments  []string        `json:"ignore_arguments"`
	ArgumentDefaults json.RawMessage `json:"argument_defaults"`
	Count            *Count          `json:"count"`
	Optional         bool            `json:"optional"`
}

// A Count bounds how often a tool is expected.
type Count struct {
	Min *int `json:"min"`
	Max *int `json:"max"`
}

// Decode reads a case from JSON. Its error says what is wrong in words that suit a person who writes cases.
func Decode(text []byte) (*Case, error) {
	c := new(Case)
	if err := strictJSON(text, c); err != nil {
		return nil, explain(text, err)
	}
	return c, nil
}

// UnmarshalJSON takes a plain string for the name.
func (t *Tool) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, &t.Name)
	case '{':
		type plain Tool // without this method
		return strictJSON(text, (*plain)(t))
	}
	return errors.New("a tool must be the name of a tool, or an object")
}

// Object is an object as a string that holds it, which is one of its forms in a configuration. It keeps the order of keys and
// the form of numbers.
func Object(text json.RawMessage) any {
	v := Value(text)
	if raw, is := v.(configcheck.RawJSON); is {
		return string(raw)
	}
	return v
}

// Value is nil for nothing and null, a string for a text, and JSON for all else.
func Value(text json.RawMessage) any {
	switch {
	case len(text) == 0 || string(text) == "null":
		return nil
	case text[0] == '"':
		var s string
		if json.Unmarshal(text, &s) == nil {
			return s
		}
	}
	return configcheck.RawJSON(text)
}

// strictJSON decodes one JSON value, all of whose keys are known.
func strictJSON(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has more behind the case")
	}
	return nil
}

// explain is an error of encoding/json in our own words.
func explain(text []byte, err error) error {
	var wrong *json.UnmarshalTypeError
	message := strings.TrimPrefix(err.Error(), "json: ")
	unknown, isUnknown := strings.CutPrefix(message, "unknown field ")
	switch {
	case !json.Valid(text):
		return fmt.Errorf("is no JSON: %s", message)
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("must be a JSON object with a key and what is expected, is %s", withArticle(wrong.Value))
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: is %s, which is no value of this key", wrong.Field, withArticle(wrong.Value))
	case isUnknown:
		name := strings.Trim(unknown, `"`)
		if why := foreignKeys[name]; why != "" {
			return fmt.Errorf("%s: %s", name, why)
		}
		return fmt.Errorf("%s: is no key of a case%s", name, configcheck.Suggestion(name, caseKeys))
	}
	return errors.New(message)
}

// withArticle is a kind of JSON value as encoding/json names it, such as "number 5", with its article.
func withArticle(kind string) string {
	if strings.HasPrefix(kind, "array") || strings.HasPrefix(kind, "object") {
		return "an " + kind
	}
	return "a " + kind
}

// foreignKeys are keys of an expectation that no case has, and why.
var foreignKeys = map[string]string{
	"when":           "is no key of a case: its key says which runs are of it",
	"name":           "is no key of a case: verdicts are counted under the name of the expectation with the dataset",
	"metrics":        "is no key of a case: the expectation with the dataset has it",
	"from_attribute": "is no key of a case",
	"dataset":        "is no key of a case",
	"unknown_key":    "is no key of a case: the expectation with the dataset has it",
}

var caseKeys = []string{
	"key", "tools", "any_of", "forbidden", "max_calls",
	"name", "arguments", "output", "arguments_match", "ignore_arguments", "argument_defaults", "where", "count", "min", "max", "optional",
}
