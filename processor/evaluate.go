package processor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// placed is an anchor in the traces that it will be released in.
type placed struct {
	condition.Place
	batch *releaseBatch
}

// A scratch is memory for judging one run after another. What a report has from it lasts until the next run.
type scratch struct {
	calls   []scoring.Call
	results []Result
	matches matches
	spans   []placed // of calls
	copies  []placed // of the run's own span
	report  Report
	where   callConditions
}

// callsOf puts the calls of a run on the scratch memory. The list is never nil: to some methods nil is no list at all, on which
// they fail, and a run that called nothing has an empty one.
func (d *scratch) callsOf(calls []agentrun.Call) []scoring.Call {
	if d.calls == nil {
		d.calls = make([]scoring.Call, 0, len(calls))
	}
	d.calls, d.results = d.calls[:0], d.results[:0]
	for i := range calls {
		d.calls = append(d.calls, calls[i].Call)
		if calls[i].FromOtherProcess.Status { // conditions on calls ask for it
			d.calls[i].Status = scoring.StatusUnset
		}
	}
	setTimes(d.calls, calls)
	return d.calls
}

// evaluate finds the expectation of every metric for the run of a report, and has the metrics that have one say their
// verdicts. anchor is nil where none came.
func (p *Processor) evaluate(ctx context.Context, d *scratch, r *Report, anchor *condition.Place) {
	run := &r.Run
	p.reserve(anchor)
	nameAgent(run, anchor)
	p.choose(ctx, anchor, &d.matches)
	if len(d.matches.list) == 0 {
		if anchor != nil {
			anchor.Span.Attributes().Remove(attributes.Agent)
		}
		return
	}
	r.Matched = true
	p.timeVerdict(ctx, run)
	calls := d.callsOf(run.Calls)
	d.matches.read(run, anchor)
	p.bindConditions(ctx, d, run, anchor)
	for i := range p.set.Metrics {
		m := &p.set.Metrics[i]
		at := d.matches.at(p.rules.conditions.classes.of[i])
		if at == none {
			continue
		}
		x := &d.matches.list[at]
		d.results = append(d.results, Result{}) // it is large, so it is filled where it stays
		res := &d.results[len(d.results)-1]
		res.Metric, res.Expectation, res.labels = m.Name, x.Name, p.instruments.labels[i]
		p.judge(&res.Verdict, m, x, d)
		p.explain(ctx, m, res, run)
	}
	r.Results = d.results
	p.fillNames(d, r, calls)
}

// read finds what the run is measured against, or why it is not.
func (m *matches) read(run *agentrun.Run, anchor *condition.Place) {
	for i := range m.list {
		x := &m.list[i]
		if x.Cases == nil { // those have been looked up
			if x.expected = x.Expected; x.expected == nil {
				x.expected, x.fault = x.fromAnchor(anchor)
			}
		}
		switch {
		case run.NoMessages:
			x.fault = "no message of a model tells what it asked for"
		case run.AnchorLate:
			x.fault = "the run was closed before this span came: " + closedWithoutAnchor[run.ClosedBy]
		}
	}
}

// fillNames fills in which expectation the run met, and which names it asks for. Where metrics met different ones, the
// run has those of the leading metric. A dry run shows every metric its own.
func (p *Processor) fillNames(d *scratch, r *Report, calls []scoring.Call) {
	lead := p.lead(r.Results)
	r.Expectation = r.Results[lead].Expectation
	r.Names = d.matches.names(r, lead, calls)
	if p.observe == nil {
		return
	}
	r.Expected = slices.Clone(r.Expected) // it is the expectation's own, and the report may be kept
	for i := range r.Results {
		res := &r.Results[i]
		if res.Names = r.Names; res.Expectation != r.Expectation {
			res.Names = d.matches.names(r, i, calls)
			res.Expected = slices.Clone(res.Expected)
		}
	}
}

// lead is the result of the leading metric: the one whose name stands before the attributes of the run, else the first.
func (p *Processor) lead(results []Result) int {
	for i := range results {
		if results[i].labels.Expectation == attributes.Expectation {
			return i
		}
	}
	return 0
}

// names compares the run with the expectation of a result by names, as sets if the metric does so. Of several lists of tools
// it is the one that the metric took.
func (m *matches) names(r *Report, result int, calls []scoring.Call) (n Names) {
	res := &r.Results[result]
	diff := scoring.NameDiff
	if res.labels.sets {
		diff = scoring.NameDiffOfSets
	}
	for i := range m.list {
		x := &m.list[i]
		if x.Name != res.Expectation || x.expected == nil {
			continue
		}
		expected := x.expected.Only(res.Verdict.Alignment.List)
		n.Expected = expected.Names()
		if !r.Run.AnchorLate {
			n.Missing, n.Unexpected = diff(expected, calls)
		}
	}
	return n
}

