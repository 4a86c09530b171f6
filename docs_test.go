package toolcorrectnessprocessor

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Every configuration of the processor that the documentation shows is one that it takes.
func TestDocumentedConfigurationsLoad(t *testing.T) {
	files, err := filepath.Glob("docs/*.md")
	require.NoError(t, err)
	loaded := 0
	for _, file := range append(files, "README.md") {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, block := range yamlBlock.FindAllSubmatch(text, -1) {
			retrieved, err := confmap.NewRetrievedFromYAML(block[1])
			require.NoError(t, err, "%s", block[1])
			conf, err := retrieved.AsConf()
			require.NoError(t, err, "%s", block[1])
			section := "processors::tool_correctness"
			if !conf.IsSet(section) {
				continue // a manifest, or another part of a configuration
			}
			sub, err := conf.Sub(section)
			require.NoError(t, err)
			cfg := createDefaultConfig().(*Config)
			require.NoError(t, sub.Unmarshal(cfg), "%s: %s", file, block[1])
			require.NoError(t, cfg.Validate())
			loaded++
		}
	}
	require.GreaterOrEqual(t, loaded, 2)
}

// All modules ask for the same Go, and who wants to build them reads which one.
func TestGoIsNamedAsItIsAskedFor(t *testing.T) {
	var asked []string
	for _, pattern := range []string{"go.mod", "*/go.mod", "internal/*/go.mod", "internal/*/*/go.mod"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		for _, file := range files {
			if file == "dist/go.mod" {
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
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Contains(t, string(content), text, file)
	}
}
