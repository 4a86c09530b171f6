package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/tracefile"
)

// stdinName names standard input.
const stdinName = "-"

// maxFaults is how many faults of one file are reported. A file of another kind has one on each line.
const maxFaults = 5

// A source is a file to read.
type source struct {
	name string
	// found says that the file was found in a folder, so the user did not claim that it has traces.
	found bool
}

// inputs returns the files that the arguments name: a folder is all trace files below it, and a pattern is the files that
// match.
func inputs(args []string) ([]source, error) {
	var files []source
	for _, arg := range args {
		names, err := input(arg)
		if info, bad := os.Stat(arg); err == nil && bad == nil && info.IsDir() {
			names, err = below(arg)
			for _, name := range names {
				files = append(files, source{name, true})
			}
			names = nil
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, source{name: name})
		}
	}
	return files, nil
}

// input returns the files that an argument names. A folder names none.
func input(arg string) ([]string, error) {
	if arg == stdinName {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return nil, nil
	case err != nil && strings.ContainsAny(arg, "*?["):
		found, bad := filepath.Glob(arg)
		if bad != nil || len(found) == 0 {
			return nil, fmt.Errorf("no file matches %s", arg)
		}
		return found, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, errMissing(arg)
	case err != nil:
		return nil, err
	}
	return []string{arg}, nil
}

// errMissing is the name of a file that does not exist.
type errMissing string

func (e errMissing) Error() string { return string(e) + ": there is no such file or folder" }

// traceSuffixes are the suffixes of the files in a folder that are read.
var traceSuffixes = []string{".json", ".jsonl", ".ndjson", ".pb", ".proto", ".otlp", ".bin"}

// below are the trace files in a folder and its folders, in the order of their names.
func below(folder string) (files []string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := path != folder && strings.HasPrefix(entry.Name(), ".")
		switch {
		case hidden && entry.IsDir():
			return fs.SkipDir
		case !hidden && entry.Type().IsRegular() && isTraceFile(entry.Name()):
			files = append(files, path)
		}
		return nil
	})
	if err == nil && files == nil {
		err = fmt.Errorf("%s: no file in it ends with %s, or with one of these and .gz, .zst or .zstd", folder, strings.Join(traceSuffixes, ", "))
	}
	return files, err
}

func isTraceFile(name string) bool {
	for _, packed := range []string{".gz", ".zst", ".zstd"} {
		name = strings.TrimSuffix(name, packed)
	}
	return slices.Contains(traceSuffixes, filepath.Ext(name))
}

// errInput says that a part of the input could not be read. The fault has been reported.
var errInput = errors.New("not all of the input could be read")

// A reader reads files one after the other, and reports what is wrong with them.
type reader struct {
	stdin    io.Reader
	stderr   io.Writer
	progress *progress
	faulty   bool
	passed   []string // files found in folders that have nothing to do with traces
}

// read calls f with the traces of each document of a file.
func (r *reader) read(s source, f func(ptrace.Traces) error) error {
	shown, in := s.name, r.stdin
	if s.name == stdinName {
		shown = "standard input"
	} else {
		file, err := os.Open(s.name)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	t := teller{reader: r, quiet: s.found}
	err := tracefile.Read(r.progress.of(in), tracefile.Settings{
		Name: shown, Fault: t.fault,
		Traces: func(td ptrace.Traces) error {
			if td.SpanCount() > 0 {
				t.speak()
			}
			return f(td)
		},
	})
	if t.quiet && t.n > 0 {
		r.passed = append(r.passed, shown)
		return err
	}
	if t.n > maxFaults {
		r.progress.print(r.stderr, fmt.Sprintf("toolcorrectness: %s: and %d more", shown, t.n-maxFaults))
	}
	r.faulty = r.faulty || t.n > 0
	return err
}

// A teller reports what is wrong with a file. It holds reports back as long as the file has only other JSON.
type teller struct {
	*reader
	quiet bool
	n     int      // of faults
	held  []string // the first reports, while they are held back
}

func (t *teller) fault(f *tracefile.Fault) {
	if !errors.Is(f, tracefile.ErrOther) {
		t.speak()
	}
	if t.n++; t.n > maxFaults {
		return
	}
	t.held = append(t.held, "toolcorrectness: "+f.Error())
	if !t.quiet {
		t.speak()
	}
}

// speak writes the reports that were held back.
func (t *teller) speak() {
	t.quiet = false
	for _, line := range t.held {
		t.progress.print(t.stderr, line)
	}
	t.held = nil
}

// fewPassed is how many files that were passed over are named.
const fewPassed = 3

// tellPassed says which files were passed over.
func (r *reader) tellPassed() {
	if len(r.passed) == 0 {
		return
	}
	text := fmt.Sprintf("toolcorrectness: passed over %s without traces: %s", number(len(r.passed), "file"), strings.Join(r.passed[:min(len(r.passed), fewPassed)], ", "))
	if more := len(r.passed) - fewPassed; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	r.progress.print(r.stderr, text)
}
