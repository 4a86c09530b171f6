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

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
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

// sources returns the files that the arguments name: a folder is all trace files below it, and a pattern is the files that match.
func sources(args []string) (files []source, err error) {
	for _, arg := range args {
		info, err := os.Stat(arg)
		names, folder := []string{arg}, err == nil && info.IsDir()
		switch {
		case arg == stdinName:
			err = nil
		case folder:
			names, err = below(arg)
		case err != nil:
			matches, _ := filepath.Glob(arg) // which has no file of a bad pattern
			if len(matches) > 0 {
				names, err = matches, nil
			}
		}
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			files = append(files, source{name, folder})
		}
	}
	return files, nil
}

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

// An input is what was read, what was wrong with it, and what decides whether its runs are judged.
type input struct {
	streams
	progress *progress
	names    []string // of the files
	spans    int
	places   map[pcommon.TraceID]place
	faulty   bool     // whether a part could not be read
	passed   []string // files found in folders that have nothing to do with traces

	runs         int
	expectations []toolcorrectnessprocessor.ExpectationConfig
	warnings     int // how often the processor warned of something
}

// A place is where a trace begins: the number of its file, and how many traces came before it.
type place struct{ file, position int }

// see notes where the traces of a request begin.
func (in *input) see(td ptrace.Traces) {
	in.spans += td.SpanCount()
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				if _, seen := in.places[span.TraceID()]; !seen {
					in.places[span.TraceID()] = place{len(in.names) - 1, len(in.places)}
				}
			}
		}
	}
}

// read calls f with the traces of each document of all files.
func (in *input) read(files []source, f func(ptrace.Traces) error) error {
	in.progress = newProgress(in.err, files)
	defer in.progress.clear()
	for _, s := range files {
		in.names = append(in.names, s.name)
		if err := in.readFile(s, f); err != nil {
			return err
		}
	}
	if n := len(in.passed); n > 0 {
		in.say("passed over %s without traces: %s", report.Number(n, "file"), report.Few(in.passed, 3, ", "))
	}
	return nil
}

// say writes a line for people, in place of the progress.
func (in *input) say(format string, args ...any) {
	in.progress.clear()
	in.streams.say(format, args...)
}

func (in *input) readFile(s source, f func(ptrace.Traces) error) error {
	shown, content := s.name, in.in
	if s.name == stdinName {
		shown = "standard input"
	} else {
		file, err := os.Open(s.name)
		if err != nil {
			return err
		}
		defer file.Close()
		content = file
	}
	var faults []string // the first ones
	spans, all, other := in.spans, 0, 0
	var err error
	for td, fault := range tracefile.Read(shown, io.TeeReader(content, in.progress)) {
		if fault != nil {
			if all++; all <= maxFaults {
				faults = append(faults, fault.Error())
			}
			if errors.Is(fault, tracefile.ErrOther) {
				other++
			}
			continue
		}
		in.see(td)
		if err = f(td); err != nil {
			break
		}
	}
	if s.found && all > 0 && other == all && in.spans == spans {
		in.passed = append(in.passed, shown)
		return err
	}
	for _, fault := range faults {
		in.say("%s", fault)
	}
	if all > maxFaults {
		in.say("%s: and %d more", shown, all-maxFaults)
	}
	in.faulty = in.faulty || all > 0
	return err
}

// A progress says on a terminal how much of the files was read. For a pipe or a log, and for input that is read at once, it says nothing.
type progress struct {
	terminal    io.Writer
	total, read int64
}

// newProgress begins a progress for files of 16 MiB or more together.
func newProgress(stderr io.Writer, files []source) *progress {
	const worthSaying = 16 << 20
	p := &progress{terminal: io.Discard}
	for _, s := range files {
		if info, err := os.Stat(s.name); err == nil { // standard input has no size
			p.total += info.Size()
		}
	}
	f, isFile := stderr.(*os.File)
	if !isFile || p.total < worthSaying {
		return p
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.terminal = f
	}
	return p
}

// Write says that more was read. Standard input alone has no total.
func (p *progress) Write(b []byte) (int, error) {
	before := 100 * p.read / max(p.total, 1)
	p.read += int64(len(b))
	if percent := 100 * p.read / max(p.total, 1); percent > before {
		fmt.Fprintf(p.terminal, "\rread %d%%", min(percent, 100))
	}
	return len(b), nil
}

// clear takes the text away, until more is read.
func (p *progress) clear() { fmt.Fprint(p.terminal, "\r\x1b[K") }
