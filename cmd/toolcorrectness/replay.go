package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// judge sends the traces through the processor and returns what was read, and what the processor says of each run.
func (o *options) judge(ctx context.Context, s streams, traces []string) (*judged, []report.Row, error) {
	cfg, err := o.load(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	found := &judged{input: newInput(s), expectations: cfg.Expectations}
	p, err := cfg.build(ctx, logTo(s.err, &found.warnings))
	if err != nil {
		return nil, nil, err
	}
	var rows []report.Row
	p.DryRun(func(r evaluate.Report) {
		found.runs++
		where := found.places[r.Run.Trace]
		for _, row := range rowsOf(r, cfg.Annotate.Values) {
			row.Run, row.File, row.Position = found.runs, found.names[where.file], where.position
			rows = append(rows, row)
		}
	})
	err = found.replay(ctx, p, cfg.Run, traces)
	return found, rows, err
}

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

// A judged is an input, and what decides whether its runs are judged.
type judged struct {
	*input
	runs         int
	expectations []toolcorrectnessprocessor.ExpectationConfig
	warnings     int // how often the processor warned of something
}

// replay sends traces through the processor, and closes all runs.
func (in *input) replay(ctx context.Context, p *processor.Processor, run toolcorrectnessprocessor.RunConfig, traces []string) error {
	files, err := sources(traces)
	if err != nil {
		return err
	}
	c := pace{step: run.Wait/2 + 1}
	err = in.read(files, func(td ptrace.Traces) error {
		err := p.ConsumeTraces(ctx, td)
		c.advance(ctx, p, in.spans)
		return err
	})
	if err != nil {
		return err
	}
	p.Advance(ctx, run.Wait)
	p.Advance(ctx, run.IdleTimeout)
	return p.Shutdown(ctx)
}

// A pace closes runs along the way, so that the open runs of an input of any size need bounded memory. While few spans are open,
// nothing closes before the end of the input. Then it does not matter where in the input the spans of a run are.
type pace struct {
	step  time.Duration // a little more than half of run.wait
	spans int           // how many had been read when the clock was last advanced
}

// Tests make these smaller.
var (
	// muchOpen is how much the processor retains when runs begin to close, in bytes.
	muchOpen int64 = 24 << 20
	// fewSpans is how many spans are read at least before the clock advances again. A run closes after two steps, so its
	// calls may follow its own span by that many spans.
	fewSpans = 20_000
)

// advance advances the clock if much is open.
func (c *pace) advance(ctx context.Context, p *processor.Processor, spans int) {
	var d time.Duration
	if spans-c.spans >= fewSpans && p.Retained() > muchOpen {
		c.spans, d = spans, c.step
	}
	p.Advance(ctx, d) // also without a step: runs that a limit closed leave
}

// why says what was found, and why no run was judged.
func (j *judged) why(rows []report.Row) string {
	in := " in " + report.Number(len(j.names), "file")
	switch spans := report.Number(j.spans, "span") + in; {
	case j.spans == 0:
		return "no spans" + in
	case j.runs == 0:
		return spans + ", and none is known as an agent's, a tool call's, or a model call's that was offered tools"
	}
	var expectations []string
	for i, x := range j.expectations {
		name := ""
		if x.Name != "" {
			name = " (" + x.Name + ")"
		}
		expectations = append(expectations, fmt.Sprintf("expectations[%d]%s: when %s", i, name, cmp.Or(x.When, "always")))
	}
	said := report.Number(j.runs, "run") + in + ", and no expectation is for any of them\n  agents found: " + agentsIn(rows)
	if expectations != nil {
		said += "\n  " + report.Few(expectations, maxListed, "\n  ")
	}
	if j.warnings > 0 {
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
