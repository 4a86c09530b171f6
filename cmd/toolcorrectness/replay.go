package main

import (
	"context"
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
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	collectorprocessor "go.opentelemetry.io/collector/processor"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// judge sends the traces through the processor and returns what it said.
func (o *options) judge(ctx context.Context, stdin io.Reader, stderr io.Writer) (*findings, error) {
	cfg, id, err := load(ctx, o.config, o.processor)
	if err != nil {
		return nil, err
	}
	if o.valuesGiven {
		cfg.Annotate.Values = o.values
	}
	f := &findings{expectations: cfg.Expectations, values: o.where(cfg), places: map[pcommon.TraceID]place{}}
	p, err := build(ctx, id, cfg, logTo(stderr, &f.warnings))
	if err != nil {
		return nil, fmt.Errorf("%s: processors::%s: %w", o.config, id, err)
	}
	p.DryRun(f.add)
	if err := o.replay(ctx, p, f, stdin, stderr); err != nil {
		return nil, err
	}
	p.Advance(ctx, cfg.Run.Wait)
	p.Advance(ctx, cfg.Run.IdleTimeout)
	if err := p.Shutdown(ctx); err != nil {
		return nil, err
	}
	report.Sort(f.rows)
	return f, nil
}

// replay sends the input through the processor.
func (o *options) replay(ctx context.Context, p *processor.Processor, f *findings, stdin io.Reader, stderr io.Writer) error {
	files, err := inputs(o.traces)
	if err != nil {
		return err
	}
	r := reader{stdin: stdin, stderr: stderr, progress: newProgress(stderr, files)}
	defer r.progress.end()
	for _, name := range files {
		err := r.read(name, func(td ptrace.Traces) error {
			defer p.Advance(ctx, 0) // what a limit closed goes out
			f.see(name, td)
			return p.ConsumeTraces(ctx, td)
		})
		if err != nil {
			return err
		}
		f.files++
	}
	f.faulty = r.faulty
	return nil
}

// where says where values may stand. JSON is the file of data that was asked for, so it has those of calls unless they are
// forbidden; other formats have none unless they are allowed.
func (o *options) where(cfg *toolcorrectnessprocessor.Config) values {
	v := values{calls: cfg.Annotate.Values, alignments: cfg.Annotate.Values}
	if o.format == "json" {
		v.calls = !o.valuesGiven || o.values
	}
	return v
}

// load reads the processor's section of a collector configuration.
func load(ctx context.Context, file, id string) (*toolcorrectnessprocessor.Config, component.ID, error) {
	none := component.ID{}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{"file:" + file},
		ProviderFactories: []confmap.ProviderFactory{
			fileprovider.NewFactory(), envprovider.NewFactory(), yamlprovider.NewFactory(),
		},
		ProviderSettings: confmap.ProviderSettings{Logger: zap.NewNop()},
		DefaultScheme:    "env",
	})
	if err != nil {
		return nil, none, err
	}
	conf, err := resolver.Resolve(ctx)
	if err != nil {
		return nil, none, fmt.Errorf("%s: %w", file, err)
	}
	sections, err := conf.Sub("processors")
	if err != nil {
		return nil, none, fmt.Errorf("%s: processors: must be a map", file)
	}
	key, err := choose(slices.Sorted(maps.Keys(sections.ToStringMap())), id)
	if err != nil {
		return nil, none, fmt.Errorf("%s: %w", file, err)
	}
	section, err := sections.Sub(key)
	if err != nil {
		return nil, none, fmt.Errorf("%s: processors::%s: must be a map", file, key)
	}
	cfg := toolcorrectnessprocessor.NewFactory().CreateDefaultConfig().(*toolcorrectnessprocessor.Config)
	if err := cfg.Unmarshal(section); err != nil {
		return nil, none, fmt.Errorf("%s: processors::%s: %w", file, key, err)
	}
	chosen, _ := ours(key)
	return cfg, chosen, nil
}

// choose finds the processor among the keys of the section, by its id if one is given.
func choose(keys []string, id string) (string, error) {
	keys = slices.DeleteFunc(keys, func(key string) bool { _, ok := ours(key); return !ok })
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

// ours is the id that key stands for, if it is one of this processor.
func ours(key string) (component.ID, bool) {
	var id component.ID
	err := id.UnmarshalText([]byte(key))
	return id, err == nil && id.Type() == toolcorrectnessprocessor.NewFactory().Type()
}

// build makes the processor as a collector would, with nobody behind it.
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
	return p.(*processor.Processor), nil
}

// logTo writes the processor's warnings, one a line, and what verbose_mode asks for. It counts the warnings.
func logTo(w io.Writer, warnings *int) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "message", LevelKey: "level", EncodeLevel: zapcore.LowercaseLevelEncoder})
	return zap.New(zapcore.NewCore(encoder, zapcore.AddSync(w), zapcore.InfoLevel), zap.Hooks(func(e zapcore.Entry) error {
		if e.Level >= zapcore.WarnLevel {
			*warnings++
		}
		return nil
	}))
}
