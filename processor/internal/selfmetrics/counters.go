package selfmetrics

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// Begin adds 0 to the counters of spans, so that they, and sums of them, are exported from the beginning.
func (r *Recorder) Begin() {
	t := r.telemetry
	for _, counter := range [...]metric.Int64Counter{
		t.ProcessorToolCorrectnessSpansReceived, t.ProcessorToolCorrectnessSpansForwarded, t.ProcessorToolCorrectnessSpansHeld,
		t.ProcessorToolCorrectnessSpansRefused, t.ProcessorToolCorrectnessSpansReleased, t.ProcessorToolCorrectnessSpansResumed,
		t.ProcessorToolCorrectnessSpansSuspended,
	} {
		counter.Add(context.Background(), 0)
	}
}

// RunClosed counts a closed run, by its close reason.
func (r *Recorder) RunClosed(ctx context.Context, reason evidence.CloseReason) {
	r.telemetry.ProcessorToolCorrectnessRunsClosed.Add(ctx, 1, r.closed[reason]...)
}

// Incomplete counts a run that is not complete, by each of the reasons.
func (r *Recorder) Incomplete(ctx context.Context, doubts runs.Doubts) {
	for i, word := range r.reasons {
		if doubts&(1<<i) != 0 {
			r.telemetry.ProcessorToolCorrectnessIncompleteRuns.Add(ctx, 1, word...)
		}
	}
}

// Unheld counts spans that were forwarded because a bound keeps them from being held.
func (r *Recorder) Unheld(ctx context.Context, unheld *[heldspans.BoundCount]int) {
	for why, n := range unheld {
		if n > 0 {
			r.telemetry.ProcessorToolCorrectnessSpansUnheld.Add(ctx, int64(n), r.unheld[why]...)
		}
	}
}

// Late counts late calls, with how long after the closing of their run they arrived.
func (r *Recorder) Late(ctx context.Context, late []time.Duration) {
	if len(late) == 0 {
		return
	}
	r.telemetry.ProcessorToolCorrectnessLateCalls.Add(ctx, int64(len(late)))
	for _, by := range late {
		r.telemetry.ProcessorToolCorrectnessLateCallAge.Record(ctx, by.Seconds())
	}
}

// Failed counts spans that are lost, by the reason.
func (r *Recorder) Failed(ctx context.Context, spans int, reason string) {
	r.telemetry.ProcessorToolCorrectnessSpansFailed.Add(ctx, int64(spans), labels(attribute.String("reason", reason)))
}

// SetAside counts a record that cannot be read, by the reason.
func (r *Recorder) SetAside(ctx context.Context, reason string) {
	r.telemetry.ProcessorToolCorrectnessRecordsSetAside.Add(ctx, 1, labels(attribute.String("reason", reason)))
}

// Reloaded counts that expectations were read again, by whether they can be used.
func (r *Recorder) Reloaded(ctx context.Context, usable bool) {
	of := reloadFailed
	if usable {
		of = reloadSucceeded
	}
	r.telemetry.ProcessorToolCorrectnessExpectationReloads.Add(ctx, 1, of...)
}
