package toolcorrectnessscoresexporter

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"regexp"
	"slices"

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
	// TimeoutConfig has the key `timeout`, the time that one batch may take. A batch is one request for Phoenix and Datadog, and
	// one or more requests a score for Langfuse and MLflow. What was not sent in time is retried.
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

// LangfuseConfig is an account of Langfuse.
type LangfuseConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of Langfuse without a path, such as https://cloud.langfuse.com.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// PublicKey is the public key of the project. It is required.
	PublicKey configopaque.String `mapstructure:"public_key"`

	// SecretKey is the secret key of the project. It is required.
	SecretKey configopaque.String `mapstructure:"secret_key"`
}

// PhoenixConfig is a server of Phoenix.
type PhoenixConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of Phoenix, such as http://localhost:6006.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// APIKey is a system key or a user's key. It is empty if the server needs none.
	APIKey configopaque.String `mapstructure:"api_key"`
}

// DatadogConfig is an account of Datadog.
type DatadogConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is https://api.SITE if it is empty.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// Site is the site of the account. The default is datadoghq.com.
	Site string `mapstructure:"site"`

	// APIKey is an API key of the account. It is required.
	APIKey configopaque.String `mapstructure:"api_key"`

	// MLApp is the name of the application in LLM Observability. If it is empty, the service.name of the run's resource is taken,
	// as Datadog does for spans of OpenTelemetry.
	MLApp string `mapstructure:"ml_app"`
}

// MLflowConfig is a tracking server of MLflow 3.
type MLflowConfig struct {
	// ClientConfig is the HTTP client. Its endpoint is the address of the server, such as http://localhost:5000.
	ClientConfig confighttp.ClientConfig `mapstructure:",squash"`

	// Username and Password are for basic authentication. Both are empty if the server needs none.
	Username string              `mapstructure:"username"`
	Password configopaque.String `mapstructure:"password"`
}

// sections are those of the backends.
var sections = map[string]reflect.Type{
	"langfuse": reflect.TypeFor[LangfuseConfig](), "phoenix": reflect.TypeFor[PhoenixConfig](),
	"datadog": reflect.TypeFor[DatadogConfig](), "mlflow": reflect.TypeFor[MLflowConfig](),
}

// Unmarshal reads the section and refuses unknown keys. Newer releases of the HTTP client's settings ignore all keys that they do
// not know, those beside them included, so the keys of backends are checked here.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	for _, backend := range slices.Sorted(maps.Keys(sections)) {
		keys, _ := conf.Get(backend).(map[string]any)
		known := configcheck.FieldsOf(sections[backend])
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			if known[key] == nil {
				return fmt.Errorf("%s: unknown key `%s`", backend, key)
			}
		}
	}
	return conf.Unmarshal(c)
}

// Validate reports an error unless exactly one backend is set.
func (c *Config) Validate() error {
	if n := len(c.backends()); n != 1 {
		return fmt.Errorf("exactly one of `langfuse`, `phoenix`, `datadog` and `mlflow` must be set, found %d", n)
	}
	return nil
}

// Validate reports a missing key or an unusable endpoint.
func (c *LangfuseConfig) Validate() error {
	return errors.Join(checkEndpoint(c.ClientConfig.Endpoint), required("public_key", c.PublicKey), required("secret_key", c.SecretKey))
}

// Validate reports an unusable endpoint.
func (c *PhoenixConfig) Validate() error { return checkEndpoint(c.ClientConfig.Endpoint) }

// siteName is the host name of a site of Datadog.
var siteName = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)

// Validate reports a missing key, or a site or an endpoint that is unusable.
func (c *DatadogConfig) Validate() error {
	if !siteName.MatchString(c.Site) {
		return fmt.Errorf("`site` must be the name of a Datadog site such as datadoghq.eu, found %q", c.Site)
	}
	return errors.Join(checkEndpoint(c.endpoint()), required("api_key", c.APIKey))
}

func (c *DatadogConfig) endpoint() string {
	return cmp.Or(c.ClientConfig.Endpoint, "https://api."+c.Site)
}

// Validate reports an unusable endpoint, or a name without a password.
func (c *MLflowConfig) Validate() error {
	if (c.Username == "") != (c.Password == "") {
		return errors.New("`username` and `password` must be set together")
	}
	return checkEndpoint(c.ClientConfig.Endpoint)
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
