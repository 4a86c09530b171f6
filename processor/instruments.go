package processor

import (
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// instruments are the attribute sets of the processor's own metrics, and what else is the same for all verdicts of a metric.
// There are few, and making one for each run would cost more than judging it.
type instruments struct {
	closed [agentrun.ByShutdown + 1][]metric.AddOption
	unheld [boundCount][]metric.AddOption
	labels []*verdictLabels // in the order of the metrics
	// What is written on a span, in bytes on the wire: runWire of each run, without texts that differ; annotationWire at
	// most, with formsWire in the forms of other backends; and callWire at most on that of a call.
	runWire, annotationWire, formsWire, callWire int
}

// verdictLabels are how the verdicts of one metric are written.
type verdictLabels struct {
	attributes.Keys
	metric string // its name
	sets   bool   // it takes expected tools and calls for sets
	// wire is what they and their values take on a run's span, in bytes on the wire, without reason and expectation.
	wire int
	// kinds are the attribute sets by which verdicts are told apart when they are counted. Each is made when it is first
	// needed. The names of expectations, which a configuration bounds, bound how many there are. The caller of
	// [verdictLabels.kindOf] holds ticking.
	kinds map[verdictKind]*verdictOptions
	// last are those of lastKind, the kind of verdict that was counted last. Many verdicts in a row are of one kind.
	lastKind verdictKind
	last     *verdictOptions
}

func newInstruments(metrics []Metric) instruments {
	m := instruments{labels: make([]*verdictLabels, len(metrics))}
	for cause := range m.closed {
		m.closed[cause] = addOptions(attribute.String("closed_by", agentrun.CloseReason(cause).String()))
	}
	for why := range m.unheld {
		m.unheld[why] = addOptions(attribute.String("bound", bound(why).String()))
	}
	for i := range metrics {
		m.labels[i] = newLabels(metrics[i].Name)
		native, is := metrics[i].Method.(*scoring.Native)
		m.labels[i].sets = is && native.Options().Repeats == scoring.UniqueRepeats
	}
	return m
}

// valueWire is what an attribute takes on the wire beside its key and text, in bytes, with a number or none.
const valueWire = 28

// size finds out what is written on spans with the names and the fingerprint of a set of expectations.
func (m *instruments) size(set *ExpectationSet) {
	m.runWire, m.callWire = 0, 0
	for _, key := range attributes.OfRun() {
		m.runWire += len(key) + valueWire
	}
	m.runWire += len(set.Fingerprint)
	longest := 0
	for i := range set.Expectations {
		longest = max(longest, len(set.Expectations[i].Name))
	}
	const lists = 4
	m.annotationWire = m.runWire + m.formsWire + maxName + longest + lists*maxNames*(maxName+framing)
	for _, l := range m.labels {
		m.annotationWire += l.wire + maxReason + longest
		m.callWire += len(l.CallVerdict) + len(l.CallCredit) + 2*valueWire
	}
}

func newLabels(name string) *verdictLabels {
	l := &verdictLabels{Keys: attributes.Of(name), metric: name, kinds: make(map[verdictKind]*verdictOptions)}
	for _, key := range l.OnAnchor() {
		l.wire += len(key) + valueWire
	}
	return l
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
