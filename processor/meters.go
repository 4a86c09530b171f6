package processor

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// verdictKey is what the processor's own metrics tell verdicts apart by.
type verdictKey struct {
	metric string
	status scoring.Status
	passed bool
	// complete is the run's.
	complete bool
}

// meters are the attribute sets of the processor's own metrics. There are few, and making one for each run would cost
// more than judging it.
type meters struct {
	closed   [agentrun.ByShutdown + 1]metric.MeasurementOption
	verdicts map[verdictKey]metric.MeasurementOption
}

func newMeters(metrics []Metric) meters {
	m := meters{verdicts: make(map[verdictKey]metric.MeasurementOption)}
	for cause := range m.closed {
		m.closed[cause] = labels(attribute.String("closed_by", agentrun.Cause(cause).String()))
	}
	for _, name := range metrics {
		for status := scoring.Scored; status <= scoring.Undefined; status++ {
			for _, passed := range [...]bool{true, false} {
				for _, complete := range [...]bool{true, false} {
					m.verdicts[verdictKey{name.Name, status, passed, complete}] = labels(
						attribute.String("metric", name.Name),
						attribute.String("status", status.String()),
						attribute.Bool("passed", passed),
						attribute.Bool("complete", complete),
					)
				}
			}
		}
	}
	return m
}

// countLate counts calls that came after their run had closed, with how long after that they came.
func (p *Processor) countLate(ctx context.Context, late []time.Duration) {
	if len(late) == 0 {
		return
	}
	p.telemetry.ProcessorToolCorrectnessLateCalls.Add(ctx, int64(len(late)))
	for _, by := range late {
		p.telemetry.ProcessorToolCorrectnessLateCallAge.Record(ctx, by.Seconds())
	}
}

func labels(attributes ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(attributes...))
}

// begin has the counters of spans there from the beginning, so that sums of them are.
func (p *Processor) begin() {
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
			o.Observe(p.retained())
			return nil
		}),
		p.telemetry.RegisterProcessorToolCorrectnessSpansWaitingCallback(func(_ context.Context, o metric.Int64Observer) error {
			o.Observe(p.waiting.Load())
			return nil
		}),
	)
}
