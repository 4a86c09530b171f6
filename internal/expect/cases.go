package expect

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// maxDataset bounds a dataset of JSON lines, in bytes, maxLine one of its lines, and maxCases its cases.
	maxDataset = 2 << 30
	maxLine    = 1 << 20
	maxCases   = 10_000_000
	// maxFaults is how many faults of a dataset are listed.
	maxFaults = 20
)

// A caseFile is a dataset that was read and checked. It does not change any more, and goroutines may share it.
type caseFile struct {
	look  file
	sum   string // of the content
	byKey map[string]caseText
	// nativeOnly are the keys that only the native method understands, of the first case that has any, and native is its line.
	nativeOnly []string
	native     int
	// turns is the first line with a case of a conversation, or 0.
	turns int
}

// A caseText is a case in JSON, and its line.
type caseText struct {
	text string
	line int
}

// readCases reads a dataset: JSON lines, or a list of YAML if the file's name says so. The errors name the file and the lines.
func readCases(ctx context.Context, f file, telemetry component.TelemetrySettings) (*caseFile, error) {
	parser, err := conditions.NewParser(telemetry)
	if err != nil {
		return nil, err
	}
	r := &reader{ctx: ctx, parser: parser, cases: &caseFile{look: f, byKey: map[string]caseText{}}}
	read, limit := r.lines, int64(maxDataset)
	if ext := filepath.Ext(f.path); ext == ".yaml" || ext == ".yml" {
		read, limit = r.yaml, configcheck.MaxYAML
	}
	if r.cases.sum, err = f.read(limit, read); err == nil {
		err = r.err()
	}
	return r.cases, err
}

// A reader reads one dataset.
type reader struct {
	cases  *caseFile
	ctx    context.Context //nolint:containedctx // it lives for one call
	parser *conditions.Parser
	faults []error
	more   int    // faults that are not listed
	first  string // the first line that is not blank
}

// err returns what is wrong with the file.
func (r *reader) err() error {
	at := r.cases.look.at
	switch shape := r.shape(); {
	case shape != nil && len(r.faults) > 0:
		return at(shape)
	case r.more > 0:
		return errors.Join(append(r.faults, at(fmt.Errorf("%d more faults", r.more)))...)
	case len(r.faults) == 0 && len(r.cases.byKey) == 0:
		return at(errors.New("has no case"))
	}
	return errors.Join(r.faults...)
}

// shape says what a file is that has no cases in lines, and how to write them.
func (r *reader) shape() error {
	const want = `a dataset has one JSON object a line, such as {"key": "refund", "tools": ["search_orders"]}`
	var text json.RawMessage
	switch {
	case strings.ContainsRune(r.first, 0):
		return errors.New("is UTF-16, and must be UTF-8: " + want)
	case strings.HasPrefix(r.first, "["):
		return errors.New("is a JSON array: " + want + " (jq -c '.[]')")
	case strings.HasPrefix(r.first, "{"):
		if len(r.faults)+r.more == 1 || !errors.Is(json.NewDecoder(strings.NewReader(r.first)).Decode(&text), io.ErrUnexpectedEOF) {
			return nil
		}
		return errors.New("is JSON whose values take several lines: " + want + " (jq -c .)")
	case strings.ContainsAny(r.first, ",;\t"):
		return errors.New("is a table, such as CSV: " + want)
	}
	return nil
}

// fault adds what is wrong with a case, or nothing.
func (r *reader) fault(err error) {
	switch {
	case err == nil:
	case len(r.faults) == maxFaults:
		r.more++
	default:
		r.faults = append(r.faults, err)
	}
}

// yaml reads a YAML list of cases.
func (r *reader) yaml(source io.Reader) error {
	stated, err := configcheck.ReadYAML(r.cases.look.path, source, "cases")
	if err != nil {
		return err
	}
	for i, element := range stated.Elements {
		path := fmt.Sprintf("[%d]", i)
		errs := configcheck.New().Located(stated.Place).Under(path)
		if text := errs.JSON("", element); errs.Err() == nil {
			r.add(errs, stated.Line(path), text)
		}
		r.fault(errs.Err())
	}
	return nil
}

