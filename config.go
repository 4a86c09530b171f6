package toolcorrectnessprocessor

import (
	_ "embed" // for the schema
	"reflect"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
)

// Config is the processor's section of a configuration. All keys have defaults, but Expectations or ExpectationFiles are
// required.
type Config struct {
	Run    RunConfig    `mapstructure:"run"`
	Calls  CallsConfig  `mapstructure:"calls"`
	Limits LimitsConfig `mapstructure:"limits"`

	// Metrics are named ways to score. The name is the prefix of the attributes that a metric writes. Empty: one metric,
	// "tool_correctness", with the native method.
	Metrics map[string]MetricConfig `mapstructure:"metrics,omitempty"`

	// Expectations are tried in order. Each metric uses the first one that applies to it and whose When holds on the run's
	// anchor.
	Expectations []ExpectationConfig `mapstructure:"expectations,omitempty"`

	// ErrorMode says what happens if a condition fails. "ignore", the default: the condition does not hold, and the log says
	// so. If a forbidden tool has it, a run is not scored unless its score is 0 anyway. "silent": the same without the log.
	// "propagate": a run is not scored if a condition of its tools fails.
	ErrorMode string `mapstructure:"error_mode,omitempty"`

	// ExpectationFiles are files, or patterns of files such as /etc/tool-correctness/*.yaml. Each has a list of expectations.
	// They are tried after Expectations, in the order of the files' names.
	ExpectationFiles []string `mapstructure:"expectation_files,omitempty"`

	// ReloadInterval is how often files are checked for changes. 0: only at start. A changed file is used once it was the
	// same for one interval. It is not part of the fingerprint, because it changes no verdict.
	ReloadInterval time.Duration `mapstructure:"reload_interval" json:"-"`

	Annotate AnnotateConfig `mapstructure:"annotate"`

	// Telemetry configures the processor's own metrics. It is not part of the fingerprint, because it changes no verdict.
	Telemetry TelemetryConfig `mapstructure:"telemetry" json:"-"`

	// Storage is the id of a storage extension, such as file_storage. Open runs then survive a crash. Without it they are in
	// memory only. It is not part of the fingerprint, because it changes no verdict.
	Storage *string `mapstructure:"storage,omitempty" json:"-"`
}

// RunConfig says what a run is and when it is over.
type RunConfig struct {
	// Scope says what a run is. "agent": every agent span. "trace": the root span with all calls of its trace.
	// "conversation": all runs of a conversation together, and the last anchor represents them.
	Scope string `mapstructure:"scope"`

	// Wait is how long calls still count after their anchor arrived, because processes send the batches of one run at
	// different times. 5s is enough for the defaults of batching exporters. With 0 it is scored within 100ms.
	Wait time.Duration `mapstructure:"wait"`

	// IdleTimeout closes runs without an anchor, this long after the last span of the trace, and a conversation this long
	// after its last run. The default of 2m is longer than a model needs for a response.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`

	// PendingTimeout is in place of IdleTimeout while the last model response of a conversation asks for a call that has no result,
	// because a person has to approve it, say. Only with the scope conversation. A shorter one than IdleTimeout has no effect.
	PendingTimeout time.Duration `mapstructure:"pending_timeout"`

	// Nested says for which runs the calls of a sub-agent count. "separate": only for the sub-agent. "include": also for the
	// agents that called it.
	Nested string `mapstructure:"nested"`

	// ConversationAttributes are the attributes that name a span's conversation. The first one present counts. If there is
	// none, the dialect of the span names the conversation.
	ConversationAttributes []string `mapstructure:"conversation_attributes"`

	// PartitionBy are attributes of resources, such as tenant.id. Spans with different values never meet, even if their IDs are equal.
	PartitionBy []string `mapstructure:"partition_by,omitempty"`
}

// CallsConfig says which calls count.
type CallsConfig struct {
	// Sources says what records calls. "spans": tool spans. "messages": tool requests in model responses. "auto": tool spans,
	// or tool requests if an instrumentation writes no tool spans.
	Sources string `mapstructure:"sources"`

	// Failed says whether calls that ended in an error count as called: "count" or "ignore".
	Failed string `mapstructure:"failed"`

	// Hosted says whether calls of tools that the model's provider runs count, such as a search of the web: "count" or "ignore".
	Hosted string `mapstructure:"hosted"`

	// Rejected says whether what a model asked for and nothing executed counts against the run: "ignore" or "fail".
	Rejected string `mapstructure:"rejected"`

	// Exclude has names of tools, or globs with *, whose calls count neither as called nor as unexpected.
	Exclude []string `mapstructure:"exclude,omitempty"`
}

