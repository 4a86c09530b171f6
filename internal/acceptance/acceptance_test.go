// Package acceptance tests the processor as its users meet it: through the factory and a configuration, on recordings of real
// frameworks, on the folders of testdata/pipeline, and by what the pages and examples promise.
package acceptance

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

// root is the folder of the module.
var root = filepath.Join("..", "..")

// inRoot returns the path of a file that is named by its path below the module's root.
func inRoot(path ...string) string { return filepath.Join(root, filepath.Join(path...)) }

func defaultConfig() *toolcorrectnessprocessor.Config {
	return toolcorrectnessprocessor.NewFactory().CreateDefaultConfig().(*toolcorrectnessprocessor.Config)
}

// load reads a configuration of the processor, and validates it.
func load(t *testing.T, yaml string) (*toolcorrectnessprocessor.Config, error) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	return unmarshal(conf)
}

func unmarshal(conf *confmap.Conf) (*toolcorrectnessprocessor.Config, error) {
	cfg := defaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, cfg.Validate()
}

// configured changes a configuration by the keys of a user's.
func configured(t *testing.T, keys map[string]any) func(*toolcorrectnessprocessor.Config) {
	return func(cfg *toolcorrectnessprocessor.Config) {
		require.NoError(t, confmap.NewFromStringMap(keys).Unmarshal(cfg))
	}
}

// fromTestdata is what a file of testdata says.
func fromTestdata[T any](name string) (v T) {
	data, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
	if err == nil {
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		decoder.KnownFields(true)
		err = decoder.Decode(&v)
	}
	if err != nil {
		panic(fmt.Errorf("%s: %w", name, err))
	}
	return v
}

// spansOf are the spans of requests, in their order.
func spansOf(requests ...ptrace.Traces) iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, td := range requests {
			for _, rs := range td.ResourceSpans().All() {
				for _, ss := range rs.ScopeSpans().All() {
					for _, span := range ss.Spans().All() {
						if !yield(span) {
							return
						}
					}
				}
			}
		}
	}
}
