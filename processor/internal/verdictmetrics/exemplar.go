package verdictmetrics

import (
	"context"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// An exemplar makes measurements those of a run. If the Collector's telemetry carries exemplars, one of them leads from a score
// to the run's span. One exemplar is used for one run after another, so that measuring a run allocates nothing.
type exemplar struct {
	noop.Span
	run trace.SpanContext
}

// OpenTelemetry's SDK calls SpanContext to find the run.
func (e *exemplar) SpanContext() trace.SpanContext { return e.run }

// WithExemplar returns a context whose measurements are those of the run that [Recorder.SetRun] named last.
func (r *Recorder) WithExemplar(ctx context.Context) context.Context {
	r.exemplar = new(exemplar)
	return trace.ContextWithSpan(ctx, r.exemplar)
}

// SetRun makes the next measurements those of a run. If the run has no span of its own, they lead to no span. SetRun does
// nothing before [Recorder.WithExemplar].
func (r *Recorder) SetRun(run *agentrun.Run) {
	e := r.exemplar
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
