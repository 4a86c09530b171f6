package toolcorrectnessconnector

import (
	"context"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/connector"
	"go.opentelemetry.io/collector/consumer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/connector/internal/metadata"
)

// NewFactory returns the factory of the tool_correctness connector.
func NewFactory() connector.Factory {
	return connector.NewFactory(
		metadata.Type,
		func() component.Config { return &Config{} },
		connector.WithTracesToLogs(createTracesToLogs, metadata.TracesToLogsStability),
	)
}

func createTracesToLogs(_ context.Context, set connector.Settings, cfg component.Config, next consumer.Logs) (connector.Traces, error) {
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	return &tracesToLogs{config: cfg.(*Config), version: set.BuildInfo.Version, telemetry: telemetry, logger: set.Logger, next: next}, nil
}
