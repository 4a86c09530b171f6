package toolcorrectnessprocessor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dataset"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
)

const (
	// maxDataset bounds a dataset of JSON lines, in bytes, and maxCases its cases.
	maxDataset = 2 << 30
	maxCases   = 10_000_000
	// maxFaults is how many faults of a dataset are listed.
	maxFaults = 20
)

// cases is a dataset that was read and checked.
type cases struct {
	file   string
	parser *ottltext.CallParser // for one goroutine at a time
	look   filewatch.File
	sum    [sha256.Size]byte
	set    *dataset.Set
	// nativeOnly has each key that only the native method understands, with the first line that uses it.
	nativeOnly []nativeUse
	// arguments and output say which payloads a case makes the native method read.
	arguments, output bool
}

type nativeUse struct {
	key  string
	line int
}

// readCases reads a dataset. Its errors name the file and the lines.
func readCases(ctx context.Context, file filewatch.File, telemetry component.TelemetrySettings) (*cases, error) {
	parser, err := ottltext.NewCallParser(telemetry)
	if err != nil {
		return nil, err
	}
	r := &caseReader{ctx: ctx, telemetry: telemetry, cases: cases{file: file.Path, parser: parser, look: file, set: dataset.New()}}
	sum := sha256.New()
	read, limit := r.lines, int64(maxDataset)
	if ext := filepath.Ext(file.Path); ext == ".yaml" || ext == ".yml" {
		read, limit = r.yaml, maxExpectationFile
	}
	err = file.Read(limit, func(source io.Reader) error {
		err := read(io.TeeReader(source, sum))
		switch {
		case err != nil:
			return err
		case r.more > 0:
			r.faults = append(r.faults, fmt.Errorf("%d more faults", r.more))
		case len(r.faults) == 0 && r.set.Len() == 0:
			return errors.New("has no case")
		}
		return errors.Join(r.faults...)
	})
	if err != nil {
		return nil, err
	}
	sum.Sum(r.sum[:0])
	return &r.cases, nil
}

// A caseReader reads one dataset.
type caseReader struct {
	cases
	ctx       context.Context //nolint:containedctx // it lives for one call
	telemetry component.TelemetrySettings
	faults    []error
	more      int // faults that are not listed
}

func (r *caseReader) fault(line int, err error) {
	if len(r.faults) == maxFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, filewatch.LineError{Line: line, Err: err})
}

// yaml reads a YAML list of cases.
func (r *caseReader) yaml(source io.Reader) error {
	text, err := io.ReadAll(source)
	if err != nil {
		return err
	}
	root, err := yamlList(text, "cases")
	if err != nil {
		return err
	}
	for _, node := range root.Content {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.addNode(node); err != nil {
			r.fault(node.Line, err)
		}
	}
	return nil
}

func (r *caseReader) addNode(node *yaml.Node) error {
	var raw map[string]any
	if err := node.Decode(&raw); err != nil {
		return yamlError(err)
	}
	text, err := configcheck.AppendJSON(nil, raw)
	if err != nil {
		return err
	}
	checked := checkCase(text, r.parser)
	if checked.err != nil {
		return checked.err
	}
	return r.add(node.Line, text, &checked)
}

// add adds a case that was checked.
func (r *caseReader) add(line int, text []byte, c *checkedCase) error {
	if r.set.Len() == maxCases {
		return fmt.Errorf("a dataset may have %d cases", maxCases)
	}
	if first := r.set.Add(c.key, text, line); first > 0 {
		return fmt.Errorf("key: %q is the key of line %d already", c.key, first)
	}
	for _, key := range c.nativeOnly {
		if !slices.ContainsFunc(r.nativeOnly, func(use nativeUse) bool { return use.key == key }) {
			r.nativeOnly = append(r.nativeOnly, nativeUse{key, line})
		}
	}
	r.arguments, r.output = r.arguments || c.arguments, r.output || c.output
	return nil
}

// A testCase is what a case says.
type testCase struct {
	ExpectationConfig
	key string
}

// parseCase reads a case from JSON. It adds an error and returns nil if it cannot.
func parseCase(errs *configcheck.Errors, text []byte) *testCase {
	var c caseJSON
	if err := strictJSON(text, &c); err != nil {
		errs.Join(explainCase(text, err))
		return nil
	}
	return &testCase{
		ExpectationConfig{Tools: toolsOf(c.Tools), AnyOf: listsOf(c.AnyOf), Forbidden: toolsOf(c.Forbidden), MaxCalls: c.MaxCalls}, c.Key,
	}
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

// explainCase is an error of encoding/json in words that suit a person who writes cases.
func explainCase(text []byte, err error) error {
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
