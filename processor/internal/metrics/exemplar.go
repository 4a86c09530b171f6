package metrics

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// An exemplar makes measurements those of a run. If the Collector's telemetry carries exemplars, one of them leads from a score
// to the run's span. OpenTelemetry's SDK keeps the context of a measurement, and reads the run only when metrics are collected.
// So each run has an exemplar of its own, which does not change.
type exemplar struct {
	noop.Span
	run trace.SpanContext
}

// OpenTelemetry's SDK calls SpanContext to find the run.
func (e *exemplar) SpanContext() trace.SpanContext { return e.run }

// WithRun returns a context whose measurements are those of a run. It is ctx if the run has no span of its own, or if the
// Collector's telemetry has no metrics of verdicts.
func (r *Recorder) WithRun(ctx context.Context, run *runs.Run) context.Context {
	if len(run.Anchors) == 0 || !r.ProcessorToolCorrectnessVerdicts.Enabled(ctx) && !r.ProcessorToolCorrectnessScore.Enabled(ctx) {
		return ctx
	}
	return trace.ContextWithSpan(ctx, &exemplar{run: trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID(run.Trace), SpanID: trace.SpanID(run.Anchors[0].ID), TraceFlags: trace.FlagsSampled,
	})})
}
