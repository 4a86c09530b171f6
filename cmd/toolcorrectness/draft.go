package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/draft"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// suggestion is the command line of suggest, and the good runs.
type suggestion struct {
	key, output string
	values      bool

	runs  []draft.Run
	keyOf func(*conditions.Place) string
	keyed bool // a run has the key
	left  int  // runs without their anchor, and runs that are not complete
}

var suggestCommand = subcommand{
	name: "suggest", short: "draft a configuration from good runs", usage: "suggest [FLAGS] TRACES...",
	long: `Draft a configuration from recorded good runs. For each agent, the draft has the tools that were
always or sometimes called. If their order, number or arguments never varied, the draft has these
too. Each line says how many runs support it. The runs that the draft was made from pass with it.
Edit the draft: it says what the agents did, not what they should do. TRACES are as for score.`,
	example: `exit codes: 0 drafted; 1 there were no runs; 2 wrong use or unreadable input.
examples, from the top of the repository:
  toolcorrectness suggest testdata/traces/*.jsonl
  toolcorrectness suggest -key 'attributes["test.case.name"]' -values=false testdata/traces/*.jsonl`,
	prepare: func(f *flag.FlagSet) action {
		o := &suggestion{}
		f.StringVar(&o.key, "key", "", "draft an expectation for each value of an `OTTL` value of the run's own span")
		f.StringVar(&o.output, "o", "", "write to `FILE` and not to standard output")
		f.BoolVar(&o.values, "values", true, "draft values of arguments; -values=false: names of tools only")
		return o.run
	},
}

func (o *suggestion) run(ctx context.Context, s streams, traces []string) error {
	if len(traces) == 0 {
		return errNoTraces
	}
	if o.key != "" {
		parser, err := conditions.NewParser(component.TelemetrySettings{Logger: zap.NewNop()})
		if err != nil {
			return err
		}
		if o.keyOf, err = parser.Literal(o.key); err != nil {
			return fmt.Errorf("-key %w; an attribute is written attributes[%q]", err, o.key)
		}
	}
	in, err := replay(ctx, s, neutral(), traces, o.add)
	if err != nil {
		return err
	}
	files := report.Number(len(in.names), "file")
	switch {
	case in.faulty:
		return errInput // a draft from a part of the runs would not say what is missing
	case len(o.runs) == 0:
		return errGate{fmt.Errorf("there are no runs in %s with %s", files, report.Number(in.spans, "span"))}
	}
	if o.left > 0 {
		s.say("%s left out: the own span did not arrive, or the run is not complete", report.Number(o.left, "run"))
	}
	if o.key != "" && !o.keyed {
		s.say("-key %s: it has no value for any run, so the draft has one expectation for each agent", o.key)
	}
	head := fmt.Sprintf("Drafted from %s in %s. Edit it: keep what an agent should do, remove what it did by chance.", report.Number(len(o.runs), "good run"), files)
	return s.output(o.output, func(w io.Writer) error { return draft.New(o.runs).YAML(w, o.key, head) })
}

// add takes the report of a run.
func (o *suggestion) add(_ *input, r evaluate.Report) {
	if len(r.Run.Anchors) == 0 || !r.Run.Doubts.Complete() {
		o.left++
		return
	}
	own := &r.Run.Anchors[0]
	run := draft.Run{Agent: own.Agent}
	if o.keyOf != nil {
		run.Key = o.keyOf(&conditions.Place{Resource: own.Origin.Resource, Scope: own.Origin.Scope, Span: own.Data})
		o.keyed = o.keyed || run.Key != ""
	}
	for i := range r.Run.Calls {
		call := scoring.Call{Name: r.Run.Calls[i].Name}
		if o.values {
			call.Arguments = r.Run.Calls[i].Arguments.Clone() // so that the input is not kept alive
		}
		run.Calls = append(run.Calls, call)
	}
	o.runs = append(o.runs, run)
}

// importing is the command line of import.
type importing struct {
	from, key, output string
	set               draft.Set
}

var importCommand = subcommand{
	name: "import", short: "make a configuration of another tool's test cases", usage: "import -from FORMAT [FLAGS] FILES...",
	long: `Make a configuration of the test cases of another tool: adk (eval sets of Google ADK),
agentevals (reference trajectories), deepeval (goldens), or promptfoo (assertions on tool calls).
Each case becomes an expectation, or a line of a dataset. It applies to the runs whose own span
has its key in an attribute. The top lists parts that are not imported.`,
	example: `A case of several turns has a key for each: ID/1, ID/2. A golden's key is its name, or its input.

exit codes: 0 imported; 1 there were no cases; 2 wrong use or unreadable input.
example, from the top of the repository:
  toolcorrectness import -from deepeval -key case internal/draft/testdata/import/goldens.json`,
	prepare: func(f *flag.FlagSet) action {
		o := &importing{}
		f.StringVar(&o.from, "from", "", "the `FORMAT`, one of those above (required)")
		f.StringVar(&o.key, "key", "", "the `ATTRIBUTE` that has a case's key; a single case needs none")
		f.StringVar(&o.set.Match, "match", "", "adk, agentevals: the `MODE` of that tool in which lists are compared")
		f.StringVar(&o.set.Arguments, "arguments", "", "adk, agentevals: the `MODE` in which arguments are compared")
		f.StringVar(&o.set.File, "dataset", "", "write the cases to `FILE`, one a line, as a dataset")
		f.StringVar(&o.output, "o", "", "write to `FILE` and not to standard output")
		return o.run
	},
}

func (o *importing) run(_ context.Context, s streams, files []string) error {
	format, err := o.check(files)
	if err != nil {
		return err
	}
	set := &o.set
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := format.Read(set, text); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	switch {
	case len(set.Cases) == 0:
		return errGate{errors.New("there are no cases with expected tools: " + strings.Join(set.Notes(), ", "))}
	case set.Keys() > 1 && o.key == "":
		return fmt.Errorf("there are %d cases: -key must name the attribute that has the key of a run's case", set.Keys())
	}
	if err := set.Check(format); err != nil {
		return err
	}
	for _, note := range set.Notes() {
		s.say("not imported: %s", note)
	}
	if o.set.File != "" {
		if err := s.output(o.set.File, func(w io.Writer) error { return report.Lines(w, set.Cases) }); err != nil {
			return err
		}
	}
	head := fmt.Sprintf("Imported from %s: %s.", o.from, report.Number(set.Keys(), "case"))
	return s.output(o.output, func(w io.Writer) error { return set.YAML(w, format, o.key, head) })
}

// check reports what is wrong with the command line, and returns the format.
func (o *importing) check(files []string) (draft.Format, error) {
	format, known := draft.Formats[o.from]
	switch {
	case !known:
		return format, fmt.Errorf("-from must be %s, is %q", configcheck.Alternatives(slices.Sorted(maps.Keys(draft.Formats))), o.from)
	case len(files) == 0:
		return format, errors.New("no files: name the files with test cases")
	case o.set.File != "" && o.key == "":
		return format, errors.New("-dataset needs -key: the attribute that has the key of a run's case")
	case o.set.File != "" && format.Mixed():
		return format, fmt.Errorf("-dataset is not for -from %s: each assertion has a metric of its own", o.from)
	}
	for _, mode := range []struct {
		flag, word string
		words      []string
	}{{"-match", o.set.Match, format.Matches}, {"-arguments", o.set.Arguments, format.Arguments}} {
		if mode.word != "" && !slices.Contains(mode.words, mode.word) {
			return format, fmt.Errorf("%s %q is not for -from %s, which takes %v", mode.flag, mode.word, o.from, mode.words)
		}
	}
	return format, nil
}
