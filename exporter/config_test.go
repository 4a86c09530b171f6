package toolcorrectnessscoresexporter

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/exporter/exportertest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

func configFrom(t *testing.T, yaml string) (*Config, error) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	cfg := createDefaultConfig().(*Config)
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, confmap.Validate(cfg)
}

func TestConfig(t *testing.T) {
	for _, c := range testrows.Read[struct{ Name, Reason, YAML, Says string }](t, "testdata/config.yaml") {
		t.Run(c.Name, func(t *testing.T) {
			cfg, err := configFrom(t, c.YAML)
			if c.Says != "" {
				require.ErrorContains(t, err, c.Says, c.Reason)
				require.NotContains(t, err.Error(), "s3cret")
				return
			}
			require.NoError(t, err, c.Reason)
			for _, section := range cfg.sections() {
				require.NotContains(t, fmt.Sprintf("%+v %#v", section.config, section.config), "s3cret")
			}
			shown := confmap.New()
			require.NoError(t, shown.Marshal(cfg))
			require.NotContains(t, fmt.Sprint(shown.ToStringMap()), "s3cret")
		})
	}
}

// A batch is sent soon, is small enough for backends that take one score a request, and is retried.
func TestDefaults(t *testing.T) {
	cfg, err := configFrom(t, "datadog: {api_key: k}")
	require.NoError(t, err)
	require.Equal(t, "https://api.datadoghq.com", cfg.Datadog.Get().endpoint())
	require.Equal(t, 30*time.Second, cfg.TimeoutConfig.Timeout)
	for _, b := range contracts {
		c := createDefaultConfig().(*Config)
		b.configure(c, "http://a", rightKey)
		require.Equal(t, 10*time.Second, c.backend().config.Timeout, b.name)
	}
	require.True(t, cfg.RetryConfig.Enabled)
	batch := cfg.QueueConfig.Get().Batch.Get()
	require.Equal(t, []int64{100, 100}, []int64{batch.MinSize, batch.MaxSize})
	require.Equal(t, time.Second, batch.FlushTimeout)
}

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
