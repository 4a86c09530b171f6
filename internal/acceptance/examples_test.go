package acceptance

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

// shippedSections are the sections of the processor in all examples, under "file: id".
func shippedSections(t *testing.T) map[string]*confmap.Conf {
	files, err := filepath.Glob(inRoot("examples", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	recipes, err := filepath.Glob(inRoot("examples", "recipes", "*.yaml"))
	require.NoError(t, err)
	files = append(files, recipes...)
	sections := map[string]*confmap.Conf{}
	for _, file := range files {
		conf, err := confmaptest.LoadConf(file)
		require.NoError(t, err)
		processors, err := conf.Sub("processors")
		require.NoError(t, err)
		before := len(sections)
		for key := range processors.ToStringMap() {
			var id component.ID
			require.NoError(t, id.UnmarshalText([]byte(key)))
			if id.Type() == toolcorrectnessprocessor.NewFactory().Type() {
				sections[file+": "+key], err = processors.Sub(key)
				require.NoError(t, err)
			}
		}
		require.Greater(t, len(sections), before, "%s has no %s", file, toolcorrectnessprocessor.NewFactory().Type())
	}
	return sections
}

// A sampler decides after the verdict: it waits longer than a run does, and does not decide sooner because a root arrived. The root
// may be a span around the agent's, which the processor does not hold.
func TestExamplesSampleAfterTheVerdict(t *testing.T) {
	for _, name := range []string{"keep-failures.yaml", "route-failures.yaml"} {
		t.Run(name, func(t *testing.T) {
			conf, err := confmaptest.LoadConf(inRoot("examples", name))
			require.NoError(t, err)
			var set struct {
				Sampler map[string]any `mapstructure:"tail_sampling"`
				Scorer  struct {
					Run struct {
						Wait time.Duration `mapstructure:"wait"`
					} `mapstructure:"run"`
				} `mapstructure:"tool_correctness"`
			}
			processors, err := conf.Sub("processors")
			require.NoError(t, err)
			require.NoError(t, processors.Unmarshal(&set, confmap.WithIgnoreUnused()))
			wait, err := time.ParseDuration(set.Sampler["decision_wait"].(string))
			require.NoError(t, err)
			assert.Greater(t, wait, set.Scorer.Run.Wait)
			assert.NotContains(t, set.Sampler, "decision_wait_after_root_received")
		})
	}
}

// Every example is complete: its pipelines name all components that it has, and no others. Where verdicts are made, they are log
// records as well.
func TestExamplesAreWhole(t *testing.T) {
	files, err := filepath.Glob(inRoot("examples", "*.yaml"))
	require.NoError(t, err)
	for _, folder := range []string{"recipes", "scale-out"} {
		more, err := filepath.Glob(inRoot("examples", folder, "*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, more)
		files = append(files, more...)
	}
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			conf, err := confmaptest.LoadConf(file)
			require.NoError(t, err)
			pipelines, err := conf.Sub("service::pipelines")
			require.NoError(t, err)
			require.NotEmpty(t, pipelines.ToStringMap())
			if slices.Contains(sectionKeys(t, conf, "processors"), "tool_correctness") {
				assert.Contains(t, sectionKeys(t, conf, "connectors"), "tool_correctness")
			}
			for _, kind := range []string{"receivers", "processors", "exporters"} {
				defined, used := sectionKeys(t, conf, kind), []string(nil)
				if kind != "processors" { // a connector is an exporter of one pipeline and a receiver of another
					defined = append(defined, sectionKeys(t, conf, "connectors")...)
				}
				for key := range pipelines.ToStringMap() {
					list, _ := pipelines.Get(key + "::" + kind).([]any)
					for _, id := range list {
						if !slices.Contains(used, id.(string)) {
							used = append(used, id.(string))
						}
					}
				}
				assert.ElementsMatch(t, defined, used, kind)
			}
		})
	}
}

func sectionKeys(t *testing.T, conf *confmap.Conf, section string) []string {
	t.Helper()
	sub, err := conf.Sub(section)
	require.NoError(t, err)
	return slices.Collect(maps.Keys(sub.ToStringMap()))
}
