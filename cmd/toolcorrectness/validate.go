package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
	"go.uber.org/zap"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

var validateCommand = subcommand{
	name: "validate", short: "check a configuration", usage: "-config FILE [FLAGS]", noFiles: true,
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
	if err := p.Shutdown(ctx); err != nil {
		return cfg, err
	}
	if err := surroundings(conf, key, cfg.Config, logger.Sugar().Warnf); err != nil {
		return cfg, fmt.Errorf("%s: %w", cfg.at, err)
	}
	return cfg, nil
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
