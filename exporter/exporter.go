package toolcorrectnessscoresexporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/config/confighttp"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/config/configoptional"
	"go.opentelemetry.io/collector/config/configretry"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.uber.org/zap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/exporter/internal/metadata"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// NewFactory returns the factory of the tool_correctness_scores exporter.
func NewFactory() exporter.Factory {
	return exporter.NewFactory(metadata.Type, createDefaultConfig, exporter.WithLogs(createLogs, metadata.LogsStability))
}

func createLogs(ctx context.Context, set exporter.Settings, cfg component.Config) (exporter.Logs, error) {
	c := cfg.(*Config)
	if err := c.Validate(); err != nil {
		return nil, err
	}
	telemetry, err := metadata.NewTelemetryBuilder(set.TelemetrySettings)
	if err != nil {
		return nil, err
	}
	e := &scoresExporter{backend: c.backend(), settings: set.TelemetrySettings, telemetry: telemetry}
	return exporterhelper.NewLogs(ctx, set, c, e.push,
		exporterhelper.WithStart(e.start),
		exporterhelper.WithShutdown(e.shutdown),
		exporterhelper.WithTimeout(c.TimeoutConfig),
		exporterhelper.WithRetry(c.RetryConfig),
		exporterhelper.WithQueue(c.QueueConfig),
	)
}

