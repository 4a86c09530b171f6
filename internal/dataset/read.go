package dataset

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/filewatch"
)

const (
	// maxLines bounds a dataset of JSON lines, in bytes, and maxCases its cases.
	maxLines = 2 << 30
	maxCases = 10_000_000
	// maxFaults is how many faults of a dataset are listed.
	maxFaults = 20
)

// A Check checks the text of a case, which is valid JSON or not, and says what it found. It is for one goroutine.
type Check func(text []byte) (Checked, error)

// Checked is the result of the check of one case.
type Checked struct {
	// Key is the key of the case.
	Key string
	// NativeOnly are the keys in use that only the native method understands.
	NativeOnly []string
	// Arguments and Output say which payloads the case makes the native method read.
	Arguments, Output bool
}

// Cases is a dataset that was read and checked. It does not change any more, and goroutines may share it.
type Cases struct {
	// File is the path, and Sum the hash of the content.
	File string
	Sum  [sha256.Size]byte
	// NativeOnly has each key that only the native method understands, with the first line that uses it.
	NativeOnly []Use
	// Arguments and Output say which payloads some case makes the native method read.
	Arguments, Output bool

	look filewatch.File
	set  *Set
}

// A Use is a line that uses a key.
type Use struct {
	Key  string
	Line int
}

// Same reports whether the cases were read from the file of a look.
func (c *Cases) Same(look filewatch.File) bool { return c.look.Same(look) }

// Find is the text of a case as JSON. The caller must not change it.
func (c *Cases) Find(key string) (text []byte, ok bool) { return c.set.Find(key) }

// Read reads a dataset: JSON lines, or a list of YAML if the file's name says so. Each goroutine that checks cases calls
// newCheck once. The errors name the file and the lines.
func Read(ctx context.Context, file filewatch.File, newCheck func() (Check, error)) (*Cases, error) {
	r := &reader{ctx: ctx, newCheck: newCheck, cases: &Cases{File: file.Path, look: file, set: New()}}
	sum := sha256.New()
	read, limit := r.lines, int64(maxLines)
	if ext := filepath.Ext(file.Path); ext == ".yaml" || ext == ".yml" {
		read, limit = r.yaml, configcheck.MaxYAML
	}
	err := file.Read(limit, func(source io.Reader) error {
		err := read(io.TeeReader(source, sum))
		switch {
		case err != nil:
			return err
		case r.more > 0:
			r.faults = append(r.faults, fmt.Errorf("%d more faults", r.more))
		case len(r.faults) == 0 && r.cases.set.Len() == 0:
			return errors.New("has no case")
		}
		return errors.Join(r.faults...)
	})
	if err != nil {
		return nil, err
	}
	sum.Sum(r.cases.Sum[:0])
	return r.cases, nil
}

// A reader reads one dataset.
type reader struct {
	cases    *Cases
	ctx      context.Context //nolint:containedctx // it lives for one call
	newCheck func() (Check, error)
	faults   []error
	more     int // faults that are not listed
}

func (r *reader) fault(line int, err error) {
	if len(r.faults) == maxFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, filewatch.LineError{Line: line, Err: err})
}

// yaml reads a YAML list of cases.
func (r *reader) yaml(source io.Reader) error {
	check, err := r.newCheck()
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
		if err := r.addNode(node, check); err != nil {
			r.fault(node.Line, err)
		}
	}
	return nil
}

func (r *reader) addNode(node *yaml.Node, check Check) error {
	var raw map[string]any
	if err := node.Decode(&raw); err != nil {
		return configcheck.YAMLError(err)
	}
	text, err := configcheck.AppendJSON(nil, raw)
	if err != nil {
		return err
	}
	checked, err := check(text)
	if err != nil {
		return err
	}
	return r.add(node.Line, text, &checked)
}

// add adds a case that was checked.
func (r *reader) add(line int, text []byte, c *Checked) error {
	all := r.cases
	if all.set.Len() == maxCases {
		return fmt.Errorf("a dataset may have %d cases", maxCases)
	}
	if first := all.set.Add(c.Key, text, line); first > 0 {
		return fmt.Errorf("key: %q is the key of line %d already", c.Key, first)
	}
	for _, key := range c.NativeOnly {
		if !slices.ContainsFunc(all.NativeOnly, func(use Use) bool { return use.Key == key }) {
			all.NativeOnly = append(all.NativeOnly, Use{key, line})
		}
	}
	all.Arguments, all.Output = all.Arguments || c.Arguments, all.Output || c.Output
	return nil
}
