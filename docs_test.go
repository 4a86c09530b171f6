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