// Config says where the scores go, and how they are queued and retried. Exactly one backend must be set.
type Config struct {
	// TimeoutConfig has the key `timeout`, the time that one batch may take. A batch is one request, or
	// one or more requests a score. What was not sent in time is retried.
	TimeoutConfig exporterhelper.TimeoutConfig `mapstructure:",squash"`

	QueueConfig configoptional.Optional[exporterhelper.QueueBatchConfig] `mapstructure:"sending_queue"`
	RetryConfig configretry.BackOffConfig                                `mapstructure:"retry_on_failure"`

	Langfuse configoptional.Optional[LangfuseConfig] `mapstructure:"langfuse"`
	Phoenix  configoptional.Optional[PhoenixConfig]  `mapstructure:"phoenix"`
	Datadog  configoptional.Optional[DatadogConfig]  `mapstructure:"datadog"`
	MLflow   configoptional.Optional[MLflowConfig]   `mapstructure:"mlflow"`
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

// scoresExporter turns log records into scores. Its methods are called by exporterhelper, which has the queue and the retries.
type scoresExporter struct {
	backend   *backend
	settings  component.TelemetrySettings
	telemetry *metadata.TelemetryBuilder
}

func (e *scoresExporter) start(ctx context.Context, host component.Host) (err error) {
	e.count(ctx, tally{}) // so that every counter is exported from the start
	e.backend.http, err = e.backend.config.ToClient(ctx, host.GetExtensions(), e.settings)
	if err != nil {
		return err
	}
	// A redirect would carry keys to another host, and turn a POST into a GET.
	e.backend.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return nil
}

func (e *scoresExporter) shutdown(context.Context) error {
	if e.backend.http != nil {
		e.backend.http.CloseIdleConnections()
	}
	return nil
}

// push sends the scores in logs and counts the results. If repeating helps some of them, the error has the records of these and no others.
func (e *scoresExporter) push(ctx context.Context, logs plog.Logs) error {
	scores, t := read(logs)
	t.skipped = len(scores)
	scores = slices.DeleteFunc(scores, func(s score) bool { return !e.backend.takes(&s) })
	t.skipped -= len(scores)
	again := make(map[int]bool) // the numbers of records
	var refusal, failure error
	for i, err := range e.backend.send(ctx, scores) {
		switch {
		case err == nil:
			t.sent++
		case consumererror.IsPermanent(err):
			t.refused++
			refusal = err
		default:
			again[scores[i].record] = true
			failure = err
		}
	}
	e.count(ctx, t)
	switch {
	case t.refused == len(scores): // of none, too
		return refusal
	case t.refused > 0:
		e.settings.Logger.Error("Some scores of a batch were refused and are lost.", zap.Int("scores", t.refused), zap.Error(refusal))
	}
	if failure == nil {
		return nil
	}
	return consumererror.NewLogs(failure, only(logs, again))
}

// A tally counts records and scores by their results.
type tally struct {
	sent, refused int
	repeated      int // records that a later one replaces
	skipped       int // scores that the backend has no place for
	ignored       int // records that are no evaluation
	unreadable    int // evaluations that contradict the conventions, or have no span
}

func (e *scoresExporter) count(ctx context.Context, t tally) {
	e.telemetry.ExporterToolCorrectnessScoresSent.Add(ctx, int64(t.sent))
	e.telemetry.ExporterToolCorrectnessScoresRefused.Add(ctx, int64(t.refused))
	e.telemetry.ExporterToolCorrectnessScoresRepeated.Add(ctx, int64(t.repeated))
	e.telemetry.ExporterToolCorrectnessScoresSkipped.Add(ctx, int64(t.skipped))
	e.telemetry.ExporterToolCorrectnessRecordsIgnored.Add(ctx, int64(t.ignored))
	e.telemetry.ExporterToolCorrectnessRecordsUnreadable.Add(ctx, int64(t.unreadable))
}

// only returns copies of those log records whose numbers are wanted, below their resources and scopes.
func only(logs plog.Logs, wanted map[int]bool) plog.Logs {
	left := plog.NewLogs()
	logs.CopyTo(left)
	n := -1
	left.ResourceLogs().RemoveIf(func(rl plog.ResourceLogs) bool {
		rl.ScopeLogs().RemoveIf(func(sl plog.ScopeLogs) bool {
			sl.LogRecords().RemoveIf(func(plog.LogRecord) bool {
				n++
				return !wanted[n]
			})
			return sl.LogRecords().Len() == 0
		})
		return rl.ScopeLogs().Len() == 0
	})
	return left
}

// A score is one verdict, ready to be sent.
type score struct {
	traceID     pcommon.TraceID
	spanID      pcommon.SpanID
	name        string // the metric
	value       float64
	scored      bool // whether value is set; it then lies in [0, 1]
	label       string
	explanation string
	failure     string            // why the method has no score, from error.type
	details     map[string]string // whose run it was, and under which configuration it was judged
	service     string            // of the run
	environment string            // of the run
	time        time.Time         // the end of the run
	observed    time.Time         // when the record was made

	record int // the number of the log record that the score was read from
}

// namespace makes the ids of scores differ from all other ids of version 5.
var namespace = uuid.MustParse("b9d5c1d7-0d0e-5f37-9a55-6f1f5b1c6f0e")

// id is the identity of the score. It is the same for the same trace, span and metric, and different for any other.
func (s *score) id() string {
	return uuid.NewSHA1(namespace, []byte(s.traceID.String()+s.spanID.String()+s.name)).String()
}

// detailsWith returns the details and one more, for backends that have no field of their own for it.
func (s *score) detailsWith(key, value string) map[string]string {
	details := maps.Clone(s.details)
	if value != "" {
		details[key] = value
	}
	return details
}

// read finds the scores in logs, and counts the other records. The last of several records of one score counts.
func read(logs plog.Logs) (scores []score, t tally) {
	at := make(map[string]int)
	n := -1
	for _, rl := range logs.ResourceLogs().All() {
		for _, sl := range rl.ScopeLogs().All() {
			for _, record := range sl.LogRecords().All() {
				n++
				if record.EventName() != attributes.EvaluationEvent {
					t.ignored++
					continue
				}
				s, ok := scoreOf(record, rl.Resource().Attributes())
				if !ok {
					t.unreadable++
					continue
				}
				s.record = n
				if i, again := at[s.id()]; again {
					t.repeated++
					scores[i] = s
					continue
				}
				at[s.id()] = len(scores)
				scores = append(scores, s)
			}
		}
	}
	return scores, t
}

// scoreOf reads a record. It reports false if the record cannot be a score of a span.
func scoreOf(record plog.LogRecord, resource pcommon.Map) (s score, ok bool) {
	m := record.Attributes()
	s.traceID, s.spanID = record.TraceID(), record.SpanID()
	s.name = text(m, attributes.EvaluationName)
	if s.name == "" || s.traceID.IsEmpty() || s.spanID.IsEmpty() {
		return s, false
	}
	if value, found := m.Get(attributes.EvaluationScore); found {
		if s.value, s.scored = attributes.Score(value); !s.scored {
			return s, false
		}
	}
	s.label = text(m, attributes.EvaluationLabel)
	s.explanation = text(m, attributes.EvaluationExplanation)
	s.failure = text(m, attributes.ErrorType)
	s.details = make(map[string]string)
	for _, key := range [...]string{
		attributes.AgentName, attributes.ConversationID, attributes.Expectation, attributes.Case, attributes.Config, attributes.Complete, attributes.IncompleteBecause,
	} {
		if value, found := m.Get(key); found && words(value) != "" {
			s.details[key] = words(value)
		}
	}
	s.service = text(resource, "service.name")
	s.environment = cmp.Or(text(resource, "langfuse.environment"),
		text(resource, "deployment.environment.name"), text(resource, "deployment.environment"))
	s.time, s.observed = record.Timestamp().AsTime(), record.ObservedTimestamp().AsTime()
	if record.Timestamp() == 0 {
		s.time = s.observed
	}
	return s, true
}

// words are a text, a truth value, or a list of them; empty for any other value.
func words(v pcommon.Value) string {
	switch v.Type() {
	case pcommon.ValueTypeBool:
		return v.AsString()
	case pcommon.ValueTypeSlice:
		var all []string
		for _, element := range v.Slice().All() {
			all = append(all, words(element))
		}
		return strings.Join(all, ", ")
	}
	return clean(v.Str())
}

// text returns an attribute that is text. It returns "" if there is no such attribute.
func text(m pcommon.Map, key string) string {
	v, found := m.Get(key)
	if !found {
		return ""
	}
	return clean(v.Str()) // empty for any other value
}

// clean returns text as every backend takes it: valid UTF-8 without the character NUL, which databases refuse.
func clean(s string) string { return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD") }
