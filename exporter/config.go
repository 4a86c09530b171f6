package toolcorrectnessscoresexporter

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/exporter/exporterhelper"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// Config says where the scores go, and how they are queued and retried. Exactly one backend must be set.
type Config struct {
	// TimeoutConfig has the key `timeout`, the time that one batch may take. A batch is one request, or
	// one or more requests a score. What was not sent in time is retried.
	TimeoutConfig exporterhelper.TimeoutConfig `mapstructure:",squash"`

	// QueueConfig is the queue and the batches of scores.
	QueueConfig configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`

	// RetryConfig says how long failures of the backend are retried.
	RetryConfig configretry.BackOffConfig `mapstructure:"retry_on_failure"`

	// Langfuse sends scores to Langfuse.
	Langfuse configoptional.Optional[LangfuseConfig] `mapstructure:"langfuse"`

	// Phoenix sends span annotations to Arize Phoenix.
	Phoenix configoptional.Optional[PhoenixConfig] `mapstructure:"phoenix"`

	// Datadog sends evaluations to Datadog LLM Observability.
	Datadog configoptional.Optional[DatadogConfig] `mapstructure:"datadog"`

	// MLflow sends assessments to an MLflow tracking server.
	MLflow configoptional.Optional[MLflowConfig] `mapstructure:"mlflow"`
}

func createDefaultConfig() component.Config {
	const scoresPerBatch = 100
	queue := exporterhelper.NewDefaultQueueConfig()
	batch := queue.Batch.GetOrInsertDefault()
	batch.FlushTimeout, batch.MinSize, batch.MaxSize = time.Second, scoresPerBatch, scoresPerBatch
	client := confighttp.NewDefaultClientConfig()
	client.Timeout = 10 * time.Second // of one request
	return &Config{
		TimeoutConfig: exporterhelper.TimeoutConfig{Timeout: 30 * time.Second},
		QueueConfig:   configoptional.Some(queue),
		RetryConfig:   configretry.NewDefaultBackOffConfig(),
		Langfuse:      configoptional.Default(LangfuseConfig{ClientConfig: client}),
		Phoenix:       configoptional.Default(PhoenixConfig{ClientConfig: client}),
		Datadog:       configoptional.Default(DatadogConfig{ClientConfig: client, Site: "datadoghq.com"}),
		MLflow:        configoptional.Default(MLflowConfig{ClientConfig: client}),
	}
}

// A section is the configuration of a backend, below its key.
type section struct {
	key    string
	set    bool
	config interface{ backend() *backend }
}

// sections is the table of all backends. Each also has its field in Config and its default.
func (c *Config) sections() []section {
	return []section{
		{"langfuse", c.Langfuse.HasValue(), c.Langfuse.Get()},
		{"phoenix", c.Phoenix.HasValue(), c.Phoenix.Get()},
		{"datadog", c.Datadog.HasValue(), c.Datadog.Get()},
		{"mlflow", c.MLflow.HasValue(), c.MLflow.Get()},
	}
}

// stated are the sections that are set.
func (c *Config) stated() []section {
	return slices.DeleteFunc(c.sections(), func(s section) bool { return !s.set })
}

// backend is the one that is set. There is one, as Validate says.
func (c *Config) backend() *backend { return c.stated()[0].config.backend() }

// Unmarshal reads the section and refuses unknown keys. Newer releases of the HTTP client's settings ignore all keys that they do
// not know, those beside them included, so the keys of backends are checked here.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	for _, s := range c.sections() {
		keys, _ := conf.Get(s.key).(map[string]any)
		known := configcheck.FieldsOf(reflect.TypeOf(s.config).Elem())
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if known[key] == nil {
				return fmt.Errorf("%s: unknown key `%s`", s.key, key)
			}
		}
	}
	return conf.Unmarshal(c)
}

// Validate reports an error unless exactly one backend is set.
func (c *Config) Validate() error {
	if n := len(c.stated()); n != 1 {
		return fmt.Errorf("exactly one of `langfuse`, `phoenix`, `datadog` and `mlflow` must be set, found %d", n)
	}
	return nil
}

func required(key string, value configopaque.String) error {
	if value == "" {
		return fmt.Errorf("`%s` must be set", key)
	}
	return nil
}

// checkEndpoint never repeats the endpoint, because it may contain a password.
func checkEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	switch {
	case endpoint == "":
		return errors.New("`endpoint` must be set")
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return errors.New("`endpoint` must be a URL that begins with http:// or https://")
	case u.User != nil:
		return errors.New("`endpoint` must not contain a user or a password")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("`endpoint` must not contain a query or a fragment")
	}
	return nil
}
