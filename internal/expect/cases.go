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
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
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
	// arguments and output say which payloads some case makes the native method read.
	arguments, output bool
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
	r.cases.sum, err = f.read(limit, func(source io.Reader) error {
		if err := read(source); err != nil {
			return err
		}
		return r.err()
	})
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
	if key == "" {
		errs.Add("key", "must not be empty: it says which runs are of the case")
	}
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
	arguments, output := expected.Compares()
	all.arguments, all.output = all.arguments || arguments, all.output || output
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
