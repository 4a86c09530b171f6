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

// maxFaults is how many faults of one file are told. A file of another kind has one on each line.
const maxFaults = 5

// inputs are the files that the arguments stand for: a folder for all trace files below it, a pattern for those that it
// matches.
func inputs(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		found, err := input(arg)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	return files, nil
}

func input(arg string) ([]string, error) {
	if arg == stdinName {
		return []string{arg}, nil
	}
	info, err := os.Stat(arg)
	switch {
	case err == nil && info.IsDir():
		return below(arg)
	case err != nil && strings.ContainsAny(arg, "*?["):
		found, bad := filepath.Glob(arg)
		if bad != nil || len(found) == 0 {
			return nil, fmt.Errorf("no file matches %s", arg)
		}
		return found, nil
	case err != nil:
		return nil, err
	}
	return []string{arg}, nil
}

// traceSuffixes are those of files in a folder that are read.
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

// errInput says that a part of the input could not be read. What is wrong has been told.
var errInput = errors.New("not all of the input could be read")

// A reader reads files one after the other, and tells what is wrong with them.
type reader struct {
	stdin    io.Reader
	stderr   io.Writer
	progress *progress
	faulty   bool
}

// read calls f with the traces of each document of a file.
func (r *reader) read(name string, f func(ptrace.Traces) error) error {
	shown, in := name, r.stdin
	if name == stdinName {
		shown = "standard input"
	} else {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	faults := 0
	err := tracefile.Read(r.progress.of(in), tracefile.Settings{
		Name: shown, Traces: f,
		Fault: func(fault *tracefile.Fault) {
			if faults++; faults <= maxFaults {
				r.progress.print(r.stderr, "toolcorrectness: "+fault.Error())
			}
		},
	})
	if faults > maxFaults {
		r.progress.print(r.stderr, fmt.Sprintf("toolcorrectness: %s: and %d more", shown, faults-maxFaults))
	}
	r.faulty = r.faulty || faults > 0
	return err
}
