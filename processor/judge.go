package processor

import (
	"context"
	"fmt"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// placed is an anchor in the traces that it will be released in.
type placed struct {
	resource ptrace.ResourceSpans
	scope    ptrace.ScopeSpans
	span     ptrace.Span
}

// A desk is memory for judging one run after another. What a report has from it lasts until the next run.
type desk struct {
	calls   []scoring.Call
	results []Result
	spans   []ptrace.Span // of calls, in their parcels
}

// lay puts the calls of a run on the desk. The list is never nil: to some methods nil is no list at all, on which they
// fail, and a run that called nothing has an empty one.
func (d *desk) lay(calls []agentrun.Call) []scoring.Call {
	if d.calls == nil {
		d.calls = make([]scoring.Call, 0, len(calls))
	}
	d.calls, d.results = d.calls[:0], d.results[:0]
	for i := range calls {
		d.calls = append(d.calls, calls[i].Call)
	}
	return d.calls
}

// judge finds the expectation for the run of a report and has every metric say its verdict. anchor is nil where none
// came.
func (p *Processor) judge(ctx context.Context, d *desk, r *Report, anchor *placed) {
	run := &r.Run
	p.reserve(anchor)
	named := name(run, anchor)
	x := p.expectation(ctx, anchor)
	if x == nil {
		named.undo()
		return
	}
	r.Matched, r.Expectation = true, x.Name
	calls := d.lay(run.Calls)
	expected, fault := x.Expected, ""
	if expected == nil {
		expected, fault = x.fromAnchor(anchor)
	}
	switch {
	case run.Mute:
		fault = "no message of a model tells what it asked for"
	case run.Headless:
		fault = "the run was closed before this span came: " + headless[run.ClosedBy]
	}
	for i := range x.Metrics {
		m := &x.Metrics[i]
		v := scoring.Verdict{Status: scoring.NotEvaluable, Threshold: m.Threshold, Why: fault}
		if fault == "" {
			v = m.Method.Judge(expected, calls)
		}
		d.results = append(d.results, p.result(ctx, m, v, run))
	}
	r.Results = d.results
	if expected != nil {
		if len(r.Results) > 0 { // of several lists of tools, the one that the first metric took
			expected = expected.Only(r.Results[0].Verdict.Alignment.List)
		}
		r.Expected = expected.Names()
		if !run.Headless {
			r.Missing, r.Unexpected = scoring.NameDiff(expected, calls)
		}
	}
}

// headless is why a run was closed without its anchor.
var headless = [...]string{
	agentrun.ByAnchor:   "another span stood for it",
	agentrun.ByIdle:     "nothing of its trace had come for the idle_timeout",
	agentrun.ByLimit:    "a limit was reached",
	agentrun.ByShutdown: "the processor shut down",
}

// reserve makes room for what will be written on the anchor, where that is known before any condition is asked: else the
// agent's name alone would have the attributes move.
func (p *Processor) reserve(anchor *placed) {
	if x := p.forAll(); x != nil && anchor != nil {
		attributes := anchor.span.Attributes()
		attributes.EnsureCapacity(attributes.Len() + annotations(len(x.Metrics)))
	}
}

// naming is what name did to the attributes of an anchor, if anything.
type naming struct {
	attributes pcommon.Map
	done, had  bool
	old        pcommon.Value
}

// name lets conditions ask for the agent under one attribute, whatever dialect names it. The span keeps the attribute
// only if the run is judged; else undo restores what was there.
func name(run *agentrun.Run, anchor *placed) (n naming) {
	if anchor == nil || run.Anchors[0].Agent == "" {
		return n
	}
	n.done, n.attributes = true, anchor.span.Attributes()
	if before, had := n.attributes.Get(attrAgent); had {
		n.had, n.old = true, pcommon.NewValueEmpty()
		before.CopyTo(n.old)
	}
	n.attributes.PutStr(attrAgent, run.Anchors[0].Agent)
	return n
}

func (n naming) undo() {
	switch {
	case n.had:
		n.old.CopyTo(n.attributes.PutEmpty(attrAgent))
	case n.done:
		n.attributes.Remove(attrAgent)
	}
}

// expectation is the first one whose condition holds, or nil.
func (p *Processor) expectation(ctx context.Context, anchor *placed) *Expectation {
	return p.choose(ctx, &p.choice, anchor)
}

// fromAnchor reads the expected tools from the attribute of the anchor that holds them. Where it cannot, it says why.
func (x *Expectation) fromAnchor(anchor *placed) (*scoring.Expectation, string) {
	if anchor == nil {
		return nil, "the run has no anchor span to read the expected tools from"
	}
	v, ok := anchor.span.Attributes().Get(x.FromAttribute)
	if !ok {
		return nil, fmt.Sprintf("the span has no attribute %q to read the expected tools from", x.FromAttribute)
	}
	text, ok := dialect.Text(v)
	if !ok {
		return nil, fmt.Sprintf("the attribute %q is no list of expected tools: it nests too deep", x.FromAttribute)
	}
	e, err := scoring.ParseExpectation(text)
	if err != nil {
		return nil, fmt.Sprintf("the attribute %q is no list of expected tools: %v", x.FromAttribute, err)
	}
	return e, ""
}

// result counts a verdict and, where the metric asks for it, gives the reason and logs the steps.
func (p *Processor) result(ctx context.Context, m *Metric, v scoring.Verdict, run *agentrun.Run) Result {
	res := Result{Metric: m.Name, Verdict: v, labels: p.meters.labels[m.Name]}
	if m.Reason {
		res.Reason = v.Reason(scoring.ReasonOptions{Values: p.set.QuoteValues})
	}
	p.telemetry.ProcessorToolCorrectnessVerdicts.Add(ctx, 1, res.labels.count(&v, run.Complete)...)
	if m.Verbose {
		p.logger.Info("judged a run", zap.Stringer("trace_id", run.Trace), zap.String("metric", m.Name),
			zap.String("method", m.Method.Name()), zap.Stringer("status", v.Status), zap.Float64("score", v.Score),
			zap.Float64("threshold", v.Threshold), zap.Strings("called", calledNames(run.Calls)),
			zap.Strings("steps", v.Alignment.Steps()), zap.String("reason", v.Reason(scoring.ReasonOptions{})))
	}
	return res
}

func calledNames(calls []agentrun.Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = short(calls[i].Name)
	}
	return names
}
