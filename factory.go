package toolcorrectnessprocessor

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/processor"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/metadata"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// NewFactory returns the factory of the tool_correctness processor.
func NewFactory() processor.Factory {
	return processor.NewFactory(
		metadata.Type,
		createDefaultConfig,
		processor.WithTraces(createTraces, metadata.TracesStability),
	)
}

func createTraces(_ context.Context, set processor.Settings, cfg component.Config, next consumer.Traces) (processor.Traces, error) {
	settings, err := cfg.(*Config).settings(configcheck.New(), set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	settings.ID = set.ID
	return toolcorrectness.New(settings, set.TelemetrySettings, next)
}