// LimitsConfig bounds the memory of the processor. Reaching a limit closes a run early, and never drops a span.
type LimitsConfig struct {
	// OpenRuns bounds the number of open runs.
	OpenRuns int `mapstructure:"open_runs"`

	// MemoryMiB bounds the memory that the processor retains, in MiB. If open runs and tables take seven eighths of it, the
	// trace that was idle longest closes. If closed runs that wait for the next consumer fill it, new batches are refused.
	MemoryMiB int `mapstructure:"memory_mib"`

	// CallsPerRun bounds the calls of a trace that wait for their run. Further calls are dropped.
	CallsPerRun int `mapstructure:"calls_per_run"`

	// ArgumentsKiB is the size, in KiB, over which arguments and outputs count as too large, and are not compared.
	ArgumentsKiB int `mapstructure:"arguments_kib"`
}

// AnnotateConfig says what is written on spans, besides the verdict on the anchor.
type AnnotateConfig struct {
	// Calls writes the class of each call on its tool span. Such a span is then held until its run is scored, so the default
	// is false.
	Calls bool `mapstructure:"calls"`

	// Values lets reasons quote values of arguments and outputs, and name keys that only a call has. Both may be private, so
	// by default a reason names only tools and keys of the expectation.
	Values bool `mapstructure:"values"`

	// As lists the forms of a verdict: "native", which is always written, and "langwatch", which LangWatch shows as a score. As
	// is not part of the fingerprint, because it changes no verdict.
	As []string `mapstructure:"as" json:"-"`

	// Prefix begins the names of the run's attributes. Two processors of one pipeline need two prefixes, and metrics with
	// different names, or the second removes what the first wrote. It is not part of the fingerprint.
	Prefix string `mapstructure:"prefix" json:"-"`
}

// TelemetryConfig configures the processor's own metrics.
type TelemetryConfig struct {
	// AgentNames bounds the number of agents' names in the metrics of verdicts. Each name multiplies the series of these
	// metrics, and senders choose the names, so the default is 0: no names. Further names count as "_other".
	AgentNames int `mapstructure:"agent_names"`
}

// ExpectationConfig says which tools some runs are expected to call.
type ExpectationConfig = expect.Expectation

// TurnConfig is what is expected of one turn of a conversation.
type TurnConfig = expect.Turn

// ToolConfig is an expected tool. In YAML a plain string is a tool with that name.
type ToolConfig = expect.Tool

// CountConfig bounds how often a tool is expected.
type CountConfig = expect.Count

// DatasetConfig names a file of cases, and the key that finds the case of a run.
type DatasetConfig = expect.Dataset

// MetricConfig has exactly one method.
type MetricConfig struct {
	Native             *NativeConfig   `mapstructure:"native,omitempty"`
	Axion              *AxionConfig    `mapstructure:"axion,omitempty"`
	DeepEval           *DeepEvalConfig `mapstructure:"deepeval,omitempty"`
	DeepEvalMultimodal *DeepEvalConfig `mapstructure:"deepeval_multimodal,omitempty"`
	EvalSharp          *DeepEvalConfig `mapstructure:"evalsharp,omitempty"`
	Galtea             *GalteaConfig   `mapstructure:"galtea,omitempty"`
	EvalLib            *EvalLibConfig  `mapstructure:"eval_lib,omitempty"`
}

// Choice says that a method may be written without options.
func (MetricConfig) Choice() {}

// Output has the options that all methods share.
type Output struct {
	// IncludeReason writes the reason; true by default.
	IncludeReason *bool `mapstructure:"include_reason,omitempty"`
	// VerboseMode logs the steps of the calculation at info level: names and scores only.
	VerboseMode bool `mapstructure:"verbose_mode,omitempty"`
}

// NativeConfig has the options of the native method. Their defaults are those of scoring.DefaultNative.
type NativeConfig struct {
	Output         `mapstructure:",squash"`
	Order          string   `mapstructure:"order,omitempty"`
	Arguments      string   `mapstructure:"arguments,omitempty"`
	Credit         string   `mapstructure:"credit,omitempty"`
	OutputMode     string   `mapstructure:"output,omitempty"`
	Score          string   `mapstructure:"score,omitempty"`
	ExtraCalls     string   `mapstructure:"extra_calls,omitempty"`
	Repeats        string   `mapstructure:"repeats,omitempty"`
	Concurrent     string   `mapstructure:"concurrent,omitempty"`
	Threshold      *float64 `mapstructure:"threshold,omitempty"`
	FuzzyThreshold *float64 `mapstructure:"fuzzy_threshold,omitempty"`
}

