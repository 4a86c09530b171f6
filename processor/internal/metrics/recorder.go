// Package metrics records what became of spans, runs and verdicts, and what the processor retains.
//
// A counter without attributes needs no help: the processor adds to it where the event is, by the instruments that a [Recorder] has.
// This package has all the others:
//
//   - recorder.go: counters with attributes, such as the runs by their close reason, and gauges.
//   - verdicts.go: the number of verdicts, scores, forbidden calls, and the delay from a run's end to its verdict; from a measurement to
//     the span of its run.
//
// The attributes of a measurement are made once for each kind, because making them for each run would cost more than judging it.
// documentation.md says what each metric means.
//
// The package has no lock and no clock. Goroutines may share the methods of recorder.go; the verdicts of one run are recorded after
// those of another.
package metrics

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// A Recorder has the instruments of a processor, and the attribute sets that they need.
type Recorder struct {
	*metadata.TelemetryBuilder
	own     []attribute.KeyValue // says whose metrics these are: the ID of the processor, unless that is the usual one
	closed  []options            // by the close reason
	reasons []options            // of runs that are not complete, in the order of their bits
	verdicts
}

// options are attributes as they are handed to a counter, so that counting makes no list of them.
type options []metric.AddOption

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

func option(key, word string) options { return options{labels(attribute.String(key, word))} }

// New returns a recorder. processor is its ID, or "" for the usual one. Metrics of verdicts show at most agents names of agents.
func New(telemetry *metadata.TelemetryBuilder, processor string, agents int) *Recorder {
	r := &Recorder{TelemetryBuilder: telemetry, verdicts: newVerdicts(agents)}
	if processor != "" {
		r.own = []attribute.KeyValue{attribute.String("processor", processor)}
	}
	for cause := range evidence.ByShutdown + 1 {
		r.closed = append(r.closed, option("closed_by", cause.String()))
	}
	for _, reason := range runs.AllDoubts() {
		r.reasons = append(r.reasons, option("reason", reason))
	}
	return r
}

// Begin adds 0 to the counters of spans, so that they, and sums of them, are exported from the beginning.
func (r *Recorder) Begin() {
	for _, counter := range [...]metric.Int64Counter{
		r.ProcessorToolCorrectnessSpansReceived, r.ProcessorToolCorrectnessSpansForwarded, r.ProcessorToolCorrectnessSpansHeld,
		r.ProcessorToolCorrectnessSpansRefused, r.ProcessorToolCorrectnessSpansReleased, r.ProcessorToolCorrectnessSpansResumed,
		r.ProcessorToolCorrectnessSpansSuspended,
	} {
		counter.Add(context.Background(), 0)
	}
}

// RunClosed counts a closed run, by its close reason and by each reason why it is not complete.
func (r *Recorder) RunClosed(ctx context.Context, run *runs.Run) {
	r.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, r.closed[run.ClosedBy]...)
	for i := 0; run.Doubts>>i != 0; i++ {
		if word := r.reasons[i]; run.Doubts&(1<<i) != 0 {
			r.ProcessorToolCorrectnessIncompleteRuns.Add(ctx, 1, word...)
		}
	}
}

// Late counts late calls, with how long after the closing of their run they arrived.
func (r *Recorder) Late(ctx context.Context, late []time.Duration) {
	for _, by := range late {
		r.ProcessorToolCorrectnessLateCalls.Add(ctx, 1)
		r.ProcessorToolCorrectnessLateCallAge.Record(ctx, by.Seconds())
	}
}

// Count adds to a counter that has one attribute, for what happens rarely.
func (r *Recorder) Count(ctx context.Context, counter metric.Int64Counter, n int, key, word string) {
	counter.Add(ctx, int64(n), option(key, word)...)
}

// Gauge is a gauge that asks for its value when it is read, by any goroutine.
func (r *Recorder) Gauge(value func() int64) metric.Int64Callback {
	own := labels(r.own...)
	return func(_ context.Context, o metric.Int64Observer) error {
		o.Observe(value(), own)
		return nil
	}
}

// RegisterSet publishes the age of the set of expectations, and its fingerprint, which says which one it is.
func (r *Recorder) RegisterSet(age func() time.Duration, fingerprint func() string) error {
	own := labels(r.own...)
	return errors.Join(
		r.RegisterProcessorToolCorrectnessExpectationSetAgeCallback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(age().Seconds(), own)
			return nil
		}),
		r.RegisterProcessorToolCorrectnessExpectationSetCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(1, own, metric.WithAttributes(attribute.String("config", fingerprint())))
			return nil
		}),
	)
}
