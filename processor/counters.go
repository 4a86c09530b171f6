package processor

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// countUnheld counts spans that were forwarded because a bound keeps them from being held.
func (p *Processor) countUnheld(ctx context.Context, unheld *[heldspans.BoundCount]int) {
	for why, n := range unheld {
		if n > 0 {
			p.telemetry.ProcessorToolCorrectnessSpansUnheld.Add(ctx, int64(n), p.instruments.unheld[why]...)
		}
	}
}

// countLate counts late calls, with how long after the closing of their run they arrived.
func (p *Processor) countLate(ctx context.Context, late []time.Duration) {
	if len(late) == 0 {
		return
	}
	p.telemetry.ProcessorToolCorrectnessLateCalls.Add(ctx, int64(len(late)))
	for _, by := range late {
		p.telemetry.ProcessorToolCorrectnessLateCallAge.Record(ctx, by.Seconds())
	}
}

// initCounters has the counters of spans there from the beginning, so that sums of them are.
func (p *Processor) initCounters() {
	t := p.telemetry
	for _, counter := range [...]metric.Int64Counter{
		t.ProcessorToolCorrectnessSpansReceived, t.ProcessorToolCorrectnessSpansForwarded, t.ProcessorToolCorrectnessSpansHeld,
		t.ProcessorToolCorrectnessSpansRefused, t.ProcessorToolCorrectnessSpansReleased, t.ProcessorToolCorrectnessSpansResumed,
		t.ProcessorToolCorrectnessSpansSuspended,
	} {
		counter.Add(context.Background(), 0)
	}
}

// registerGauges publishes the processor's totals.
func (p *Processor) registerGauges() error {
	return errors.Join(
		p.telemetry.RegisterProcessorToolCorrectnessOpenRunsCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.open.Load())
			return nil
		}),
		p.telemetry.RegisterProcessorToolCorrectnessRetainedBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.Retained())
			return nil
		}),
		p.telemetry.RegisterProcessorToolCorrectnessOpenRunsLimitCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(int64(p.set.Limits.OpenRuns))
			return nil
		}),
		p.telemetry.RegisterProcessorToolCorrectnessRetainedBytesLimitCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.set.Limits.Bytes)
			return nil
		}),
		p.telemetry.RegisterProcessorToolCorrectnessSpansWaitingCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.waiting.Load())
			return nil
		}),
	)
}
