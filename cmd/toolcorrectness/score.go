package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

var listCommand = subcommand{
	name: "list", short: "list recorded runs, without a configuration", usage: "list [FLAGS] TRACES...",
	long: `List the runs in recorded traces: the agent and the called tools of each. It needs no configuration.
TRACES are as for score.`,
	example: `exit codes: 0 listed; 2 wrong use or unreadable input.
example, from the top of the repository:
  toolcorrectness list testdata/traces/*.jsonl`,
	prepare: func(f *flag.FlagSet) action {
		o := &options{list: true}
		o.printFlags(f)
		return o.score
	},
}

// options are the command line of score.
type options struct {
	collector collector
	format    report.Format
	output    string
	traceURL  string
	gate      report.Gate
	baseline  string
	// values says whether values of arguments and outputs are printed. It is nil where the user leaves that to the configuration.
	values *bool
	// list prints runs, without a configuration.
	list bool
}

// printFlags adds the flags that say what is printed.
func (o *options) printFlags(f *flag.FlagSet) {
	var names []string
	for _, format := range report.Formats {
		names = append(names, format.Name)
	}
	o.format = report.Formats[0]
	f.Func("format", "the `FORMAT` of the report: "+configcheck.Alternatives(names), func(word string) error {
		i := slices.Index(names, word)
		if i < 0 {
			return fmt.Errorf("it must be %s", configcheck.Alternatives(names))
		}
		o.format = report.Formats[i]
		return nil
	})
	f.StringVar(&o.output, "o", "", "write to `FILE` and not to standard output")
	f.StringVar(&o.traceURL, "trace-url", "", "html: link each run to this `URL`, with its ids for {trace} and {span}")
	o.valuesFlag(f)
}

func (o *options) valuesFlag(f *flag.FlagSet) {
	f.BoolFunc("values", "print values of arguments and outputs; -values=false: print none at all", func(word string) error {
		values, err := strconv.ParseBool(word)
		o.values = &values
		return err
	})
}

// shareFlag adds a flag that is from 0 to 1.
func shareFlag(f *flag.FlagSet, to *float64, name, usage string) {
	f.Func(name, usage, func(word string) error {
		share, err := strconv.ParseFloat(word, 64)
		if err != nil || !(0 <= share && share <= 1) { // true for NaN as well
			return errors.New("it must be from 0 to 1")
		}
		*to = share
		return nil
	})
}

func (o *options) passRateFlag(f *flag.FlagSet) {
	o.gate.PassRate = 1
	shareFlag(f, &o.gate.PassRate, "pass-rate", "the share `P` of judged runs that must pass, from 0 to 1 (1)")
}

var scoreCommand = subcommand{
	name: "score", short: "score recorded traces", usage: "[score] -config FILE [FLAGS] TRACES...",
	long: `Compare the tools that recorded agents called with the tools that FILE expects.
FILE is a collector configuration. The shortest one expects two tools of every run:
  processors: {tool_correctness: {expectations: [{tools: [search_orders, refund_order]}]}}
TRACES are files, patterns, or - for standard input, in any of these forms: OTLP/JSON (documents,
or lines of the file exporter), OTLP protobuf, JSON of Jaeger or Tempo; gzip, zstd.`,
	example: `formats: table (for people), json (a line for each run and metric), junit (for CI),
  markdown (for a job's summary or a comment), html (a page with expected tools beside the calls).
exit codes: 0 a run was judged, and all judged runs passed (or the share that -pass-rate asks for);
  1 a run failed or had no score, or nothing was judged; 2 wrong use or unreadable input.
example, from the top of the repository:
  toolcorrectness -config examples/demo.yaml testdata/traces/*.jsonl`,
	prepare: func(f *flag.FlagSet) action {
		o := &options{}
		o.collector.flags(f, "the collector configuration `FILE` (required); several are merged", "the `ID` of the processor in FILE, if FILE has several")
		o.printFlags(f)
		f.StringVar(&o.baseline, "baseline", "", "fail only on what is worse than in `FILE` (by -format json), or new and failed")
		shareFlag(f, &o.gate.FailUnder, "fail-under", "also fail if a score is under `N`")
		o.passRateFlag(f)
		shareFlag(f, &o.gate.CasePassRate, "case-pass-rate", "the share `P` of the runs of each case that must pass; -pass-rate is 0 then")
		k := f.Uint("pass-k", 0, "each case has `N` runs or more, and -case-pass-rate is of pass^N")
		f.BoolVar(&o.gate.AllowEmpty, "allow-empty", false, "do not fail if nothing was judged")
		return func(ctx context.Context, s streams, traces []string) error {
			stated := false
			f.Visit(func(f *flag.Flag) { stated = stated || f.Name == "pass-rate" })
			o.gate.PassK = int(*k)
			if o.gate.CasePassRate > 0 && !stated {
				o.gate.PassRate = 0
			}
			return o.score(ctx, s, traces)
		}
	},
}

