package expect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A testCase is a case as its JSON has it. Decoding into it takes a tenth of the time that the general way of a configuration takes,
// so a million cases are read in seconds.
type testCase struct {
	// Key is a text, or a number or a boolean, which is compared as it is written.
	Key        any `mapstructure:"key" json:"key"`
	Turn       `mapstructure:",squash"`
	Turns      []Turn `mapstructure:"turns" json:"turns"`
	TurnsScore string `mapstructure:"turns_score" json:"turns_score"`

	// Metadata may be anything, and is not read.
	Metadata any `mapstructure:"metadata" json:"metadata"`
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

// decodeRaw decodes one JSON value, all of whose keys are known, into a struct. values are those of its fields that keep JSON as it is
// written: see [valueOf].
func decodeRaw(text []byte, to any, values ...*any) error {
	for _, v := range values {
		*v = new(json.RawMessage) // encoding/json follows a pointer in an interface
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(to)
	if _, end := d.Token(); err == nil && !errors.Is(end, io.EOF) {
		err = errors.New("has more behind the case")
	}
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
	return text
}

// parseCase converts a case. It adds errors and returns nil if it cannot.
func parseCase(errs *configcheck.Errors, text string) (x *Expectation, key string) {
	var c testCase
	if err := decodeRaw([]byte(text), &c, &c.Key, &c.Metadata); err != nil {
		explain(errs, text, err)
		return nil, ""
	}
	switch written := c.Key.(type) {
	case string:
		key = written
	case json.RawMessage:
		if key = string(written); strings.ContainsAny(key[:1], "{[") {
			errs.Add("key", "must be a text, a number or a boolean")
		}
	}
	return &Expectation{
		Tools: c.Tools, AnyOf: c.AnyOf, Forbidden: c.Forbidden, Allowed: c.Allowed, MaxCalls: c.MaxCalls, MaxRepeats: c.MaxRepeats,
		Turns: c.Turns, TurnsScore: c.TurnsScore,
	}, key
}

// explain adds what is wrong with a case that could not be decoded, in the words of a configuration.
func explain(errs *configcheck.Errors, text string, err error) {
	var raw any
	if invalid := json.Unmarshal([]byte(text), &raw); invalid != nil {
		errs.Add("", "is no JSON: %v", err)
		return
	}
	errs.Shape(raw, reflect.TypeFor[testCase]())
	if errs.Err() != nil {
		return
	}
	var wrong *json.UnmarshalTypeError // a configuration takes more: 1e3 for a whole number, "a,b" for a list
	if errors.As(err, &wrong) {
		errs.Add(strings.TrimPrefix(wrong.Field, "Turn."), "has a value of the wrong kind: %s", wrong.Value)
		return
	}
	errs.Add("", "%v", err)
}

// find is the case of a key, compiled, or nil. It has no faults, because it was compiled when it was read.
func (c *caseFile) find(key string, parser *conditions.Parser) *scoring.Expectation {
	found, ok := c.byKey[key]
	if !ok {
		return nil
	}
	errs := configcheck.New()
	x, _ := parseCase(errs, found.text)
	return compile(errs, x.settings(errs, parser))
}

// Parse reads what is expected from an attribute: a list of tools, or an object with the keys of a case but its key. Its error has no
// value of the attribute, which is private: only the path of a rule that it breaks.
func Parse(text string) (*scoring.Expectation, error) {
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		text = `{"tools":` + text + `}`
	}
	errs := configcheck.New()
	x, _ := parseCase(errs, text)
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
	if err := errs.Err(); err != nil {
		first, _ := errors.AsType[scoring.Fault](err)
		path, _, _ := strings.Cut(first.Path, `["`) // a key in quotes is a name that the sender chose
		return nil, fmt.Errorf("%s breaks a rule", cmp.Or(path, "it"))
	}
	return expected, nil
}
