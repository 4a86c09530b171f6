package selfmetrics

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
)

// A Recorder records metrics of the processor, with the attribute sets that they need. There are few.
type Recorder struct {
	telemetry *metadata.TelemetryBuilder
	closed    [agentrun.ByShutdown + 1][]metric.AddOption
	unheld    [heldspans.BoundCount][]metric.AddOption
}

// New returns a recorder with the instruments of a processor.
func New(telemetry *metadata.TelemetryBuilder) *Recorder {
	r := &Recorder{telemetry: telemetry}
	for cause := range r.closed {
		r.closed[cause] = addOptions(attribute.String("closed_by", agentrun.CloseReason(cause).String()))
	}
	for why := range r.unheld {
		r.unheld[why] = addOptions(attribute.String("bound", heldspans.Bound(why).String()))
	}
	return r
}

// These attributes say why a run is contested, and the result of a reload.
var (
	contradiction    = addOptions(attribute.String("contest", "contradiction"))
	fromOtherProcess = addOptions(attribute.String("contest", "other_process"))
	reloadSucceeded  = addOptions(attribute.String("result", "success"))
	reloadFailed     = addOptions(attribute.String("result", "failure"))
)

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

// addOptions are labels as they are handed to a counter, so that counting makes no list of them.
func addOptions(pairs ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{labels(pairs...)}
}