// closedWithoutAnchor is why a run was closed without its anchor.
var closedWithoutAnchor = [...]string{
	agentrun.ByAnchor:   "another span stood for it",
	agentrun.ByIdle:     "nothing of its trace had come for the idle_timeout",
	agentrun.ByLimit:    "a limit was reached",
	agentrun.ByShutdown: "the processor shut down",
}

// reserve makes room for what will be written on the anchor, where that is known before any condition is asked: else the
// agent's name alone would have the attributes move.
func (p *Processor) reserve(anchor *condition.Place) {
	if c := &p.rules.conditions.classes; len(c.known) > 0 && anchor != nil {
		m := anchor.Span.Attributes()
		m.EnsureCapacity(m.Len() + attributes.Most(c.metrics, len(c.start) > 1))
	}
}

// nameAgent lets conditions ask for the agent under one attribute, whatever dialect names it. The span keeps the attribute
// only if the run is judged.
func nameAgent(run *agentrun.Run, anchor *condition.Place) {
	if anchor != nil && run.Anchors[0].Agent != "" {
		anchor.Span.Attributes().PutStr(attributes.Agent, run.Anchors[0].Agent)
	}
}

// maxExpected bounds the expected tools that stand on an anchor, in bytes. To read 30 MB of them took longer than all other
// runs may wait, and no list of expected tools is as long.
const maxExpected = 256 << 10

// fromAnchor reads the expected tools from the attribute of the anchor that holds them. Where it cannot, it says why.
func (x *Expectation) fromAnchor(anchor *condition.Place) (*scoring.Expectation, string) {
	if anchor == nil {
		return nil, "the run has no anchor span to read the expected tools from"
	}
	v, ok := anchor.Span.Attributes().Get(x.FromAttribute)
	if !ok {
		return nil, fmt.Sprintf("the span has no attribute %q to read the expected tools from", x.FromAttribute)
	}
	text, err := attributes.TextWithin(v, maxExpected)
	if errors.Is(err, attributes.ErrTooLong) {
		return nil, fmt.Sprintf("the attribute %q is longer than %d KiB, so no expected tools are read from it", x.FromAttribute, maxExpected>>10)
	}
	var e *scoring.Expectation
	if err == nil {
		e, err = x.parse(text)
	}
	if err != nil {
		return nil, fmt.Sprintf("the attribute %q is no list of expected tools: %v", x.FromAttribute, err)
	}
	return e, ""
}

// parse reads the expected tools of an attribute. If they are wrong, the error of a list names the element.
func (x *Expectation) parse(text string) (*scoring.Expectation, error) {
	e, err := scoring.ParseExpectation(text)
	if err == nil || x.Parse == nil {
		return e, err
	}
	e, more := x.Parse(text)
	if more != nil && !strings.HasPrefix(strings.TrimSpace(text), "{") {
		more = err
	}
	return e, more
}

// unsuited says why a metric cannot score by what an attribute says, or nothing. All else is checked at start.
func (x *match) unsuited(m *Metric) string {
	if x.FromAttribute == "" || m.Method.Name() == "native" {
		return ""
	}
	for _, key := range x.expected.NativeOnly() {
		if key != "*" { // other methods take it for a part of the name
			return fmt.Sprintf("the attribute %q uses %s, which only the native method understands", x.FromAttribute, key)
		}
	}
	return ""
}

// explain counts a verdict and, where the metric asks for it, gives the reason and logs the steps.
func (p *Processor) explain(ctx context.Context, m *Metric, res *Result, run *agentrun.Run) {
	v := &res.Verdict
	if m.Reason {
		res.Reason = v.Reason(scoring.ReasonOptions{Values: p.set.QuoteValues})
	}
	p.countVerdict(ctx, res, run)
	if m.Verbose {
		p.logger.Info("judged a run", zap.Stringer("trace_id", run.Trace), zap.String("metric", m.Name),
			zap.String("expectation", res.Expectation),
			zap.String("method", m.Method.Name()), zap.Stringer("status", v.Status), zap.Float64("score", v.Score),
			zap.Float64("threshold", v.Threshold), zap.Strings("called", calledNames(run.Calls)),
			zap.Strings("steps", v.Alignment.Steps()), zap.String("reason", v.Reason(scoring.ReasonOptions{})))
	}
}

func calledNames(calls []agentrun.Call) []string {
	names := make([]string, len(calls))
	for i := range calls {
		names[i] = short(calls[i].Name)
	}
	return names
}
