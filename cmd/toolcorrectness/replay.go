package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/tracefile"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
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

// expanded are names of files, and the files of patterns, which some shells do not expand.
func expanded(names []string) (files []string) {
	for _, name := range names {
		found, _ := filepath.Glob(name) // none of a bad pattern
		if _, err := os.Stat(name); err == nil || found == nil {
			found = []string{name}
		}
		files = append(files, found...)
	}
	return files
}

// read calls f with the traces of each document of all files.
func (in *input) read(files []string, f func(ptrace.Traces) error) (err error) {
	files = expanded(files)
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
	if faults > maxFaults {
		in.say("%s: and %d more", name, faults-maxFaults)
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
	if f, isFile := stderr.(*os.File); isFile && p.total >= worthSaying {
		if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			p.terminal = f
		}
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

// load reads the configuration, or makes one that expects nothing.
func (o *options) load(ctx context.Context, s streams) (cfg loaded, err error) {
	if cfg = neutral(); !o.list {
		cfg, err = o.collector.load(ctx, logTo(s.err, new(int)))
	}
	if err == nil && o.values != nil {
		cfg.Annotate.Values = *o.values
	}
	return cfg, err
}

// Tests make these smaller.
var (
	// muchOpen is how much the processor retains when runs begin to close, in bytes. Its tables take 4.5 MiB of that.
	muchOpen int64 = 28 << 20
	// fewSpans is how many spans are read at least before the clock advances again. A run closes after two steps, so its
	// calls may follow its own span by that many spans.
	fewSpans = 20_000
)

// replay sends traces through a processor, closes all runs, and calls each with every run. Runs also close along the way, so that the open
// runs of an input of any size need bounded memory. While few spans are open, nothing closes before the end of the input. Then it does not
// matter where in the input the spans of a run are.
func replay(ctx context.Context, s streams, cfg loaded, traces []string, each func(*input, evaluate.Report)) (*input, error) {
	in := &input{streams: s, places: map[pcommon.TraceID]place{}, expectations: cfg.Expectations}
	p, err := cfg.build(ctx, logTo(s.err, &in.warnings))
	if err != nil {
		return nil, err
	}
	p.DryRun(func(r evaluate.Report) {
		in.runs++
		each(in, r)
	})
	before := 0 // how many spans had been read when time last went on
	err = in.read(traces, func(td ptrace.Traces) error {
		if err := p.ConsumeTraces(ctx, td); err != nil {
			return err
		}
		var step time.Duration
		if in.spans-before >= fewSpans && p.Retained() > muchOpen {
			before, step = in.spans, cfg.Run.Wait/2+1
		}
		p.Advance(ctx, step) // also without a step: runs that a limit closed leave
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.Advance(ctx, cfg.Run.Wait)
	p.Advance(ctx, cfg.Run.IdleTimeout)
	return in, p.Shutdown(ctx)
}

// why says what was found, and why no run was judged.
func (in *input) why(rows []report.Row) string {
	files := " in " + report.Number(len(in.names), "file")
	switch spans := report.Number(in.spans, "span") + files; {
	case in.spans == 0:
		return "no spans" + files
	case in.runs == 0:
		return spans + ", and none is known as an agent's, a tool call's, or a model call's that was offered tools"
	}
	var expectations []string
	for i, x := range in.expectations {
		name := ""
		if x.Name != "" {
			name = " (" + x.Name + ")"
		}
		expectations = append(expectations, fmt.Sprintf("expectations[%d]%s: when %s", i, name, cmp.Or(x.When, "always")))
	}
	said := report.Number(in.runs, "run") + files + ", and no expectation is for any of them\n  agents found: " + agentsIn(rows)
	if expectations != nil {
		said += "\n  " + report.Few(expectations, maxListed, "\n  ")
	}
	if in.warnings > 0 {
		said += "\n  the warnings above may say why"
	}
	return said
}

// maxListed is how many agents or expectations a message names.
const maxListed = 10

// agentsIn names the agents of runs that no expectation is for, with their numbers of runs. Such a run has one row.
func agentsIn(rows []report.Row) string {
	runs := map[string]int{}
	for i := range rows {
		switch {
		case rows[i].SpanID == "":
			runs["unknown, because the run's own span never arrived"]++
		case rows[i].Agent == "":
			runs["without a name"]++
		default:
			runs[strconv.Quote(rows[i].Agent)]++
		}
	}
	var agents []string
	for _, agent := range slices.Sorted(maps.Keys(runs)) {
		agents = append(agents, fmt.Sprintf("%s (%s)", agent, report.Number(runs[agent], "run")))
	}
	return report.Few(agents, maxListed, ", ")
}

// rowsOf is a row for each metric that met an expectation, or one for a run that no expectation is for. Without values the
// rows have no arguments and no outputs, neither of calls nor of expected tools.
func rowsOf(r evaluate.Report, values bool) []report.Row {
	base := report.Row{
		TraceID: r.Run.Trace.String(), Status: report.NoExpectation, Complete: r.Run.Doubts.Complete(), ClosedBy: r.Run.ClosedBy.String(),
		// JSON has [] and not null.
		IncompleteBecause: append([]string{}, r.Run.Doubts.Names()...), Expected: []string{}, Missing: []string{}, Unexpected: []string{},
		Calls: make([]report.Call, len(r.Run.Calls)), Rejected: evaluate.ShownNames(r.Run.Rejected),
	}
	for i := range r.Run.Calls {
		c := &r.Run.Calls[i]
		base.Calls[i] = report.Call{Name: c.Name, Status: c.Status.String(), SpanID: c.ID.String(), Start: uint64(c.Start), End: uint64(c.End)}
		if values {
			base.Calls[i].Arguments, base.Calls[i].Output = content(c.Arguments), content(c.Output)
		}
		base.Start, base.End = base.Calls[0].Start, max(base.End, base.Calls[i].End)
	}
	if len(r.Run.Anchors) > 0 {
		a := r.Run.Anchors[0]
		base.SpanID, base.Agent, base.Conversation, base.Start = a.ID.String(), a.Agent, a.Conversation, uint64(a.Start)
		base.End = max(base.End, uint64(a.End))
		if service, has := a.Origin.Resource.Resource().Attributes().Get("service.name"); has {
			base.Service = service.AsString()
		}
	}
	if base.Start > 0 {
		base.Started = time.Unix(0, int64(base.Start)).UTC().Format(time.RFC3339)
	}
	if len(r.Results) == 0 {
		return []report.Row{base}
	}
	var rows []report.Row
	for _, res := range r.Results {
		row := base
		row.Metric, row.Status, row.Reason = res.Metric, res.Verdict.Status.String(), res.Reason
		row.Expectation, row.Case = res.Expectation, res.Case
		row.Expected, row.Missing = append(row.Expected, res.Expected...), append(row.Missing, res.Missing...)
		row.Unexpected = append(row.Unexpected, res.Unexpected...)
		row.Passed, row.Threshold = res.Verdict.Passed, res.Verdict.Threshold
		if res.Verdict.Status == scoring.Scored {
			row.Score = new(res.Verdict.Score)
		}
		row.Calls = slices.Clone(base.Calls)
		row.Steps = stepsOf(res.Verdict, values)
		for _, s := range row.Steps {
			if s.Call >= 0 {
				row.Calls[s.Call].Verdict = s.Class
			}
		}
		row.Fault, row.FaultOf = faultOf(&res.Verdict)
		rows = append(rows, row)
	}
	return rows
}

// stepsOf returns the alignment of a verdict.
func stepsOf(verdict scoring.Verdict, values bool) []report.Step {
	matches := verdict.Matches()
	steps := make([]report.Step, len(matches))
	for i, m := range matches {
		s := report.Step{Call: m.Called, Class: m.Class.String(), Credit: m.Credit, Faults: m.Faults(scoring.ReasonOptions{Values: values})}
		if m.Expected >= 0 {
			tool := verdict.Alignment.Expected[m.Expected]
			s.Tool = cmp.Or(tool.Name, strings.Join(tool.Names, "|"))
			if values && tool.Arguments != (scoring.Payload{}) {
				s.Arguments = content(tool.Arguments)
			}
			if m.Called < 0 && m.Class != scoring.CallUncertain {
				s.Class = report.Missing
			}
		}
		steps[i] = s
	}
	return steps
}

// faultOf names what went wrong first, as the reason does, and the tool that it concerns.
func faultOf(v *scoring.Verdict) (fault, tool string) {
	if i := slices.IndexFunc(v.Turns, func(t scoring.Verdict) bool { return !t.Passed }); i >= 0 && !v.Passed {
		return faultOf(&v.Turns[i])
	}
	findings, a := v.Findings(), &v.Alignment
	extra := slices.IndexFunc(findings, func(f scoring.Finding) bool { return f.Kind >= scoring.OverLimit })
	switch {
	case v.Passed:
		return "", ""
	case v.Status != scoring.Scored:
		return "Not scored", ""
	case len(findings) > 0 && findings[0].Kind == scoring.ForbiddenCall:
	case len(a.Broken) > 0:
		if at := a.Broken[0].Call; at >= 0 {
			return scoring.OverLimit.String(), a.Called[at].Name
		}
		return "Rule broken", ""
	case a.Extra == scoring.ExtraForbidden && extra > 0:
		findings = findings[extra:]
	case len(findings) == 0:
		return "Low score", ""
	}
	return findings[0].Kind.String(), findings[0].Name
}

// content is a payload as JSON, and as UTF-8 even where a span is not.
func content(p scoring.Payload) json.RawMessage {
	return bytes.ToValidUTF8(p.AppendJSON(nil), []byte("\uFFFD"))
}
