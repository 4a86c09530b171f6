package evaluate

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// MaxCopies is how many copies of one span get its verdict. Real ones are retried exports, of which there are a few.
const MaxCopies = 16

// An Evaluator judges one run after another. Only [Evaluator.Clean] may be called by several goroutines at once.
type Evaluator struct {
	set      Settings
	keys     []*metricKeys // in the order of the metrics
	reserved reservedKeys
	forms    *scoreforms.Forms // nil: verdicts have only our own form
	keep     bool              // whether the caller keeps reports
	rules    *Rules
	sizes    sizes
}

// New returns an Evaluator without rules. [Evaluator.Use] must be called before the first run.
func New(set Settings) *Evaluator {
	e := &Evaluator{set: set, forms: newForms(&set)}
	for i := range set.Metrics {
		e.keys = append(e.keys, newMetricKeys(&set.Metrics[i]))
	}
	e.reserved = newReservedKeys(e.keys)
	return e
}

// Use has the runs that follow judged by a set of rules.
func (e *Evaluator) Use(rules *Rules) {
	e.rules = rules
	e.sizes = e.sizesOf(&rules.ExpectationSet)
}

// KeepReports has every result of a report name what it was measured against. The caller may keep a report if it uses each
// [Evaluation] once.
func (e *Evaluator) KeepReports() { e.keep = true }

// Spans are the spans of one run, in the traces that they are released in.
type Spans struct {
	// Own are copies of the run's own span, MaxCopies at most. Conditions are asked of the first. Without one, the span never
	// came.
	Own []condition.Place
	// Calls are the held spans of the run's calls.
	Calls []ptrace.Span
}

// anchor is the span that conditions are asked of, or nil.
func (s *Spans) anchor() *condition.Place {
	if len(s.Own) == 0 {
		return nil
	}
	return &s.Own[0]
}

// An Evaluation is what came of one run, and the memory for it. The zero value is ready to use, for one run after another. What
// it has is valid until the next run.
type Evaluation struct {
	Report Report
	// Written is what was written on each copy of the run's own span.
	Written [MaxCopies]Written
	// Failures is how often a condition failed, or the key of a dataset. Problems should be logged.
	Failures int64
	Problems []Problem

	calls   []scoring.Call
	results []Result
	matches matches
	where   callConditions
	writer  attributes.Writer
}

// Written is what was written on a span: so many bytes on the wire, in so many attributes and elements of lists.
type Written struct{ Wire, Parts int }

// Evaluate judges a run: it finds the expectation of every metric, has the metrics that have one say their verdicts, and writes
// those on the spans. ctx is for the conditions.
func (e *Evaluator) Evaluate(ctx context.Context, v *Evaluation, run agentrun.Run, spans Spans) {
	e.leaveOut(&run)
	e.contest(&run)
	v.Report, v.Failures, v.Problems = Report{Run: run}, 0, v.Problems[:0]
	anchor := spans.anchor()
	e.judgeRun(ctx, v, anchor)
	e.annotateCalls(&v.Report, spans)
	for i := range spans.Own {
		span := spans.Own[i].Span
		wire, parts := e.annotate(v, span.Attributes(), i == 0 && v.Report.Run.Anchors[0].Agent != "")
		more, further := e.annotateForms(span, &v.Report)
		v.Written[i] = Written{wire + more, parts + further}
	}
}

// judgeRun fills the report. anchor is nil if none came.
func (e *Evaluator) judgeRun(ctx context.Context, v *Evaluation, anchor *condition.Place) {
	r := &v.Report
	run := &r.Run
	e.nameAgent(run, anchor)
	e.choose(ctx, v, anchor)
	if len(v.matches.list) == 0 {
		if anchor != nil {
			anchor.Span.Attributes().Remove(attributes.Agent)
		}
		return
	}
	r.Matched = true
	calls := v.callsOf(run.Calls)
	v.matches.read(run, anchor)
	e.bindConditions(ctx, v, anchor)
	for i := range e.set.Metrics {
		m := &e.set.Metrics[i]
		at := v.matches.at(e.rules.conditions.classes.of[i])
		if at == none {
			continue
		}
		x := &v.matches.list[at]
		v.results = append(v.results, Result{}) // it is large, so it is filled where it stays
		res := &v.results[len(v.results)-1]
		res.Index, res.Metric, res.Expectation, res.keys = i, m.Name, x.Name, e.keys[i]
		e.judge(&res.Verdict, m, x, v)
		if m.Reason {
			res.Reason = res.Verdict.Reason(scoring.ReasonOptions{Values: e.set.QuoteValues})
		}
	}
	r.Results = v.results
	e.fillNames(v, calls)
}

// judge has a metric score the run by an expectation that it meets. A verdict is large, so it is written where it stays.
func (e *Evaluator) judge(to *scoring.Verdict, m *Metric, x *match, v *Evaluation) {
	why := x.fault
	if why == "" {
		why = x.unsuited(m)
	}
	if why != "" {
		*to = scoring.Verdict{Status: scoring.NotEvaluable, Threshold: m.Threshold, Why: why}
		return
	}
	v.where.match, v.where.failed = x, ""
	*to = m.Method.Judge(x.expected, v.calls)
	if v.where.failed != "" && e.set.ErrorMode == PropagateErrors {
		*to = scoring.Verdict{Status: scoring.Failed, Threshold: m.Threshold, Why: v.where.failed}
	}
}

// fillNames fills in which expectation the run met, and which names it asks for. Where metrics met different ones, the
// run has those of the leading metric. If reports are kept, every metric has its own.
func (e *Evaluator) fillNames(v *Evaluation, calls []scoring.Call) {
	r := &v.Report
	lead := lead(r.Results)
	r.Expectation = r.Results[lead].Expectation
	r.Names = v.matches.names(r, lead, calls)
	if !e.keep {
		return
	}
	r.Expected = slices.Clone(r.Expected) // it is the expectation's own, and the report may be kept
	for i := range r.Results {
		res := &r.Results[i]
		if res.Names = r.Names; res.Expectation != r.Expectation {
			res.Names = v.matches.names(r, i, calls)
			res.Expected = slices.Clone(res.Expected)
		}
	}
}

// lead is the result of the leading metric: the one whose name stands before the attributes of the run, else the first.
func lead(results []Result) int {
	for i := range results {
		if results[i].keys.Expectation == attributes.Expectation {
			return i
		}
	}
	return 0
}
