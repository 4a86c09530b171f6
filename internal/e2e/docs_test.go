package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// A reader copies a whole configuration from a page and starts the collector with it. So the collector takes each one, with the
// keys of all components. Snippets that are parts of a configuration are loaded by the tests of the module.
func TestWholeConfigurationsOfPagesAreValid(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	binary, err := filepath.Abs("../../dist/otelcol-tool-correctness")
	require.NoError(t, err)
	valid := 0
	for _, file := range append(files, "../../README.md") {
		page, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, block := range yamlBlock.FindAllSubmatch(page, -1) {
			if !isWhole(t, block[1]) {
				continue
			}
			config := filepath.Join(t.TempDir(), "collector.yaml")
			require.NoError(t, os.WriteFile(config, block[1], 0o600))
			out, err := exec.CommandContext(t.Context(), binary, "validate", "--config="+config).CombinedOutput()
			require.NoError(t, err, "%s: %s\n%s", file, block[1], out)
			valid++
		}
	}
	require.Positive(t, valid, "docs/getting-started.md has one")
}

// isWhole reports whether a snippet has all that a collector needs.
func isWhole(t *testing.T, snippet []byte) bool {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML(snippet)
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	return conf.IsSet("receivers") && conf.IsSet("exporters") && conf.IsSet("service")
}
