package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/spool"
)

const scoreLong = `Compare the tools that recorded agents called with the tools that FILE expects.
FILE is a collector configuration. The shortest one expects two tools of every run:
  processors: {tool_correctness: {expectations: [{tools: [search_orders, refund_order]}]}}
TRACES are files, folders, patterns, or - for standard input, in any of these forms: OTLP/JSON
(documents, or lines of the file exporter), OTLP protobuf, JSON of Jaeger or Tempo; gzip, zstd.`

const scoreExample = `formats: table (for people), json (a line for each run and metric), junit (for CI),
  markdown (for a job's summary or a comment), html (a page with expected tools beside the calls).
exit codes: 0 a run was judged, and all judged runs passed (or the share that -pass-rate asks for);
  1 a run failed or had no score, or nothing was judged; 2 wrong use or unreadable input.
no FILE yet: toolcorrectness suggest -o FILE TRACES drafts one from good runs.
example, from the top of the repository:
  toolcorrectness -config examples/demo.yaml testdata/traces/*.jsonl`

// options are the command line of score.
type options struct {
	config    string
	processor string
	format    string
	output    string
	traceURL  string
	gate      report.Gate
	sort      string
	baseline  string
	// values says whether values of arguments and outputs are printed. valuesGiven is false where the user leaves that to the
	// configuration.
	values, valuesGiven bool
	traces              []string
}

// newScore is the command score, under a name of its own.
func newScore(use string) *cobra.Command {
	o := &options{}
	c := &cobra.Command{
		Use: use, Short: "score recorded traces", Long: scoreLong, Example: scoreExample,
		Annotations: map[string]string{usage: "toolcorrectness [score] -config FILE [FLAGS] TRACES..."},
		Args:        cobra.ArbitraryArgs,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.config, "config", "", "the collector configuration `FILE` (required)")
	f.StringVar(&o.processor, "processor", "", "the `ID` of the processor in FILE, if FILE has several")
	f.StringVar(&o.format, "format", report.Formats[0].Name, "the `FORMAT` of the report: "+formatNames())
	f.StringVarP(&o.output, "o", "o", "", "write to `FILE` and not to standard output")
	f.StringVar(&o.traceURL, "trace-url", "", "html: link each run to this `URL`, with its ids for {trace} and {span}")
	f.StringVar(&o.sort, "sort", sortInput, "the `ORDER` of the runs: input, worst (first) or slowest (first)")
	f.StringVar(&o.baseline, "baseline", "", "fail only on what is worse than in `FILE` (by -format json), or new and failed")
	f.Float64Var(&o.gate.FailUnder, "fail-under", 0, "also fail if a score is under `N`")
	f.Float64Var(&o.gate.PassRate, "pass-rate", 1, "the share `P` of judged runs that must pass, from 0 to 1 (1)")
	f.BoolVar(&o.gate.AllowEmpty, "allow-empty", false, "do not fail if nothing was judged")
	f.BoolVar(&o.values, "values", false, "print values of arguments and outputs; -values=false: print none at all")
	c.RunE = func(c *cobra.Command, args []string) error {
		o.traces, o.valuesGiven = args, f.Changed("values")
		return o.score(c)
	}
	return c
}

var (
	errNoConfig = errors.New("-config is required (suggest drafts one); -h explains it")
	errNoTraces = errors.New("no traces: name files or folders, or - for standard input")
)

// check reports what is wrong with the command line.
func (o *options) check() error {
	_, known := formatNamed(o.format)
	switch {
	case o.config == "":
		return errNoConfig
	case len(o.traces) == 0:
		return errNoTraces
	case !known:
		return fmt.Errorf("-format must be %s, is %q", formatNames(), o.format)
	case o.sort != sortInput && o.sort != sortWorst && o.sort != sortSlowest:
		return fmt.Errorf("-sort must be input, worst or slowest, is %q", o.sort)
	case o.sort != sortInput && o.format == "json":
		return errors.New("-sort is for other formats: json has the order of the input, which -baseline relies on")
	case o.traceURL != "" && !strings.HasPrefix(o.traceURL, "http://") && !strings.HasPrefix(o.traceURL, "https://"):
		return fmt.Errorf("-trace-url must begin with http:// or https://, is %q", o.traceURL)
	case !(0 <= o.gate.FailUnder && o.gate.FailUnder <= 1): // false for NaN as well
		return fmt.Errorf("-fail-under must be from 0 to 1, is %v", o.gate.FailUnder)
	case !(0 <= o.gate.PassRate && o.gate.PassRate <= 1):
		return fmt.Errorf("-pass-rate must be from 0 to 1, is %v", o.gate.PassRate)
	}
	return nil
}

