package processor

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// instruments are the attribute sets of the processor's own metrics. There are few, and making one for each run would cost more
// than judging it.
type instruments struct {
	closed [agentrun.ByShutdown + 1][]metric.AddOption
	unheld [heldspans.BoundCount][]metric.AddOption
}

func newInstruments() instruments {
	var m instruments
	for cause := range m.closed {
		m.closed[cause] = addOptions(attribute.String("closed_by", agentrun.CloseReason(cause).String()))
	}
	for why := range m.unheld {
		m.unheld[why] = addOptions(attribute.String("bound", heldspans.Bound(why).String()))
	}
	return m
}

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

// addOptions are labels as they are handed to a counter, so that counting makes no list of them.
func addOptions(pairs ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{labels(pairs...)}
}
