package expect

import (
	"bufio"
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
	"sync"

	"go.yaml.in/yaml/v3"

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
	sum   [sha256.Size]byte // of the content
	byKey map[string]caseText
	// nativeOnly has each key that only the native method understands, with the first line that uses it.
	nativeOnly []use
	// turns is the first line with a case of a conversation, or 0.
	turns int
	// arguments and output say which payloads some case makes the native method read.
	arguments, output bool
}

// A use is a line that uses a key.
type use struct {
	key  string
	line int
}

// A caseText is a case in JSON, and its line.
type caseText struct {
	text string
	line int32
}

// readCases reads a dataset: JSON lines, or a list of YAML if the file's name says so. The errors name the file and the lines.
func readCases(ctx context.Context, f file, newParser func() (*conditions.Parser, error)) (*caseFile, error) {
	r := &reader{ctx: ctx, newParser: newParser, cases: &caseFile{look: f, byKey: map[string]caseText{}}}
	sum := sha256.New()
	read, limit := r.lines, int64(maxDataset)
	if ext := filepath.Ext(f.path); ext == ".yaml" || ext == ".yml" {
		read, limit = r.yaml, configcheck.MaxYAML
	}
	err := f.read(limit, func(source io.Reader) error {
		err := read(io.TeeReader(source, sum))
		switch shape := r.shape(); {
		case err != nil:
			return err
		case shape != nil && len(r.faults) > 0:
			return shape
		case r.more > 0:
			r.faults = append(r.faults, fmt.Errorf("%d more faults", r.more))
		case len(r.faults) == 0 && len(r.cases.byKey) == 0:
			return errors.New("has no case")
		}
		return errors.Join(r.faults...)
	})
	if err != nil {
		return nil, err
	}
	sum.Sum(r.cases.sum[:0])
	return r.cases, nil
}

// A reader reads one dataset.
type reader struct {
	cases     *caseFile
	ctx       context.Context //nolint:containedctx // it lives for one call
	newParser func() (*conditions.Parser, error)
	faults    []error
	more      int    // faults that are not listed
	first     string // the first line that is not blank
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

func (r *reader) fault(line int, err error) {
	if len(r.faults) == maxFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, configcheck.LineError{Line: line, Err: err})
}

// yaml reads a YAML list of cases.
func (r *reader) yaml(source io.Reader) error {
	parser, err := r.newParser()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(source)
	if err != nil {
		return err
	}
	root, err := configcheck.YAMLList(text, "cases")
	if err != nil {
		return err
	}
	for _, node := range root.Content {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if err := r.addNode(node, parser); err != nil {
			line := node.Line
			_ = configcheck.Relocate(err, func(path string) string {
				line = configcheck.LineOf(node, path)
				return path
			})
			r.fault(line, err)
		}
	}
	return nil
}

func (r *reader) addNode(node *yaml.Node, parser *conditions.Parser) error {
	var raw map[string]any
	if err := node.Decode(&raw); err != nil {
		return configcheck.YAMLError(err)
	}
	errs := configcheck.New()
	text := errs.JSON("", raw)
	if err := errs.Err(); err != nil {
		return err
	}
	c, err := compileCase(text, parser)
	if err != nil {
		return err
	}
	return r.add(node.Line, text, &c)
}

// add adds a case that has no fault of its own.
func (r *reader) add(line int, text string, c *compiledCase) error {
	all := r.cases
	if len(all.byKey) == maxCases {
		return fmt.Errorf("a dataset may have %d cases", maxCases)
	}
	if first, taken := all.byKey[c.key]; taken {
		return fmt.Errorf("key: %q is the key of line %d already", c.key, first.line)
	}
	all.byKey[c.key] = caseText{text, int32(line)} //nolint:gosec // the length of the file bounds it
	for _, key := range c.expected.NativeOnly() {
		if !slices.ContainsFunc(all.nativeOnly, func(use use) bool { return use.key == key }) {
			all.nativeOnly = append(all.nativeOnly, use{key, line})
		}
	}
	if c.turns && all.turns == 0 {
		all.turns = line
	}
	arguments, output := c.expected.Compares()
	all.arguments, all.output = all.arguments || arguments, all.output || output
	return nil
}

const (
	// workers is how many goroutines check cases. A Collector has other work to do while it reads a dataset again.
	workers = 2
	// batchLines is how many lines they check at once, if these have fewer than batchBytes.
	batchLines = 1024
	batchBytes = 1 << 20
)

type line struct {
	number int
	text   string
	whole  bool // it has an end
	err    error
	compiledCase
}

// lines reads JSON lines. Nearly all of the time is spent on checking cases, and no case depends on another. So a few goroutines check a
// batch of lines, which are then added in their order.
func (r *reader) lines(source io.Reader) error {
	var parsers [workers]*conditions.Parser
	for i := range parsers {
		parser, err := r.newParser()
		if err != nil {
			return err
		}
		parsers[i] = parser.Remember(true) // cases are compiled again when they are looked up
	}
	var batch []line
	size := 0
	check := func() {
		var checking sync.WaitGroup
		for first, parser := range parsers {
			checking.Go(func() {
				for i := first; i < len(batch); i += workers {
					if l := &batch[i]; l.err == nil {
						l.compiledCase, l.err = compileCase(l.text, parser)
					}
				}
			})
		}
		checking.Wait()
		r.addLines(batch)
		clear(batch)
		batch, size = batch[:0], 0
	}
	err := eachLine(source, func(number int, text []byte, whole bool, err error) error {
		if r.first == "" {
			r.first = string(text)
		}
		batch = append(batch, line{number: number, text: string(text), whole: whole, err: err})
		if size += len(text); len(batch) < batchLines && size < batchBytes {
			return nil
		}
		check()
		return r.ctx.Err()
	})
	if err == nil {
		check()
	}
	return err
}

func (r *reader) addLines(lines []line) {
	for i := range lines {
		l := &lines[i]
		err := l.err
		if err == nil {
			err = r.add(l.number, l.text, &l.compiledCase)
		}
		if err != nil && !l.whole {
			err = fmt.Errorf("%w (the last line has no end: it may be half-written)", err)
		}
		if err != nil {
			r.fault(l.number, err)
		}
	}
}

var errLongLine = errors.New("the line is longer than 1 MiB")

// eachLine calls read with each line that is not blank, counted from 1, without its end and without a byte order mark. The text is
// valid until the next call. whole is false for a last line without an end, which may be half of one. A line that is too long has no
// text and an error. eachLine ends with the first error of read or r.
func eachLine(r io.Reader, read func(line int, text []byte, whole bool, err error) error) error {
	b := bufio.NewReaderSize(r, maxLine+2) // CR and LF
	for line := 1; ; line++ {
		text, err := b.ReadSlice('\n')
		var tooLong error
		for errors.Is(err, bufio.ErrBufferFull) {
			tooLong = errLongLine
			text, err = b.ReadSlice('\n')
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := bytes.HasSuffix(text, []byte("\n"))
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\uFEFF"))
		}
		if text = bytes.TrimSpace(text); tooLong != nil {
			text = nil
		}
		if len(text) > 0 || tooLong != nil {
			if failed := read(line, text, whole, tooLong); failed != nil {
				return failed
			}
		}
		if err != nil {
			return nil
		}
	}
}
