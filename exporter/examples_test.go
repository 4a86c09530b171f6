package toolcorrectnessscoresexporter

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/exporter/exportertest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
)

// Each backend has an example that starts.
func TestExamples(t *testing.T) {
	for _, b := range contracts {
		t.Run(b.name, func(t *testing.T) {
			conf, err := confmaptest.LoadConf(filepath.Join("..", "examples", "scores-"+b.name+".yaml"))
			require.NoError(t, err)
			section, err := conf.Sub("exporters::tool_correctness_scores")
			require.NoError(t, err)
			for key, value := range section.ToStringMap() {
				if keys, ok := value.(map[string]any); ok && key == b.name {
					for name, v := range keys {
						if s, ok := v.(string); ok && strings.HasPrefix(s, "${env:") {
							keys[name] = "from the environment"
						}
					}
					section = confmap.NewFromStringMap(map[string]any{key: keys})
				}
			}
			cfg := createDefaultConfig()
			require.NoError(t, section.Unmarshal(cfg))
			require.NoError(t, confmap.Validate(cfg))
			_, err = NewFactory().CreateLogs(t.Context(), exportertest.NewNopSettings(metadata.Type), cfg)
			require.NoError(t, err)
		})
	}
}
