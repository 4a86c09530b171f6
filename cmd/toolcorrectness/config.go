package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
	collectorprocessor "go.opentelemetry.io/collector/processor"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// load reads the processor's section of a collector configuration.
func load(ctx context.Context, file, id string) (*toolcorrectnessprocessor.Config, component.ID, error) {
	none := component.ID{}
	conf, err := resolve(ctx, file)
	if err != nil {
		return nil, none, err
	}
	keys, err := processorKeys(conf)
	if err != nil {
		return nil, none, fmt.Errorf("%s: %w", file, err)
	}
	key, err := choose(keys, id)
	if err != nil {
		return nil, none, fmt.Errorf("%s: %w", file, err)
	}
	cfg, chosen, err := decode(conf, key)
	if err != nil {
		return nil, none, fmt.Errorf("%s: %w", file, err)
	}
	return cfg, chosen, nil
}

// resolve reads a collector configuration with all files that it names.
func resolve(ctx context.Context, file string) (*confmap.Conf, error) {
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{"file:" + file},
		ProviderFactories: []confmap.ProviderFactory{
			fileprovider.NewFactory(), envprovider.NewFactory(), yamlprovider.NewFactory(),
		},
		ProviderSettings: confmap.ProviderSettings{Logger: zap.NewNop()},
		DefaultScheme:    "env",
	})
	if err != nil {
		return nil, err
	}
	conf, err := resolver.Resolve(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return conf, nil
}

// processorKeys are the keys of this processor's sections.
func processorKeys(conf *confmap.Conf) ([]string, error) {
	sections, err := conf.Sub("processors")
	if err != nil {
		return nil, errors.New("processors: must be a map")
	}
	keys := slices.Sorted(maps.Keys(sections.ToStringMap()))
	return slices.DeleteFunc(keys, func(key string) bool { _, ok := ours(key); return !ok }), nil
}

// decode reads the section of a key.
func decode(conf *confmap.Conf, key string) (*toolcorrectnessprocessor.Config, component.ID, error) {
	id, _ := ours(key)
	sections, err := conf.Sub("processors")
	if err != nil {
		return nil, id, err
	}
	section, err := sections.Sub(key)
	if err != nil {
		return nil, id, fmt.Errorf("processors::%s: must be a map", key)
	}
	cfg := toolcorrectnessprocessor.NewFactory().CreateDefaultConfig().(*toolcorrectnessprocessor.Config)
	if err := cfg.Unmarshal(section); err != nil {
		return nil, id, fmt.Errorf("processors::%s: %w", key, err)
	}
	return cfg, id, nil
}

// choose finds the processor among the keys of its sections, by its id if one is given.
func choose(keys []string, id string) (string, error) {
	all := strings.Join(keys, ", ")
	switch {
	case len(keys) == 0:
		return "", fmt.Errorf("processors: has no %s", toolcorrectnessprocessor.NewFactory().Type())
	case id == "" && len(keys) > 1:
		return "", fmt.Errorf("processors: has %s; choose one with -processor", all)
	case id == "":
		return keys[0], nil
	}
	wanted, ok := ours(id)
	i := slices.IndexFunc(keys, func(key string) bool { have, _ := ours(key); return have == wanted })
	if !ok || i < 0 {
		return "", fmt.Errorf("-processor %q is not in it; it has %s", id, all)
	}
	return keys[i], nil
}

// ours returns the component ID in key, if it is one of this processor.
func ours(key string) (component.ID, bool) {
	var id component.ID
	err := id.UnmarshalText([]byte(key))
	return id, err == nil && id.Type() == toolcorrectnessprocessor.NewFactory().Type()
}

// build makes the processor as a collector would, without a next consumer.
func build(ctx context.Context, id component.ID, cfg component.Config, logger *zap.Logger) (*processor.Processor, error) {
	nobody, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error { return nil },
		consumer.WithCapabilities(consumer.Capabilities{MutatesData: true}))
	if err != nil {
		return nil, err
	}
	set := collectorprocessor.Settings{
		ID:        id,
		BuildInfo: component.NewDefaultBuildInfo(),
		TelemetrySettings: component.TelemetrySettings{
			Logger: logger, MeterProvider: metricnoop.NewMeterProvider(), TracerProvider: tracenoop.NewTracerProvider(),
		},
	}
	p, err := toolcorrectnessprocessor.NewFactory().CreateTraces(ctx, set, cfg, nobody)
	if err != nil {
		return nil, err
	}
	built := p.(*processor.Processor)
	return built, built.Load(ctx)
}

// logTo writes the processor's warnings, one a line, and the lines of verbose_mode. It counts the warnings.
func logTo(w io.Writer, warnings *int) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "message", LevelKey: "level", EncodeLevel: zapcore.LowercaseLevelEncoder})
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), zapcore.InfoLevel), zap.Hooks(func(e zapcore.Entry) error {
		if e.Level >= zapcore.WarnLevel {
			*warnings++
		}
		return nil
	}))
}
