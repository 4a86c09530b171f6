package expect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A testCase is a case as its JSON has it. Decoding into it takes a tenth of the time that the general way of a configuration takes,
// so a million cases are read in seconds.
type testCase struct {
	Key caseKey `json:"key"`
	Turn
	Turns      []Turn `json:"turns"`
	TurnsScore string `json:"turns_score"`

	// Metadata may be anything, and is not read.
	Metadata json.RawMessage `json:"metadata"`
}

// A caseKey is a text, or a number or a boolean as it is written.
type caseKey string

// UnmarshalJSON takes the three.
func (k *caseKey) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, (*string)(k))
	case '{', '[':
		return errors.New("key: must be a text, a number or a boolean")
	case 'n': // null is no key
		return nil
	}
	*k = caseKey(text)
	return nil
}

// UnmarshalJSON takes a plain string for the name. Values keep the order of keys and the form of numbers.
func (t *Tool) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, &t.Name)
	case '{':
		type plain Tool // without this method
		return decodeRaw(text, (*plain)(t), &t.Arguments, &t.Output, &t.ArgumentDefaults)
	}
	return errors.New("a tool must be the name of a tool, or an object")
}

// UnmarshalJSON keeps values as that of [Tool] does.
func (m *Matcher) UnmarshalJSON(text []byte) error {
	type plain Matcher
	return decodeRaw(text, (*plain)(m), &m.OneOf, &m.Near, &m.Within, &m.Loose, &m.AnyOrder)
}

// decodeRaw decodes JSON into a struct. values are those of its fields that keep JSON as it is written: see [valueOf].
func decodeRaw(text []byte, to any, values ...*any) error {
	for _, v := range values {
		*v = new(json.RawMessage) // encoding/json follows a pointer in an interface
	}
	err := strictJSON(string(text), to)
	for _, v := range values {
		if raw, ok := (*v).(*json.RawMessage); ok {
			*v = valueOf(*raw)
		}
	}
	return err
}

// valueOf is nil for nothing and null, a string for a text, and JSON for all else.
func valueOf(text json.RawMessage) any {
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

// parseCase converts a case. It adds an error and returns nil if it cannot.
func parseCase(errs *configcheck.Errors, text string) (x *Expectation, key string) {
	var c testCase
	if err := strictJSON(text, &c); err != nil {
		errs.Join(explainJSON(text, err))
		return nil, ""
	}
	return &Expectation{
		Tools: c.Tools, AnyOf: c.AnyOf, Forbidden: c.Forbidden, Allowed: c.Allowed, MaxCalls: c.MaxCalls, MaxRepeats: c.MaxRepeats,
		Turns: c.Turns, TurnsScore: c.TurnsScore,
	}, string(c.Key)
}

// strictJSON decodes one JSON value, all of whose keys are known.
func strictJSON(text string, to any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("has more behind the case")
	}
	return nil
}

// explainJSON is an error of encoding/json in our own words.
func explainJSON(text string, err error) error {
	var wrong *json.UnmarshalTypeError
	message := strings.TrimPrefix(err.Error(), "json: ")
	unknown, isUnknown := strings.CutPrefix(message, "unknown field ")
	switch {
	case !json.Valid([]byte(text)):
		return fmt.Errorf("is no JSON: %s", message)
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("must be a JSON object with a key and what is expected, is %s", withArticle(wrong.Value))
	case errors.As(err, &wrong):
		return fmt.Errorf("%s: is %s, which is no value of this key", strings.TrimPrefix(wrong.Field, "Turn."), withArticle(wrong.Value))
	case isUnknown:
		name := strings.Trim(unknown, `"`)
		if why := foreignKeys[name]; why != "" {
			return fmt.Errorf("%s: %s", name, why)
		}
		return fmt.Errorf("%s: is no key of a case%s", name, cmp.Or(configcheck.Suggestion(name, caseKeys), "; other data of a case belongs under metadata"))
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
	"key", "tools", "any_of", "forbidden", "max_calls", "max_repeats", "allowed", "turns", "turns_score", "metadata",
	"name", "arguments", "output", "arguments_match", "ignore_arguments", "argument_defaults", "after", "where", "count", "min", "max", "optional",
	"matchers", "one_of", "near", "within", "loose", "any_order",
}

// A compiledCase is a case by the rules of expectations.
type compiledCase struct {
	key      string
	turns    bool // it is of a conversation
	expected *scoring.Expectation
}

func compileCase(text string, parser *conditions.Parser) (c compiledCase, err error) {
	errs := configcheck.New()
	x, key := parseCase(errs, text)
	if x == nil {
		return c, errs.Err()
	}
	if key == "" {
		errs.Add("key", "must not be empty: it says which runs are of the case")
	}
	return compiledCase{key, x.Turns != nil, compile(errs, x.settings(errs, parser))}, errs.Err()
}

// find is the case of a key, compiled. The second result is false if there is none.
func (c *caseFile) find(key string, parser *conditions.Parser) (*scoring.Expectation, bool, error) {
	found, ok := c.byKey[key]
	if !ok {
		return nil, false, nil
	}
	compiled, err := compileCase(found.text, parser)
	return compiled.expected, true, err
}

// Parse reads what is expected from an attribute: a list of tools, or an object with the keys of a case but its key. Its error has no
// value of the attribute, which is private: only the path of a rule that it breaks.
func Parse(text string) (*scoring.Expectation, error) {
	errs := configcheck.New()
	x, _ := parseCase(errs, asObject(text))
	if x == nil {
		return nil, errors.New("it is neither a JSON list of tools nor an object with the keys of an expectation")
	}
	if x.Turns != nil {
		return nil, errors.New("it says turns, and those are not taken from a span")
	}
	conditional := func(t Tool) bool { return t.Where != "" }
	if slices.ContainsFunc(slices.Concat(append(x.AnyOf, x.Tools, x.Forbidden)...), conditional) {
		return nil, errors.New("it says where, and conditions are not taken from a span")
	}
	expected := compile(errs, x.settings(errs, nil))
	if paths := errs.Paths(); len(paths) > 0 {
		path, _, _ := strings.Cut(paths[0], `["`) // a key in quotes is a name that the sender chose
		return nil, fmt.Errorf("%s breaks a rule", cmp.Or(path, "it"))
	}
	return expected, nil
}

func asObject(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return text
	}
	return `{"tools":` + text + `}`
}
