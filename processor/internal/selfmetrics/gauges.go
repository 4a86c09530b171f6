package selfmetrics

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Totals are what the processor holds: open runs, retained bytes, and held spans wherever they are. The functions may be called
// at any time, by any goroutine.
type Totals struct {
	OpenRuns, Retained, Waiting func() int64
	// OpenRunsLimit and BytesLimit bound the first two.
	OpenRunsLimit, BytesLimit int64
}

// RegisterTotals publishes totals.
func (r *Recorder) RegisterTotals(t Totals) error {
	return errors.Join(
		r.telemetry.RegisterProcessorToolCorrectnessOpenRunsCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(t.OpenRuns(), r.processor)
			return nil
		}),
		r.telemetry.RegisterProcessorToolCorrectnessRetainedBytesCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(t.Retained(), r.processor)
			return nil
		}),
		r.telemetry.RegisterProcessorToolCorrectnessOpenRunsLimitCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(t.OpenRunsLimit, r.processor)
			return nil
		}),
		r.telemetry.RegisterProcessorToolCorrectnessRetainedBytesLimitCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(t.BytesLimit, r.processor)
			return nil
		}),
		r.telemetry.RegisterProcessorToolCorrectnessSpansWaitingCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(t.Waiting(), r.processor)
			return nil
		}),
	)
}

// RegisterSet publishes the age of the set of expectations, and its fingerprint, which says which one it is.
func (r *Recorder) RegisterSet(age func() time.Duration, fingerprint func() string) error {
	return errors.Join(
		r.telemetry.RegisterProcessorToolCorrectnessExpectationSetAgeCallback(func(_ context.Context, o metric.Float64Observer) error {
			o.Observe(age().Seconds(), r.processor)
			return nil
		}),
		r.telemetry.RegisterProcessorToolCorrectnessExpectationSetCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(1, r.processor, metric.WithAttributes(attribute.String("config", fingerprint())))
			return nil
		}),
	)
}
