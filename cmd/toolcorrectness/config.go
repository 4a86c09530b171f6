package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/featuregate"
	collectorprocessor "go.opentelemetry.io/collector/processor"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

// A collector is the configuration of one, as the command line names it.
type collector struct {
	files []string
	id    string // of the processor in it; empty: there is only one
}

// flags adds the flags that say what the collector's configuration is.
func (c *collector) flags(f *flag.FlagSet, config, processor string) {
	f.Func("config", config, func(file string) error {
		c.files = append(c.files, file)
		return nil
	})
	f.StringVar(&c.id, "processor", "", processor)
	featuregate.GlobalRegistry().RegisterFlags(f)
	f.Lookup("feature-gates").Usage = "the collector's feature gates, as `GATES` of its own flag"
}

// A loaded is the configuration of one processor.
type loaded struct {
	*toolcorrectnessprocessor.Config
	id component.ID
	// at says where it is, for errors.
	at string
}

// load reads the section of one processor.
func (c *collector) load(ctx context.Context, logger *zap.Logger) (loaded, error) {
	conf, keys, err := c.sections(ctx, logger)
	if err != nil {
		return loaded{}, err
	}
	if len(keys) > 1 {
		return loaded{}, fmt.Errorf("%s: processors: has %s; choose one with -processor", c, strings.Join(keys, ", "))
	}
	return c.decode(conf, keys[0])
}

// String is the configuration as errors name it.
func (c *collector) String() string { return strings.Join(c.files, ", ") }

// neutral is a configuration that expects nothing of any run.
func neutral() loaded {
	factory := toolcorrectnessprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig().(*toolcorrectnessprocessor.Config)
	cfg.Expectations = []toolcorrectnessprocessor.ExpectationConfig{{When: "false", Tools: []toolcorrectnessprocessor.ToolConfig{{Name: "*"}}}}
	return loaded{cfg, component.NewID(factory.Type()), "no configuration"}
}

// sections reads a collector configuration, and returns the keys of this processor's sections in it: the one with the id, or all.
func (c *collector) sections(ctx context.Context, logger *zap.Logger) (*confmap.Conf, []string, error) {
	conf, err := c.resolve(ctx, logger)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", c, err)
	}
	processors, err := conf.Sub("processors")
	if err != nil {
		return nil, nil, fmt.Errorf("%s: processors: must be a map", c)
	}
	keys := slices.Sorted(maps.Keys(processors.ToStringMap()))
	keys = slices.DeleteFunc(keys, func(key string) bool { _, ok := ours(key); return !ok })
	if len(keys) == 0 {
		return nil, nil, fmt.Errorf("%s: processors: has no %s", c, toolcorrectnessprocessor.NewFactory().Type())
	}
	if c.id == "" {
		return conf, keys, nil
	}
	for _, key := range keys {
		if id, _ := ours(key); id.String() == c.id || key == c.id {
			return conf, []string{key}, nil
		}
	}
	return nil, nil, fmt.Errorf("%s: -processor %q is not in it; it has %s", c, c.id, strings.Join(keys, ", "))
}

// resolve merges collector configurations as the collector does, with all files that they name. Variables that are not set are warned of.
func (c *collector) resolve(ctx context.Context, logger *zap.Logger) (*confmap.Conf, error) {
	uris := make([]string, len(c.files))
	for i, file := range c.files {
		uris[i] = "file:" + file
	}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: uris,
		ProviderFactories: []confmap.ProviderFactory{
			fileprovider.NewFactory(), envprovider.NewFactory(), yamlprovider.NewFactory(),
		},
		ProviderSettings: confmap.ProviderSettings{Logger: logger},
		DefaultScheme:    "env",
	})
	if err != nil {
		return nil, err
	}
	return resolver.Resolve(ctx)
}

// decode reads the section of a key.
func (c *collector) decode(conf *confmap.Conf, key string) (loaded, error) {
	s := neutral()
	s.Expectations, s.at = nil, fmt.Sprintf("%s: processors::%s", c, key)
	s.id, _ = ours(key)
	keys, err := conf.Sub("processors::" + key)
	if err != nil {
		return s, fmt.Errorf("%s: must be a map", s.at)
	}
	if err := s.Unmarshal(keys); err != nil {
		return s, fmt.Errorf("%s: %w", s.at, err)
	}
	return s, nil
}

// ours returns the component ID in key, if it is one of this processor.
func ours(key string) (component.ID, bool) {
	var id component.ID
	err := id.UnmarshalText([]byte(key))
	return id, err == nil && id.Type() == toolcorrectnessprocessor.NewFactory().Type()
}

// build makes the processor as a collector would, without a next consumer.
func (s loaded) build(ctx context.Context, logger *zap.Logger) (*processor.Processor, error) {
	telemetry := componenttest.NewNopTelemetrySettings()
	telemetry.Logger = logger
	set := collectorprocessor.Settings{ID: s.id, BuildInfo: component.NewDefaultBuildInfo(), TelemetrySettings: telemetry}
	made, err := toolcorrectnessprocessor.NewFactory().CreateTraces(ctx, set, s.Config, consumertest.NewNop())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.at, err)
	}
	p := made.(*processor.Processor)
	if err := p.Load(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.at, err)
	}
	return p, nil
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
