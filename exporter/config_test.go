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
	for name, c := range map[string]struct{ yaml, says, reason string }{
		"langfuse":             {"langfuse: {endpoint: https://cloud.langfuse.com, public_key: pk-1, secret_key: sk-s3cret}", "", "all that Langfuse needs"},
		"phoenix":              {"phoenix: {endpoint: 'http://localhost:6006/phoenix'}", "", "a server without authentication, behind a path"},
		"datadog":              {"datadog: {api_key: sk-s3cret}", "", "the site has a default"},
		"datadog elsewhere":    {"datadog: {api_key: sk-s3cret, site: us5.datadoghq.com, ml_app: shop}", "", "accounts lie at sites"},
		"mlflow":               {"mlflow: {endpoint: 'http://localhost:5000', username: collector, password: sk-s3cret}", "", "basic authentication"},
		"none":                 {"{}", "exactly one of `langfuse`, `phoenix`, `datadog` and `mlflow` must be set, found 0", "a score needs a place"},
		"two":                  {"phoenix: {endpoint: 'http://a'}\nmlflow: {endpoint: 'http://b'}", "exactly one of `langfuse`, `phoenix`, `datadog` and `mlflow` must be set, found 2", "two exporters do this"},
		"no endpoint":          {"phoenix: {}", "`endpoint` must be set", "a server on another machine is easily forgotten"},
		"no scheme":            {"phoenix: {endpoint: 'localhost:6006'}", "must be a URL that begins with http:// or https://", "the client needs it"},
		"a file":               {"phoenix: {endpoint: 'file:///etc/passwd'}", "must be a URL that begins with http:// or https://", "nothing else can be asked"},
		"a password in it":     {"phoenix: {endpoint: 'http://me:sk-s3cret@localhost:6006'}", "`endpoint` must not contain a user or a password", "endpoints stand in logs"},
		"a query":              {"phoenix: {endpoint: 'http://localhost:6006?key=sk-s3cret'}", "must not contain a query", "a path is added to the endpoint"},
		"no secret key":        {"langfuse: {endpoint: 'https://a', public_key: pk-1}", "`secret_key` must be set", "Langfuse asks for both"},
		"no public key":        {"langfuse: {endpoint: 'https://a', secret_key: sk-s3cret}", "`public_key` must be set", "Langfuse asks for both"},
		"no api key":           {"datadog: {site: datadoghq.eu}", "`api_key` must be set", "Datadog asks for it"},
		"a site that is a URL": {"datadog: {api_key: sk-s3cret, site: 'https://api.datadoghq.eu'}", "`site` must be the name of a Datadog site", "the exporter adds https://api."},
		"a user only":          {"mlflow: {endpoint: 'http://a', username: me}", "`username` and `password` must be set together", "one of them is a mistake"},
		"unknown key":          {"phoenix: {endpoint: 'http://a', apikey: sk-s3cret}", "unknown key `apikey`", "a key that is mistyped would be no key"},
		"unknown backend":      {"phoenics: {endpoint: 'http://a'}", "phoenics", "as above"},
		"settings of HTTP":     {"phoenix: {endpoint: 'http://a', timeout: 1s, headers: {x: sk-s3cret}, tls: {insecure: true}, compression: gzip}", "", "the client has its own"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := configFrom(t, c.yaml)
			if c.says != "" {
				require.ErrorContains(t, err, c.says, c.reason)
				require.NotContains(t, err.Error(), "s3cret")
				return
			}
			require.NoError(t, err, c.reason)
			require.NotContains(t, fmt.Sprintf("%+v %#v %+v", cfg.Langfuse.Get(), cfg.Datadog.Get(), cfg.MLflow.Get()), "s3cret")
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
		require.Equal(t, 10*time.Second, c.backends()[0].config.Timeout, b.name)
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
