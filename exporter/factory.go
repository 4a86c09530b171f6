package toolcorrectnessscoresexporter

import (
	"context"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
)

const (
	batchTimeout   = 30 * time.Second
	requestTimeout = 10 * time.Second
	flushTimeout   = time.Second
	scoresPerBatch = 100
)

// NewFactory returns the factory of the tool_correctness_scores exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(metadata.Type, createDefaultConfig, exporter.WithLogs(createLogs, metadata.LogsStability))
}

func createDefaultConfig() component.Config {
	queue := exporterhelper.NewDefaultQueueConfig()
	batch := queue.Batch.GetOrInsertDefault()
	batch.FlushTimeout, batch.MinSize, batch.MaxSize = flushTimeout, scoresPerBatch, scoresPerBatch
	client := confighttp.NewDefaultClientConfig()
	client.Timeout = requestTimeout
	return &Config{
		TimeoutConfig: exporterhelper.TimeoutConfig{Timeout: batchTimeout},
		QueueConfig:   configoptional.Some(queue),
		RetryConfig:   configretry.NewDefaultBackOffConfig(),
		Langfuse:      configoptional.Default(LangfuseConfig{ClientConfig: client}),
		Phoenix:       configoptional.Default(PhoenixConfig{ClientConfig: client}),
		Datadog:       configoptional.Default(DatadogConfig{ClientConfig: client, Site: "datadoghq.com"}),
		MLflow:        configoptional.Default(MLflowConfig{ClientConfig: client}),
	}
}

func createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	c := cfg.(*Config)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	e := &scoresExporter{backend: c.backends()[0], settings: set.TelemetrySettings, telemetry: telemetry}
	return exporterhelper.NewLogs(ctx, set, c, e.push,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
		exporterhelper.WithCapabilities(consumer.Capabilities{MutatesData: false}),
		exporterhelper.WithTimeout(c.TimeoutConfig),
		exporterhelper.WithRetry(c.RetryConfig),
		exporterhelper.WithQueue(c.QueueConfig),
	)
}
