package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/draft"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const suggestLong = `Draft a configuration from recorded good runs. For each agent, the draft has the tools that were
always or sometimes called. If their order, number or arguments never varied, the draft has these
too. Each line says how many runs support it. The runs that the draft was made from pass with it.
Edit the draft: it says what the agents did, not what they should do. TRACES are as for score.`

const suggestExample = `exit codes: 0 drafted; 1 there were no runs; 2 wrong use or unreadable input.
examples, from the top of the repository:
  toolcorrectness suggest testdata/traces
  toolcorrectness suggest -key test.case.name -values=false testdata/traces`

// suggestion is the command line of suggest.
type suggestion struct {
	key, output string
	values      bool
}

var suggestCommand = subcommand{
	name: "suggest", short: "draft a configuration from good runs", long: suggestLong, usage: "[FLAGS] TRACES...", example: suggestExample,
	prepare: func(f *flag.FlagSet) func(context.Context, streams, []string) error {
		o := &suggestion{}
		f.StringVar(&o.key, "key", "", "draft an expectation for each value of an `ATTRIBUTE` of the run's own span")
		f.StringVar(&o.output, "o", "", "write to `FILE` and not to standard output")
		f.BoolVar(&o.values, "values", true, "draft values of arguments; -values=false: names of tools only")
		return o.run
	},
}

func (o *suggestion) run(ctx context.Context, s streams, traces []string) error {
	if len(traces) == 0 {
		return errNoTraces
	}
	in, g := newInput(s), &gathered{key: o.key, values: o.values}
	if err := g.gather(ctx, in, traces); err != nil {
		return err
	}
	if in.faulty {
		return errInput // a draft from a part of the runs would not say what is missing
	}
	files := report.Number(len(in.names), "file")
	d, err := draft.New(g.runs)
	if errors.Is(err, draft.ErrNoRuns) {
		return errGate{fmt.Errorf("%w in %s with %s", err, files, report.Number(in.spans, "span"))}
	}
	if err != nil {
		return err
	}
	if g.left > 0 {
		s.say("%s left out: the own span did not arrive, or the run is not complete", report.Number(g.left, "run"))
	}
	if o.key != "" && !g.keyed {
		s.say("-key %s: no run's own span has this attribute, so the draft has one expectation for each agent", o.key)
	}
	head := fmt.Sprintf("Drafted from %s in %s. Edit it: keep what an agent should do, remove what it did by chance.", report.Number(len(g.runs), "good run"), files)
	return s.output(o.output, func(w io.Writer) error { return d.YAML(w, o.key, head) })
}

// gathered are the good runs.
type gathered struct {
	runs   []draft.Run
	key    string
	values bool
	keyed  bool // a run has the key
	left   int  // runs without their anchor, and runs that are not complete
}

// gather sends the traces through a processor that expects nothing of any run.
func (g *gathered) gather(ctx context.Context, in *input, traces []string) error {
	cfg, id := neutral()
	p, err := build(ctx, id, cfg, zap.NewNop())
	if err != nil {
		return err
	}
	p.DryRun(g.add)
	return in.replay(ctx, p, cfg.Run, traces)
}

// add takes the report of a run.
func (g *gathered) add(r evaluate.Report) {
	if len(r.Run.Anchors) == 0 || !r.Run.Doubts.Complete() {
		g.left++
		return
	}
	run := draft.Run{Agent: r.Run.Anchors[0].Agent}
	if v, ok := r.Span.Attributes().Get(g.key); ok && g.key != "" {
		run.Key, g.keyed = v.AsString(), true
	}
	for i := range r.Run.Calls {
		call := r.Run.Calls[i].Call
		call.Arguments, call.Output = call.Arguments.Clone(), scoring.Payload{} // so that the input is not kept alive
		if !g.values {
			call.Arguments = scoring.Payload{}
		}
		run.Calls = append(run.Calls, call)
	}
	g.runs = append(g.runs, run)
}
