package main

import (
	"context"
	"errors"
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
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
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

var validateCommand = subcommand{
	name: "validate", short: "check a configuration", usage: "validate -config FILE [FLAGS]", noFiles: true,
	long: `Check the processor's sections of a collector configuration, as a collector would at start:
keys, values, conditions, metrics, expectations and the files that they name. It also checks that
the storage extension exists and is started, and that a pipeline of traces uses the processor.`,
	example: `All faults are printed at once, with their keys. A warning is about a setting
that is allowed and probably not intended, such as an expectation that no run can meet.

exit codes: 0 valid; 1 a warning, with -strict; 2 not valid, unreadable, or wrong use.
example, from the top of the repository:
  toolcorrectness validate -config examples/storage.yaml`,
	prepare: func(f *flag.FlagSet) action {
		c := &collector{}
		c.flags(f, "the collector configuration `FILE` (required); several are merged", "check only the processor with this `ID`")
		strict := f.Bool("strict", false, "fail on warnings")
		return func(ctx context.Context, s streams, _ []string) error {
			if len(c.files) == 0 {
				return errNoConfig
			}
			warnings := 0
			logger := logTo(s.err, &warnings)
			conf, keys, err := c.sections(ctx, logger)
			if err != nil {
				return err
			}
			reported := 0 // the warnings about the file as a whole are reported with the first processor
			for _, key := range keys {
				cfg, fault := c.validate(ctx, conf, key, logger)
				if err = errors.Join(err, fault); fault == nil {
					expectations := report.Number(len(cfg.Expectations), "expectation")
					if len(cfg.ExpectationFiles) > 0 {
						expectations += " and those of its files"
					}
					fmt.Fprintf(s.out, "%s: valid: %s, %s, %s\n", cfg.at, report.Number(max(1, len(cfg.Metrics)), "metric"), expectations,
						report.Number(warnings-reported, "warning"))
				}
				reported = warnings
			}
			if err == nil && *strict && warnings > 0 {
				err = errGate{fmt.Errorf("%s, and -strict allows none", report.Number(warnings, "warning"))}
			}
			return err
		}
	},
}

// validate checks one processor of a configuration.
func (c *collector) validate(ctx context.Context, conf *confmap.Conf, key string, logger *zap.Logger) (loaded, error) {
	cfg, err := c.decode(conf, key)
	if err != nil {
		return cfg, err
	}
	p, err := cfg.build(ctx, logger)
	if err != nil {
		return cfg, err
	}
	if err = surroundings(conf, key, cfg.Config, logger.Sugar().Warnf); err != nil {
		err = fmt.Errorf("%s: %w", cfg.at, err)
	}
	return cfg, errors.Join(err, p.Shutdown(ctx))
}

// surroundings looks at the parts of a configuration that a processor refers to. The error is what would keep a collector from
// starting. A file without a service is a part of a configuration, so missing parts may be in another file.
func surroundings(conf *confmap.Conf, key string, cfg *toolcorrectnessprocessor.Config, warn func(string, ...any)) error {
	if cfg.ReloadInterval == 0 && cfg.HasFiles() {
		warn("reload_interval: is 0, so files with expectations are read at start only")
	}
	if !conf.IsSet("service") {
		if cfg.Storage != nil {
			warn("storage: %s is not checked, because the file has no service", *cfg.Storage)
		}
		return nil
	}
	var around struct {
		Extensions map[string]any `mapstructure:"extensions"`
		Service    struct {
			Extensions []string `mapstructure:"extensions"`
			Pipelines  map[string]struct {
				Processors []string `mapstructure:"processors"`
			} `mapstructure:"pipelines"`
		} `mapstructure:"service"`
	}
	if err := conf.Unmarshal(&around, confmap.WithIgnoreUnused()); err != nil {
		return err
	}
	used := "" // the pipeline that was found last with the processor
	own, _ := ours(key)
	for _, name := range slices.Sorted(maps.Keys(around.Service.Pipelines)) {
		for _, text := range around.Service.Pipelines[name].Processors {
			id, is := ours(text)
			switch kind, _, _ := strings.Cut(name, "/"); {
			case !is || id != own:
				continue
			case kind != "traces":
				return fmt.Errorf("service::pipelines::%s: the processor is for pipelines of traces", name)
			case name == used:
				return fmt.Errorf("service::pipelines::%s: has the processor twice", name)
			case used != "" && cfg.Storage != nil:
				return fmt.Errorf("storage: %s and %s use the processor, and one with storage can stand in one pipeline only", used, name)
			}
			used = name
		}
	}
	if used == "" {
		warn("no pipeline of traces uses processors::%s", key)
	}
	if cfg.Storage == nil {
		return nil
	}
	wanted := strings.TrimSpace(*cfg.Storage)
	if _, has := around.Extensions[wanted]; !has {
		return fmt.Errorf("storage: extensions has no %s", wanted)
	}
	if !slices.Contains(around.Service.Extensions, wanted) {
		return fmt.Errorf("storage: service::extensions does not start %s", wanted)
	}
	return nil
}