// add checks a case and adds it.
func (r *reader) add(errs *configcheck.Errors, line int, text string) {
	x, key := parseCase(errs, text)
	if x == nil {
		return
	}
	errs.Unless(key != "", "key", "must not be empty: it says which runs are of the case")
	expected := compile(errs, x.settings(errs, r.parser))
	if errs.Err() != nil {
		return
	}
	all := r.cases
	first, taken := all.byKey[key]
	switch {
	case len(all.byKey) == maxCases:
		errs.Add("", "a dataset may have %d cases", maxCases)
		return
	case taken:
		errs.Add("key", "%q is the key of line %d already", key, first.line)
		return
	}
	all.byKey[key] = caseText{text, line}
	if len(all.nativeOnly) == 0 {
		all.nativeOnly, all.native = expected.NativeOnly(), line
	}
	if x.Turns != nil && all.turns == 0 {
		all.turns = line
	}
}

// lines reads JSON lines, of which some may be blank. The first one may begin with a byte order mark. A line that is too long ends the file.
func (r *reader) lines(source io.Reader) error {
	const crlf = 2
	lines := bufio.NewScanner(source)
	lines.Buffer(nil, maxLine+crlf)
	n := 1
	for ; lines.Scan(); n++ {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		line := lines.Bytes()
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		text := string(bytes.TrimSpace(line))
		if text == "" {
			continue
		}
		r.first = cmp.Or(r.first, text)
		errs := configcheck.New().Located(func(path string) string {
			return strings.TrimSuffix(fmt.Sprintf("%s:%d: %s", r.cases.look.path, n, path), ": ")
		})
		r.add(errs, n, text)
		r.fault(errs.Err())
	}
	if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
		return err
	}
	r.fault(fmt.Errorf("%s:%d: the line is longer than 1 MiB", r.cases.look.path, n))
	return nil
}

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
	return decodeRaw(text, (*plain)(m), &m.OneOf, &m.Near, &m.Loose, &m.AnyOrder)
}

// decodeRaw decodes one JSON value, all of whose keys are known, into a struct. values are those of its fields that keep JSON as it is
// written: they become nil for nothing and null, a string for a text, and JSON for all else.
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
		switch raw, is := (*v).(*json.RawMessage); {
		case !is: // null, or what follows null under the same key
		case len(*raw) == 0: // no such key
			*v = nil
		case (*raw)[0] == '"':
			var s string
			_ = json.Unmarshal(*raw, &s) // the decoder has checked it
			*v = s
		default:
			*v = *raw
		}
	}
	return err
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
	if json.Unmarshal([]byte(text), &raw) == nil {
		if errs.Decode(raw, new(testCase)); errs.Err() != nil {
			return
		}
	} else if !json.Valid([]byte(text)) {
		errs.Add("", "is no JSON: %v", err)
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

// element is the path of a tool in a case.
var element = regexp.MustCompile(`^(tools|forbidden|any_of\[\d+\])\[\d+\]`)

// Parse reads what is expected from an attribute: a list of tools, or an object with the keys of a case but its key. Its error has no
// value of the attribute, which is private: only the path of a rule that it breaks.
func Parse(text string) (*scoring.Expectation, error) {
	text = strings.TrimSpace(text)
	switch {
	case strings.HasPrefix(text, "{"):
	case strings.HasPrefix(text, "[") && json.Valid([]byte(text)):
		text = `{"tools":` + text + `}`
	default:
		return nil, errors.New("it is not a JSON array")
	}
	errs := configcheck.New()
	x, _ := parseCase(errs, text)
	if x == nil {
		if first, _ := errors.AsType[scoring.Fault](errs.Err()); element.MatchString(first.Path) {
			return nil, fmt.Errorf("%s is neither the name of a tool nor an object with the keys of a tool", element.FindString(first.Path))
		}
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
