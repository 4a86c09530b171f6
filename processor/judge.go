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

// judge finds the expectation for a run and has every metric say its verdict. anchor is nil where none came.
func (p *Processor) judge(ctx context.Context, run agentrun.Run, anchor *placed) *Report {
	r := &Report{Run: run}
	unname := name(run, anchor)
	x := p.expectation(ctx, anchor)
	if x == nil {
		unname()
		return r
	}
	r.Matched, r.Expectation = true, x.Name
	calls := make([]scoring.Call, len(run.Calls))
	for i := range run.Calls {
		calls[i] = run.Calls[i].Call
	}
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
	for _, m := range x.Metrics {
		v := scoring.Verdict{Status: scoring.NotEvaluable, Threshold: m.Threshold, Why: fault}
		if fault == "" {
			v = m.Method.Judge(expected, calls)
		}
		r.Results = append(r.Results, p.result(ctx, m, v, run))
	}
	if expected != nil {
		if len(r.Results) > 0 { // of several lists of tools, the one that the first metric took
			expected = expected.Only(r.Results[0].Verdict.Alignment.List)
		}
		r.Expected = expected.Names()
		if !run.Headless {
			r.Missing, r.Unexpected = scoring.NameDiff(expected, calls)
		}
	}
	return r
}

// headless is why a run was closed without its anchor.
var headless = [...]string{
	agentrun.ByAnchor:   "another span stood for it",
	agentrun.ByIdle:     "nothing of its trace had come for the idle_timeout",
	agentrun.ByLimit:    "a limit was reached",
	agentrun.ByShutdown: "the processor shut down",
}

// name lets conditions ask for the agent under one attribute, whatever dialect names it. The span keeps the attribute
// only if the run is judged; else unname restores what was there.
func name(run agentrun.Run, anchor *placed) (unname func()) {
	if anchor == nil || run.Anchors[0].Agent == "" {
		return func() {}
	}
	attributes := anchor.span.Attributes()
	before, had := attributes.Get(attrAgent)
	if !had {
		attributes.PutStr(attrAgent, run.Anchors[0].Agent)
		return func() { attributes.Remove(attrAgent) }
	}
	old := pcommon.NewValueEmpty()
	before.CopyTo(old)
	attributes.PutStr(attrAgent, run.Anchors[0].Agent)
	return func() { old.CopyTo(attributes.PutEmpty(attrAgent)) }
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
func (p *Processor) result(ctx context.Context, m Metric, v scoring.Verdict, run agentrun.Run) Result {
	res := Result{Metric: m.Name, Verdict: v}
	if m.Reason {
		res.Reason = v.Reason(scoring.ReasonOptions{Values: p.set.QuoteValues})
	}
	p.telemetry.ProcessorToolCorrectnessVerdicts.Add(ctx, 1, p.meters.verdicts[verdictKey{m.Name, v.Status, v.Passed, run.Complete}])
	if m.Verbose {
		p.logger.Info("judged a run", zap.Stringer("trace_id", run.Trace), zap.String("metric", m.Name),
			zap.String("method", m.Method.Name()), zap.Stringer("status", v.Status), zap.Float64("score", v.Score),
			zap.Float64("threshold", v.Threshold), zap.Strings("called", calledNames(run.Calls)),
			zap.Strings("steps", v.Alignment.Steps()), zap.String("reason", v.Reason(scoring.ReasonOptions{})))
	}
	return res
}
