package verdictmetrics

import (
	"slices"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// labels has the attributes under which the verdicts of one metric are counted.
type labels struct {
	processor, metric string // the id and the name
	// kinds has the attribute sets of verdicts, each made at its first use. The configuration bounds their number: it has the
	// expectations, and says how many names of agents the metrics show.
	kinds map[verdictKind]*verdictOptions
	// last is the set of lastKind, the kind of the last verdict. Many verdicts in a row are of one kind.
	lastKind verdictKind
	last     *verdictOptions
}

func newLabels(processor, name string) *labels {
	return &labels{processor: processor, metric: name, kinds: make(map[verdictKind]*verdictOptions)}
}

// A verdictKind has the attributes that distinguish verdicts of one metric.
type verdictKind struct {
	expectation      string
	agent            string // as the metrics name it, or ""
	status           scoring.Status
	passed, complete bool
}

// verdictOptions are the attributes of a kind of verdict, as counter and histogram take them. These lists are made once, so
// counting a verdict allocates nothing.
type verdictOptions struct {
	count  []metric.AddOption
	record []metric.RecordOption
	called []metric.AddOption // of forbidden calls
}

// kindOf returns the attributes under which a verdict is counted.
func (l *labels) kindOf(kind verdictKind) *verdictOptions {
	if l.last == nil || l.lastKind != kind {
		l.lastKind, l.last = kind, l.optionsOf(kind)
	}
	return l.last
}

// optionsOf is kindOf without the memory of the last kind.
func (l *labels) optionsOf(kind verdictKind) *verdictOptions {
	if o := l.kinds[kind]; o != nil {
		return o
	}
	met := []attribute.KeyValue{attribute.String("metric", l.metric), attribute.String("expectation", kind.expectation)}
	if l.processor != "" {
		met = append(met, attribute.String("processor", l.processor))
	}
	if kind.agent != "" {
		met = append(met, attribute.String("agent", kind.agent))
	}
	of := metric.WithAttributeSet(attribute.NewSet(append(slices.Clip(met),
		attribute.String("status", kind.status.String()),
		attribute.Bool("passed", kind.passed),
		attribute.Bool("complete", kind.complete),
	)...))
	o := &verdictOptions{count: []metric.AddOption{of}, record: []metric.RecordOption{of}, called: []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(met...))}}
	l.kinds[kind] = o
	return o
}
