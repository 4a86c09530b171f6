package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/tracefile"
)

// stdinName names standard input.
const stdinName = "-"

// maxFaults is how many faults of one file are reported. A file of another kind has one on each line.
const maxFaults = 5

// errInput says that a part of the input could not be read. The fault has been reported.
var errInput = errors.New("not all of the input could be read")

// An input is what was read, what was wrong with it, and what decides whether its runs are judged.
type input struct {
	streams
	progress *progress
	names    []string // of the files
	spans    int
	places   map[pcommon.TraceID]place
	faulty   bool // whether a part could not be read

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
func (in *input) read(files []string, f func(ptrace.Traces) error) (err error) {
	if in.progress, err = newProgress(in.err, files); err != nil {
		return err
	}
	defer in.progress.clear()
	for _, name := range files {
		in.names = append(in.names, name)
		if err := in.readFile(name, f); err != nil {
			return err
		}
	}
	return nil
}

// say writes a line for people, in place of the progress.
func (in *input) say(format string, args ...any) {
	in.progress.clear()
	in.streams.say(format, args...)
}

func (in *input) readFile(name string, f func(ptrace.Traces) error) error {
	content := in.in
	if name == stdinName {
		name = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		content = file
	}
	faults := 0
	defer func() {
		if faults > maxFaults {
			in.say("%s: and %d more", name, faults-maxFaults)
		}
	}()
	for td, fault := range tracefile.Read(name, io.TeeReader(content, in.progress)) {
		if fault != nil {
			in.faulty = true
			if faults++; faults <= maxFaults {
				in.say("%v", fault)
			}
			continue
		}
		in.see(td)
		if err := f(td); err != nil {
			return err
		}
	}
	return nil
}

// A progress says on a terminal how much of the files was read. For a pipe or a log, and for input that is read at once, it says nothing.
type progress struct {
	terminal    io.Writer
	total, read int64
}

// newProgress begins a progress for files of 16 MiB or more together. The error is that one of them cannot be read, and none has been.
func newProgress(stderr io.Writer, files []string) (*progress, error) {
	const worthSaying = 16 << 20
	p := &progress{terminal: io.Discard}
	for _, name := range files {
		if name == stdinName { // it has no size
			continue
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder; name its files, such as %s", name, filepath.Join(name, "*.jsonl"))
		}
		p.total += info.Size()
	}
	f, isFile := stderr.(*os.File)
	if !isFile || p.total < worthSaying {
		return p, nil
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		p.terminal = f
	}
	return p, nil
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
