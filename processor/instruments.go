package processor

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// instruments are the attribute sets of the processor's own metrics. There are few, and making one for each run would cost more
// than judging it.
type instruments struct {
	closed [agentrun.ByShutdown + 1][]metric.AddOption
	unheld [heldspans.BoundCount][]metric.AddOption
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
		m.unheld[why] = addOptions(attribute.String("bound", heldspans.Bound(why).String()))
	}
	for i := range metrics {
		m.labels[i] = newLabels(metrics[i].Name)
	}
	return m
}

func newLabels(name string) *verdictLabels {
	return &verdictLabels{metric: name, kinds: make(map[verdictKind]*verdictOptions)}
}

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

// addOptions are labels as they are handed to a counter, so that counting makes no list of them.
func addOptions(pairs ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{labels(pairs...)}
}

// A verdictKind is what verdicts of one metric are told apart by when they are counted.
type verdictKind struct {
	expectation      string
	agent            string // as the metrics name it, or ""
	status           scoring.Status
	passed, complete bool
}

// verdictOptions are the attributes of a kind of verdict, as counter and histogram take them. With lists that are made once,
// counting a verdict allocates nothing.
type verdictOptions struct {
	count  []metric.AddOption
	record []metric.RecordOption
	called []metric.AddOption // of forbidden calls
}

// kindOf returns the attributes under which a verdict is counted. The caller holds ticking.
func (l *verdictLabels) kindOf(kind verdictKind) *verdictOptions {
	if l.last == nil || l.lastKind != kind {
		l.lastKind, l.last = kind, l.optionsOf(kind)
	}
	return l.last
}

// optionsOf is kindOf for any kind.
func (l *verdictLabels) optionsOf(kind verdictKind) *verdictOptions {
	if o := l.kinds[kind]; o != nil {
		return o
	}
	met := []attribute.KeyValue{attribute.String("metric", l.metric), attribute.String("expectation", kind.expectation)}
	if kind.agent != "" {
		met = append(met, attribute.String("agent", kind.agent))
	}
	of := labels(append(slices.Clip(met),
		attribute.String("status", kind.status.String()),
		attribute.Bool("passed", kind.passed),
		attribute.Bool("complete", kind.complete),
	)...)
	o := &verdictOptions{count: []metric.AddOption{of}, record: []metric.RecordOption{of}, called: addOptions(met...)}
	l.kinds[kind] = o
	return o
}
