package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

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
	// muchOpen is how much the processor retains when runs begin to close, in bytes.
	muchOpen int64 = 24 << 20
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
