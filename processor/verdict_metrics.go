package processor

import (
	"context"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A verdictKind is what verdicts of one metric are told apart by when they are counted.
type verdictKind struct {
	expectation      string
	agent            string // as the metrics name it, or ""
	status           scoring.Status
	passed, complete bool
}

// verdictOptions are the attributes of a kind of verdict, as counter and histogram take them. With lists that are made once,
// counting a verdict allocates nothing.
type verdictOptions struct {
	count  []metric.AddOption
	record []metric.RecordOption
	called []metric.AddOption // of forbidden calls
}

// kindOf returns the attributes under which a verdict is counted. The caller holds ticking.
func (l *verdictLabels) kindOf(kind verdictKind) *verdictOptions {
	if l.last == nil || l.lastKind != kind {
		l.lastKind, l.last = kind, l.optionsOf(kind)
	}
	return l.last
}

// optionsOf is kindOf for any kind.
func (l *verdictLabels) optionsOf(kind verdictKind) *verdictOptions {
	if o := l.kinds[kind]; o != nil {
		return o
	}
	met := []attribute.KeyValue{attribute.String("metric", l.metric), attribute.String("expectation", kind.expectation)}
	if kind.agent != "" {
		met = append(met, attribute.String("agent", kind.agent))
	}
	of := labels(append(slices.Clip(met),
		attribute.String("status", kind.status.String()),
		attribute.Bool("passed", kind.passed),
		attribute.Bool("complete", kind.complete),
	)...)
	o := &verdictOptions{count: []metric.AddOption{of}, record: []metric.RecordOption{of}, called: addOptions(met...)}
	l.kinds[kind] = o
	return o
}

// countVerdict counts a verdict, and its score if it has one. The context carries the run's trace for exemplars: see
// [exemplar].
func (p *Processor) countVerdict(ctx context.Context, res *evaluate.Result, run *agentrun.Run) {
	v := &res.Verdict
	of := p.instruments.labels[res.Index].kindOf(verdictKind{res.Expectation, p.agents.label(run), v.Status, v.Passed, run.Complete})
	p.telemetry.ProcessorToolCorrectnessVerdicts.Add(ctx, 1, of.count...)
	if n := len(v.Alignment.Forbidden); n > 0 {
		p.telemetry.ProcessorToolCorrectnessForbiddenCalls.Add(ctx, int64(n), of.called...)
	}
	if v.Status == scoring.Scored {
		p.telemetry.ProcessorToolCorrectnessScore.Record(ctx, v.Score, of.record...)
	}
}

// An exemplar makes measurements those of a run. If the Collector's telemetry carries exemplars, one of them leads from a score
// to the run's span. One exemplar is used for one run after another, so that measuring a run allocates nothing.
type exemplar struct {
	noop.Span
	run trace.SpanContext
}

// SpanContext is how OpenTelemetry's SDK asks for the run.
func (e *exemplar) SpanContext() trace.SpanContext { return e.run }

// withExemplar returns a context whose measurements are those of the run that the exemplar was last set to.
func withExemplar(ctx context.Context) (context.Context, *exemplar) {
	e := new(exemplar)
	return trace.ContextWithSpan(ctx, e), e
}

// set makes the measurements that follow those of a run. Without its span, a run has none to lead to. A nil exemplar stays so.
func (e *exemplar) set(run *agentrun.Run) {
	if e == nil {
		return
	}
	e.run = trace.SpanContext{}
	if len(run.Anchors) > 0 {
		e.run = trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID(run.Trace), SpanID: trace.SpanID(run.Anchors[0].ID), TraceFlags: trace.FlagsSampled,
		})
	}
}

// timeVerdict records how long after the end of a run its verdict is released. The end is the sender's time, so clocks that
// differ shift it; a time before the end counts as 0.
func (p *Processor) timeVerdict(ctx context.Context, run *agentrun.Run) {
	if len(run.Anchors) == 0 || run.Anchors[0].End == 0 {
		return
	}
	now := pcommon.NewTimestampFromTime(p.clock.now())
	var seconds float64
	if end := run.Anchors[0].End; now > end {
		seconds = now.AsTime().Sub(end.AsTime()).Seconds()
	}
	p.telemetry.ProcessorToolCorrectnessVerdictDelay.Record(ctx, seconds)
}
