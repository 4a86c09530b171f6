// Command toolcorrectness is the dry run: recorded traces and a collector configuration in, verdicts out. Spans go
// through the very processor that a collector would run, with a clock that does not wait.
//
//	toolcorrectness -config FILE [-processor ID] [-format table|json] [-fail-under N] TRACES...
//
// TRACES are OTLP/JSON, one document or one request a line, or OTLP protobuf, one request or several as the file
// exporter writes them; - is standard input. It exits with 0 if all runs passed, with 1 if one failed, and with 2 if it
// could not be used so or input cannot be read.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

const (
	exitPassed = iota
	exitFailed
	exitUsage
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// options are the command line.
type options struct {
	config    string
	processor string
	format    string
	failUnder float64
	traces    []string
}

func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitPassed
	}
	var rows []row
	if err == nil {
		rows, err = o.judge(context.Background(), stdin, stderr)
	}
	if err == nil {
		err = formats[o.format](stdout, rows)
	}
	if err != nil {
		fmt.Fprintln(stderr, "toolcorrectness:", err)
		return exitUsage
	}
	switch {
	case len(rows) == 0:
		fmt.Fprintln(stderr, "toolcorrectness: no run of an agent was found")
	case !slices.ContainsFunc(rows, func(r row) bool { return r.Status != statusNoExpectation }):
		fmt.Fprintln(stderr, "toolcorrectness: no expectation was for any run, so nothing was judged")
	}
	for _, r := range rows {
		if r.failed(o.failUnder) {
			return exitFailed
		}
	}
	return exitPassed
}

func parse(args []string, stderr io.Writer) (options, error) {
	var o options
	f := flag.NewFlagSet("toolcorrectness", flag.ContinueOnError)
	f.SetOutput(io.Discard) // run says what is wrong
	f.StringVar(&o.config, "config", "", "the collector configuration `FILE` (required)")
	f.StringVar(&o.processor, "processor", "", "the `ID` of the processor in it, where it has several")
	f.StringVar(&o.format, "format", "table", "the `FORMAT`, table or json")
	f.Float64Var(&o.failUnder, "fail-under", 0, "fail, too, if a score is under `N`")
	f.Usage = func() {
		fmt.Fprintln(stderr, "usage: toolcorrectness -config FILE [-processor ID] [-format table|json] [-fail-under N] TRACES...")
		f.SetOutput(stderr)
		f.PrintDefaults()
	}
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.traces = f.Args()
	switch {
	case o.config == "":
		return o, errors.New("-config is required")
	case len(o.traces) == 0:
		return o, errors.New("no traces: name files with OTLP/JSON or OTLP protobuf, or - for standard input")
	case formats[o.format] == nil:
		return o, fmt.Errorf("-format must be table or json, is %q", o.format)
	case !(0 <= o.failUnder && o.failUnder <= 1) || math.IsNaN(o.failUnder):
		return o, fmt.Errorf("-fail-under must be from 0 to 1, is %v", o.failUnder)
	}
	return o, nil
}
