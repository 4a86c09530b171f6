// Package acceptance tests the processor as its users meet it: through the factory and a configuration, on recordings of real
// frameworks, on the folders of testdata/pipeline, and by what the pages and examples promise.
package acceptance

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

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

func mustLoad(t *testing.T, yaml string) *toolcorrectnessprocessor.Config {
	t.Helper()
	cfg, err := load(t, yaml)
	require.NoError(t, err)
	return cfg
}

func unmarshal(conf *confmap.Conf) (*toolcorrectnessprocessor.Config, error) {
	cfg := defaultConfig()
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, cfg.Validate()
}
