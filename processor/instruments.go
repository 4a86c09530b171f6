package processor

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// instruments are the attribute sets of the processor's own metrics. There are few, and making one for each run would cost more
// than judging it.
type instruments struct {
	closed [agentrun.ByShutdown + 1][]metric.AddOption
	unheld [boundCount][]metric.AddOption
	labels []*verdictLabels // in the order of the metrics
}

// verdictLabels are how the verdicts of one metric are counted.
type verdictLabels struct {
	metric string // its name
	// kinds are the attribute sets by which verdicts are told apart when they are counted. Each is made when it is first
	// needed. The names of expectations, which a configuration bounds, bound how many there are. The caller of
	// [verdictLabels.kindOf] holds ticking.
	kinds map[verdictKind]*verdictOptions
	// last are those of lastKind, the kind of verdict that was counted last. Many verdicts in a row are of one kind.
	lastKind verdictKind
	last     *verdictOptions
}

func newInstruments(metrics []evaluate.Metric) instruments {
	m := instruments{labels: make([]*verdictLabels, len(metrics))}
	for cause := range m.closed {
		m.closed[cause] = addOptions(attribute.String("closed_by", agentrun.CloseReason(cause).String()))
	}
	for why := range m.unheld {
		m.unheld[why] = addOptions(attribute.String("bound", bound(why).String()))
	}
	for i := range metrics {
		m.labels[i] = newLabels(metrics[i].Name)
	}
	return m
}

func newLabels(name string) *verdictLabels {
	return &verdictLabels{metric: name, kinds: make(map[verdictKind]*verdictOptions)}
}

// countUnheld counts spans that went on because a bound keeps them from being held.
func (p *Processor) countUnheld(ctx context.Context, unheld *[boundCount]int) {
	for why, n := range unheld {
		if n > 0 {
			p.telemetry.ProcessorToolCorrectnessSpansUnheld.Add(ctx, int64(n), p.instruments.unheld[why]...)
		}
	}
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

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

// addOptions are labels as they are handed to a counter, so that counting makes no list of them.
func addOptions(pairs ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{labels(pairs...)}
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
			o.Observe(p.retained())
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