var (
	errNoConfig = errors.New("-config is required (suggest drafts one); -h explains it")
	errNoTraces = errors.New("no traces: name files, or - for standard input")
)

// score judges the runs in the traces, prints the verdicts, and says whether the gate is open.
func (o *options) score(ctx context.Context, s streams, traces []string) error {
	switch {
	case len(o.collector.files) == 0 && !o.list:
		return errNoConfig
	case len(traces) == 0:
		return errNoTraces
	case o.traceURL != "" && !strings.HasPrefix(o.traceURL, "http://") && !strings.HasPrefix(o.traceURL, "https://"):
		return fmt.Errorf("-trace-url must begin with http:// or https://, is %q", o.traceURL)
	}
	var before, rows []report.Row
	if o.baseline != "" {
		var err error
		if before, err = readReport(o.baseline); err != nil {
			return fmt.Errorf("-baseline: %w", err)
		}
	}
	cfg, err := o.load(ctx, s)
	if err != nil {
		return err
	}
	in, err := replay(ctx, s, cfg, traces, func(in *input, r evaluate.Report) {
		where := in.places[r.Run.Trace]
		for _, row := range rowsOf(r, cfg.Annotate.Values) {
			row.Run, row.File, row.Position = in.runs, in.names[where.file], where.position
			rows = append(rows, row)
		}
	})
	if err != nil {
		return err
	}
	report.Sort(rows)
	if before != nil {
		fmt.Fprintln(s.err, o.gate.Compare(before, rows))
	}
	if !in.faulty || in.spans > 0 { // without traces there are no verdicts
		how := report.Options{Gate: o.gate, TraceURL: o.traceURL}
		if err := s.output(o.output, func(w io.Writer) error { return o.format.Print(w, rows, how) }); err != nil {
			return err
		}
	}
	switch {
	case in.faulty:
		return errInput // whatever the verdicts are, because some are missing
	case !o.list:
		return o.close(s, in, rows)
	case len(rows) == 0:
		s.say("%s", in.why(rows))
	}
	return nil
}

// close is the gate: its error says why the runs are not good enough.
func (o *options) close(s streams, in *input, rows []report.Row) error {
	summary := o.gate.Summarize(rows)
	err := o.gate.Check(summary)
	switch {
	case summary.Judged() > 0:
		err = cmp.Or(err, o.gate.CheckCases(rows))
	case o.gate.AllowEmpty:
		s.say("%v: %s", report.ErrNothingJudged, in.why(rows))
	default:
		err = fmt.Errorf("%w: %s", err, in.why(rows))
	}
	if err != nil {
		return errGate{err}
	}
	return nil
}

var trendCommand = subcommand{
	name: "trend", short: "show pass rates over several reports", usage: "trend [-o FILE] REPORT...",
	long: `Show the pass rates of several reports, by case and by expectation, as one HTML page without network.
REPORT is what -format json wrote. Its date is that of its last run.`,
	example: `A verdict passed as its report says; -fail-under is not asked again.

example:
  toolcorrectness trend -o trend.html reports/*.json`,
	prepare: func(f *flag.FlagSet) action {
		output := f.String("o", "", "write to `FILE` and not to standard output")
		return func(_ context.Context, s streams, files []string) error {
			if len(files) == 0 {
				return errors.New("no reports: name files that -format json wrote")
			}
			reports := make([]report.Dated, len(files))
			for i, file := range files {
				rows, err := readReport(file)
				if err != nil {
					return err
				}
				reports[i] = report.Dated{Name: filepath.Base(file), Rows: rows}
			}
			return s.output(*output, func(w io.Writer) error { return report.Trend(w, reports) })
		}
	},
}

// readReport reads what -format json wrote.
func readReport(file string) ([]report.Row, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := report.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return rows, nil
}