// AxionConfig has the options of Axion's ToolCorrectness under their own names.
type AxionConfig struct {
	Output                    `mapstructure:",squash"`
	CheckParameters           bool     `mapstructure:"check_parameters,omitempty"`
	StrictOrder               bool     `mapstructure:"strict_order,omitempty"`
	ParameterMatchingStrategy string   `mapstructure:"parameter_matching_strategy,omitempty"`
	FuzzyThreshold            *float64 `mapstructure:"fuzzy_threshold,omitempty"`
	Scoring                   string   `mapstructure:"scoring,omitempty"`
	Threshold                 *float64 `mapstructure:"threshold,omitempty"`
}

// DeepEvalConfig has the options of DeepEval's ToolCorrectnessMetric under their own names. EvalSharp's are the same in snake case.
type DeepEvalConfig struct {
	Output                 `mapstructure:",squash"`
	EvaluationParams       []string `mapstructure:"evaluation_params,omitempty"`
	ShouldExactMatch       bool     `mapstructure:"should_exact_match,omitempty"`
	ShouldConsiderOrdering bool     `mapstructure:"should_consider_ordering,omitempty"`
	StrictMode             bool     `mapstructure:"strict_mode,omitempty"`
	Threshold              *float64 `mapstructure:"threshold,omitempty"`
	// Uncaptured says how arguments and outputs that were not captured count. "unknown", the default: the run is not
	// evaluable if they matter. "none": they count as not given.
	Uncaptured string `mapstructure:"uncaptured,omitempty"`
}

// GalteaConfig has the options of the method that follows Galtea's documentation.
type GalteaConfig struct {
	Output        `mapstructure:",squash"`
	StripPrefixes []string `mapstructure:"strip_prefixes,omitempty"`
	TrimSpace     bool     `mapstructure:"trim_space,omitempty"`
}

// EvalLibConfig has the options of eval_lib's ToolCorrectnessMetric under their own names.
type EvalLibConfig struct {
	Output        `mapstructure:",squash"`
	ExactMatch    bool     `mapstructure:"exact_match,omitempty"`
	CheckOrdering bool     `mapstructure:"check_ordering,omitempty"`
	Threshold     *float64 `mapstructure:"threshold,omitempty"`
	// Version is "0.7" or "0.8"; empty is "0.8".
	Version string `mapstructure:"version,omitempty"`
}

func createDefaultConfig() component.Config {
	return &Config{
		Run: RunConfig{
			Scope: scopeAgent, Wait: 5 * time.Second, IdleTimeout: 2 * time.Minute, PendingTimeout: time.Hour, Nested: nestedSeparate,
			ConversationAttributes: []string{"gen_ai.conversation.id", "session.id", "langfuse.session.id"},
		},
		Calls:          CallsConfig{Sources: sourcesAuto, Failed: countCalls, Hosted: countCalls, Rejected: ignoreCalls},
		Limits:         LimitsConfig{OpenRuns: 100_000, MemoryMiB: 256, CallsPerRun: 10_000, ArgumentsKiB: 64},
		ReloadInterval: 10 * time.Second,
		Annotate:       AnnotateConfig{As: []string{formNative}, Prefix: attributes.DefaultMetric},
	}
}

// Unmarshal reads a configuration. Its error lists all faults: unknown keys, values of a wrong type, and values that break a
// rule.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	errs := configcheck.New()
	raw := map[string]any{} // with the texts of variables, which ToStringMap forgets
	if err := conf.Unmarshal(&raw); err != nil {
		return err
	}
	shaped := errs.Shape(raw, reflect.TypeFor[Config]()).(map[string]any)
	type plain Config // has no Unmarshal, which would call itself
	if err := confmap.NewFromStringMap(shaped).Unmarshal((*plain)(c)); err != nil {
		errs.Join(err)
	}
	_, err := c.settings(errs, componenttest.NewNopTelemetrySettings())
	return err
}

// Validate checks every rule. It is for configurations that are made in code, because Unmarshal checks them as well.
func (c *Config) Validate() error {
	_, err := c.settings(configcheck.New(), componenttest.NewNopTelemetrySettings())
	return err
}

//go:embed config.schema.yaml
var schemaText string

// Schema returns a JSON Schema, written as YAML, of the processor's section of a configuration.
func Schema() string { return schemaText }