// The words of -sort.
const (
	sortInput   = "input"
	sortWorst   = "worst"
	sortSlowest = "slowest"
)

// score judges and prints.
func (o *options) score(c *cobra.Command) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	before, err := o.readBaseline()
	if err != nil {
		return err
	}
	found, err := o.judge(c.Context(), c.InOrStdin(), c.ErrOrStderr())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, found.rows.Close()) }()
	rows, err := found.rows.Sorted()
	if err != nil {
		return err
	}
	var compared *report.Comparison
	if before != nil {
		if compared, rows, err = before.Compare(rows, o.gate); err != nil {
			return err
		}
		if o.format != "table" && o.format != "markdown" || o.output != "" {
			fmt.Fprintln(c.ErrOrStderr(), compared)
		}
	}
	if !found.faulty || found.spans > 0 { // without traces there are no verdicts
		if err := o.printSorted(c.OutOrStdout(), rows, compared); err != nil {
			return err
		}
	}
	if found.faulty {
		return errInput // whatever the verdicts are, because some are missing
	}
	return o.close(c, rows, found)
}

// close is the gate: its error says why the runs are not good enough.
func (o *options) close(c *cobra.Command, rows report.Rows, found *findings) error {
	summary, err := o.gate.Summarize(rows)
	if err != nil {
		return err
	}
	if summary.Judged() == 0 {
		err := fmt.Errorf("%w: %s", report.ErrNothingJudged, found.why())
		if !o.gate.AllowEmpty {
			return errGate{err}
		}
		fmt.Fprintln(c.ErrOrStderr(), "toolcorrectness:", err)
	}
	if err := o.gate.Check(summary); err != nil {
		return errGate{err}
	}
	return nil
}

// readBaseline returns nil if no baseline is named.
func (o *options) readBaseline() (*report.Baseline, error) {
	if o.baseline == "" {
		return nil, nil
	}
	f, err := os.Open(o.baseline)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	before, err := o.gate.ReadBaseline(f)
	if err != nil {
		return nil, fmt.Errorf("-baseline %s: %w", o.baseline, err)
	}
	return before, nil
}

// printSorted prints the rows in the order of -sort.
func (o *options) printSorted(stdout io.Writer, rows report.Rows, compared *report.Comparison) (err error) {
	if o.sort == sortInput {
		return o.print(stdout, rows, compared)
	}
	order := report.Slowest
	if o.sort == sortWorst {
		order = o.gate.Worst
	}
	again := spool.New(order, rowsInMemory)
	defer func() { err = errors.Join(err, again.Close()) }()
	if err := rows.Each(func(run []report.Row) error { return again.Add(slices.Clone(run)) }); err != nil {
		return err
	}
	if rows, err = again.Sorted(); err != nil {
		return err
	}
	return o.print(stdout, rows, compared)
}

// print writes the rows where they are wanted.
func (o *options) print(stdout io.Writer, rows report.Rows, compared *report.Comparison) error {
	how := report.Options{Gate: o.gate, TraceURL: o.traceURL, Compared: compared}
	format, _ := formatNamed(o.format)
	if o.output == "" {
		how.Width = width(stdout)
		how.Color = how.Width > 0 && os.Getenv("NO_COLOR") == ""
		return format.Print(stdout, rows, how)
	}
	f, err := os.Create(o.output)
	if err != nil {
		return err
	}
	return errors.Join(format.Print(f, rows, how), f.Close())
}

func formatNamed(name string) (report.Format, bool) {
	i := slices.IndexFunc(report.Formats, func(f report.Format) bool { return f.Name == name })
	if i < 0 {
		return report.Format{}, false
	}
	return report.Formats[i], true
}

// formatNames lists the formats in words.
func formatNames() string {
	var names []string
	for _, f := range report.Formats {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// width is the width of the terminal w, or 0 if w is none.
func width(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	n, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return n
}
