package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/spool"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/suggest"
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

// drafting is the command line of suggest.
type drafting struct {
	options // input and output

	key string
}

func newSuggest() *cobra.Command {
	o := &drafting{}
	c := &cobra.Command{
		Use: "suggest", Short: "draft a configuration from good runs", Long: suggestLong, Example: suggestExample,
		Annotations: map[string]string{usage: "toolcorrectness suggest [FLAGS] TRACES..."},
		Args:        cobra.ArbitraryArgs,
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&o.key, "key", "", "draft an expectation for each value of an `ATTRIBUTE` of the run's own span")
	f.StringVarP(&o.output, "o", "o", "", "write to `FILE` and not to standard output")
	f.BoolVar(&o.values, "values", true, "draft values of arguments; -values=false: names of tools only")
	c.RunE = func(c *cobra.Command, args []string) error {
		o.traces = args
		return o.run(c)
	}
	return c
}

func (o *drafting) run(c *cobra.Command) error {
	if len(o.traces) == 0 {
		return errNoTraces
	}
	g, f, err := o.gather(c.Context(), c.InOrStdin(), c.ErrOrStderr())
	if err != nil {
		return err
	}
	if f.faulty {
		return errInput // a draft from a part of the runs would not say what is missing
	}
	draft, err := suggest.New(g.runs)
	if errors.Is(err, suggest.ErrNoRuns) {
		return errGate{fmt.Errorf("%w in %s with %s", err, number(f.files, "file"), number(f.spans, "span"))}
	}
	if err != nil {
		return err
	}
	if g.left > 0 {
		fmt.Fprintf(c.ErrOrStderr(), "toolcorrectness: %s left out: the own span did not arrive, or the run is not complete\n", number(g.left, "run"))
	}
	if o.key != "" && !g.keyed {
		fmt.Fprintf(c.ErrOrStderr(), "toolcorrectness: -key %s: no run's own span has this attribute, so the draft has one expectation for each agent\n", o.key)
	}
	how := suggest.Options{Key: o.key, Head: fmt.Sprintf("Drafted from %s in %s. Edit it: keep what an agent should do, remove what it did by chance.", number(len(g.runs), "good run"), number(f.files, "file"))}
	if o.output == "" {
		return draft.YAML(c.OutOrStdout(), how)
	}
	out, err := os.Create(o.output)
	if err != nil {
		return err
	}
	return errors.Join(draft.YAML(out, how), out.Close())
}

// gathered are the good runs.
type gathered struct {
	runs   []suggest.Run
	key    string
	values bool
	keyed  bool // a run has the key
	left   int  // runs without their anchor, and runs that are not complete
}

// gather sends the traces through a processor that expects nothing of any run.
func (o *drafting) gather(ctx context.Context, stdin io.Reader, stderr io.Writer) (*gathered, *findings, error) {
	cfg := toolcorrectnessprocessor.NewFactory().CreateDefaultConfig().(*toolcorrectnessprocessor.Config)
	cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{When: "false", Tools: []toolcorrectnessprocessor.ToolConfig{}}}
	f := &findings{places: newPlaces(maxPlaces), rows: spool.New(report.AsRead, rowsInMemory)}
	p, err := build(ctx, component.NewID(toolcorrectnessprocessor.NewFactory().Type()), cfg, zap.NewNop())
	if err != nil {
		return nil, nil, err
	}
	g := &gathered{key: o.key, values: o.values}
	p.DryRun(g.add)
	return g, f, o.drain(ctx, p, cfg, f, stdin, stderr)
}

// add takes the report of a run.
func (g *gathered) add(r evaluate.Report) {
	if len(r.Run.Anchors) == 0 || !r.Run.Doubts.Complete() {
		g.left++
		return
	}
	run := suggest.Run{Agent: r.Run.Anchors[0].Agent}
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
