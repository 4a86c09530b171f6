package acceptance

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/golden"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Alerts and dashboards depend on the names of attributes and of the processor's own metrics. A change of any of them is
// visible to users.
func TestPublicNamesArePinned(t *testing.T) {
	var lines []string
	for _, key := range writtenAttributes(t) {
		lines = append(lines, "attribute "+key)
	}
	for _, name := range ownMetrics(t) {
		lines = append(lines, "metric "+name)
	}
	got := strings.Join(lines, "\n") + "\n"
	file := inRoot("testdata", "pins", "names.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// writtenAttributes returns the keys that the processor adds in any case of testdata/pipeline.
func writtenAttributes(t *testing.T) []string {
	t.Helper()
	count := func(pattern string) map[string]bool {
		keys := map[string]bool{}
		files, err := filepath.Glob(inRoot("testdata", "pipeline", "*", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			td, err := golden.ReadTraces(file)
			require.NoError(t, err)
			for span := range spansOf(td) {
				for key := range span.Attributes().All() {
					keys[key] = true
				}
			}
		}
		return keys
	}
	written, sent := count("out.yaml"), count("in*.yaml")
	maps.DeleteFunc(written, func(key string, _ bool) bool { return sent[key] })
	return slices.Sorted(maps.Keys(written))
}

// ownMetrics returns the names in metadata.yaml.
func ownMetrics(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(inRoot("metadata.yaml"))
	require.NoError(t, err)
	var metadata struct {
		Telemetry struct {
			Metrics map[string]any `yaml:"metrics"`
		} `yaml:"telemetry"`
	}
	require.NoError(t, yaml.Unmarshal(data, &metadata))
	require.NotEmpty(t, metadata.Telemetry.Metrics)
	return slices.Sorted(maps.Keys(metadata.Telemetry.Metrics))
}
