package processor

import (
	"context"
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// registerGauges publishes the processor's totals.
func (p *Processor) registerGauges() error {
	return errors.Join(
		p.telemetry.RegisterProcessorToolCorrectnessOpenRunsCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.open.Load())
			return nil
		}),
		p.telemetry.RegisterProcessorToolCorrectnessRetainedBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.size.Load() + p.undelivered.Load())
			return nil
		}),
	)
}
