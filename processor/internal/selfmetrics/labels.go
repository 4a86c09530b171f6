package selfmetrics

import (
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// A Recorder records metrics of the processor, with the attribute sets that they need. There are few.
type Recorder struct {
	telemetry *metadata.TelemetryBuilder
	processor metric.MeasurementOption // says whose gauges these are
	closed    [evidence.ByShutdown + 1][]metric.AddOption
	unheld    [heldspans.BoundCount][]metric.AddOption
	reasons   [][]metric.AddOption // of runs that are not complete, in the order of their bits
}

// New returns a recorder with the instruments of a processor.
func New(telemetry *metadata.TelemetryBuilder, processor string) *Recorder {
	r := &Recorder{telemetry: telemetry, processor: labels()}
	if processor != "" {
		r.processor = labels(attribute.String("processor", processor))
	}
	for cause := range r.closed {
		r.closed[cause] = addOptions(attribute.String("closed_by", evidence.CloseReason(cause).String()))
	}
	for _, reason := range runs.AllDoubts() {
		r.reasons = append(r.reasons, addOptions(attribute.String("reason", reason)))
	}
	for why := range r.unheld {
		r.unheld[why] = addOptions(attribute.String("bound", heldspans.Bound(why).String()))
	}
	return r
}

// These attributes say the result of a reload.
var (
	reloadSucceeded = addOptions(attribute.String("result", "success"))
	reloadFailed    = addOptions(attribute.String("result", "failure"))
)

func labels(pairs ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(pairs...))
}

// addOptions are labels as they are handed to a counter, so that counting makes no list of them.
func addOptions(pairs ...attribute.KeyValue) []metric.AddOption {
	return []metric.AddOption{labels(pairs...)}
}
