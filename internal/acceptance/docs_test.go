package acceptance

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Every snippet is YAML, and the processor accepts every configuration of it: a whole one, or what stands below tool_correctness.
func TestDocumentedConfigurationsLoad(t *testing.T) {
	loaded := 0
	for file, text := range pages(t) {
		for _, block := range yamlBlock.FindAllStringSubmatch(text, -1) {
			retrieved, err := confmap.NewRetrievedFromYAML([]byte(block[1]))
			require.NoError(t, err, "%s: %s", file, block[1])
			section, err := retrieved.AsConf()
			require.NoError(t, err, "%s: %s", file, block[1])
			keys := slices.Collect(maps.Keys(section.ToStringMap()))
			if slices.ContainsFunc(keys, ofCollector) {
				require.Empty(t, slices.DeleteFunc(keys, ofCollector), "%s: %s", file, block[1])
				const own = "processors::tool_correctness"
				if !section.IsSet(own) {
					continue // a manifest, or another part of a configuration
				}
				section, err = section.Sub(own)
				require.NoError(t, err)
			}
			cfg := defaultConfig()
			require.NoError(t, section.Unmarshal(cfg), "%s: %s", file, block[1])
			require.NoError(t, cfg.Validate(), "%s: %s", file, block[1])
			loaded++
		}
	}
	require.GreaterOrEqual(t, loaded, 10)
}

// ofCollector reports whether key is one of a collector's configuration or of a builder's manifest.
func ofCollector(key string) bool {
	return slices.Contains([]string{"receivers", "processors", "exporters", "connectors", "extensions", "service", "dist"}, key)
}

// All modules require the same version of Go, and the docs name it.
func TestGoIsNamedAsItIsAskedFor(t *testing.T) {
	var asked []string
	for _, pattern := range []string{"go.mod", "*/go.mod", "internal/*/go.mod", "internal/*/*/go.mod"} {
		files, err := filepath.Glob(inRoot(pattern))
		require.NoError(t, err)
		for _, file := range files {
			if file == inRoot("dist", "go.mod") {
				continue // the builder writes it
			}
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			version := regexp.MustCompile(`(?m)^go (\d+\.\d+)\.0$`).FindSubmatch(text)
			require.NotNil(t, version, file)
			asked = append(asked, string(version[1]))
		}
	}
	require.Greater(t, len(asked), 5)
	for _, version := range asked {
		require.Equal(t, asked[0], version)
	}
	for file, text := range map[string]string{"README.md": "With Go " + asked[0] + " or newer", "CONTRIBUTING.md": "Go (" + asked[0] + " or newer)"} {
		content, err := os.ReadFile(inRoot(file))
		require.NoError(t, err)
		require.Contains(t, string(content), text, file)
	}
}
