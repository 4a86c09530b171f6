package toolcorrectnessprocessor

import (
	_ "embed" // for the schema
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
//
// The first paragraph of the comment of a field, here and in package expect, describes its key to users: `make generate` writes it
// to config.schema.yaml. A key that changes no verdict has json:"-", so it is not part of the fingerprint.
type Config struct {
	// What a run is, and when it is over.
	Run RunConfig `mapstructure:"run"`

	// Which calls count.
	Calls CallsConfig `mapstructure:"calls"`

	// How much the processor may hold. At a limit it closes runs early, and never drops a span.
	Limits LimitsConfig `mapstructure:"limits"`

	// Named ways to score, each with exactly one method. The name is the prefix of the attributes that the metric writes. If there
	// are none, the one metric is tool_correctness, with the native method.
	Metrics map[string]MetricConfig `mapstructure:"metrics,omitempty"`

	// Which runs are expected to call which tools. Each metric uses the first expectation that is for it and whose `when` holds. If
	// there is none, it writes nothing.
	Expectations []ExpectationConfig `mapstructure:"expectations,omitempty"`

	// What happens if a condition fails. In every mode a `when` that fails counts as false, and a call on which a `where` fails does
	// not match an expected tool. Whether it matches a forbidden one is unknown, so the run is not scored unless its score is 0
	// anyway. `ignore` logs it, `silent` does not, and with `propagate` a run is not scored if a `where` fails on one of its calls.
	ErrorMode string `mapstructure:"error_mode,omitempty"`

	// Files, or patterns of files such as /etc/tool-correctness/*.yaml. Each has a list of expectations. They are tried after
	// `expectations`, in the order of their paths, and read again when they change.
	ExpectationFiles []string `mapstructure:"expectation_files,omitempty"`

	// How often files are checked for changes. A changed file is used when it has stayed the same for one interval. 0: files are
	// read at start only.
	ReloadInterval time.Duration `mapstructure:"reload_interval" json:"-"`

	// What else is written.
	Annotate AnnotateConfig `mapstructure:"annotate"`

	// Options of the processor's own metrics.
	Telemetry TelemetryConfig `mapstructure:"telemetry" json:"-"`

	// The ID of a storage extension, such as file_storage. Open runs then survive a crash. Without it they are in memory only.
	Storage *string `mapstructure:"storage,omitempty" json:"-"`
}

// RunConfig says what a run is and when it is over.
type RunConfig struct {
	// agent: every agent span is a run. trace: the root span is the run of all calls of its trace. conversation: all runs of a
	// conversation are one run, and its last anchor represents it.
	Scope string `mapstructure:"scope"`

	// How long calls still count after their run's span arrived. With 0 the run is scored at once.
	//
	// Processes send the batches of one run at different times. 5s is enough for the defaults of batching exporters. At once is
	// within 100ms.
	Wait time.Duration `mapstructure:"wait"`

	// If the span of a run does not arrive, the run closes this long after the last span of its trace. A conversation closes this
	// long after its last run. Must be positive.
	//
	// The default of 2m is longer than a model needs for a response.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`

	// In place of idle_timeout while the last model response of a conversation asks for a tool call that has no result. If it passes,
	// the status is pending. Only with the scope conversation.
	//
	// A person has to approve the call, say. A shorter one than IdleTimeout has no effect.
	PendingTimeout time.Duration `mapstructure:"pending_timeout"`

	// separate: a sub-agent's calls count for the sub-agent only. include: they also count for the agents that called it. Only with
	// the scope agent.
	Nested string `mapstructure:"nested"`

	// The attributes that name a span's conversation. The first one that the span has counts.
	//
	// If there is none, the dialect of the span names the conversation.
	ConversationAttributes []string `mapstructure:"conversation_attributes"`

	// Attributes of resources that keep tenants apart, such as tenant.id. Spans with different values never meet, even if their IDs
	// are equal.
	PartitionBy []string `mapstructure:"partition_by,omitempty"`
}

// CallsConfig says which calls count.
type CallsConfig struct {
	// Where calls are taken from. auto: tool spans, or tool requests in model responses if an instrumentation writes no tool spans.
	// spans: tool spans only. messages: tool requests in model responses.
	Sources string `mapstructure:"sources"`

	// Whether calls that ended in an error count as called.
	Failed string `mapstructure:"failed"`

	// Whether calls of tools that the model's provider runs count, such as a search of the web.
	Hosted string `mapstructure:"hosted"`

	// Whether a run fails if a model asked for a tool that does not exist or was not offered, or with arguments that were refused.
	Rejected string `mapstructure:"rejected"`

	// Names of tools, or globs with *, whose calls do not count. Meant for tools that a framework adds to those of the application.
	//
	// They count neither as called nor as unexpected.
	Exclude []string `mapstructure:"exclude,omitempty"`
}

// LimitsConfig bounds the memory of the processor. Reaching a limit closes a run early, and never drops a span.
type LimitsConfig struct {
	// How many runs may be open. At the limit, the trace that was idle longest closes, with all its runs.
	OpenRuns int `mapstructure:"open_runs"`

	// How much memory the processor may retain, in MiB. Near the limit, the trace that was idle longest closes, with all its runs.
	//
	// Near is when open runs and tables take seven eighths of it. If closed runs that wait for the next consumer fill it, new batches
	// are refused.
	MemoryMiB int `mapstructure:"memory_mib"`

	// How many calls of a trace may wait for their run. Further calls are not kept, and the run is incomplete.
	CallsPerRun int `mapstructure:"calls_per_run"`

	// Arguments and outputs over this size, in KiB, count as too large. They are not compared, not even in part.
	ArgumentsKiB int `mapstructure:"arguments_kib"`
}

// AnnotateConfig says what is written on spans, besides the verdict on the anchor.
type AnnotateConfig struct {
	// Whether the class of each call is written on its tool span. Tool spans then wait until their run is scored.
	Calls bool `mapstructure:"calls"`

	// Whether reasons may quote values of arguments and outputs, and name keys that the expectation does not have. Both may be
	// private. By default a reason names only tools and keys of the expectation.
	Values bool `mapstructure:"values"`

	// The forms in which verdicts are written on the run's span. The list must have native. LangWatch shows its form as scores.
	As []string `mapstructure:"as" json:"-"`

	// What the names of the attributes of the run begin with. Two processors of one pipeline need two prefixes, and metrics with
	// different names.
	//
	// Or the second removes what the first wrote.
	Prefix string `mapstructure:"prefix" json:"-"`
}

// TelemetryConfig configures the processor's own metrics.
type TelemetryConfig struct {
	// How many names of agents the metrics of verdicts may have. Further names count as _other. With 0 these metrics have no names of
	// agents.
	//
	// Each name multiplies the series of these metrics, and senders choose the names, so the default is 0.
	AgentNames int `mapstructure:"agent_names"`
}

type (
	// ExpectationConfig says which tools some runs are expected to call.
	ExpectationConfig = expect.Expectation
	// TurnConfig is what is expected of one turn of a conversation.
	TurnConfig = expect.Turn
	// ToolConfig is an expected tool. In YAML a plain string is a tool with that name.
	ToolConfig = expect.Tool
	// CountConfig bounds how often a tool is expected.
	CountConfig = expect.Count
	// DatasetConfig names a file of cases, and the key that finds the case of a run.
	DatasetConfig = expect.Dataset
)

// MetricConfig has exactly one method with its options. A method without options has its own defaults.
type MetricConfig struct {
	// The method of this processor. It pairs expected tools with calls in the best way, and computes a score from the pairs.
	Native *NativeConfig `mapstructure:"native,omitempty"`
	// Axion's ToolCorrectness, with its options under its names.
	Axion *AxionConfig `mapstructure:"axion,omitempty"`
	// DeepEval's ToolCorrectnessMetric, 4.1.9 to 4.3.1, with its options under its names.
	DeepEval *DeepEvalConfig `mapstructure:"deepeval,omitempty"`
	// DeepEval's MultimodalToolCorrectnessMetric, 2.4.6 to 3.7.4, with its options under its names.
	DeepEvalMultimodal *DeepEvalConfig `mapstructure:"deepeval_multimodal,omitempty"`
	// EvalSharp's ToolCorrectnessMetric, with its options in snake_case.
	EvalSharp *DeepEvalConfig `mapstructure:"evalsharp,omitempty"`
	// The score is 1 if the set of expected tools equals the set of called ones, else 0, as Galtea documents it.
	Galtea *GalteaConfig `mapstructure:"galtea,omitempty"`
	// eval_lib's ToolCorrectnessMetric, with its options under its names.
	EvalLib *EvalLibConfig `mapstructure:"eval_lib,omitempty"`
}

// Choice says that a method may be written without options.
func (MetricConfig) Choice() {}

// Output has the options that all methods share.
type Output struct {
	// Whether the reason is written.
	IncludeReason *bool `mapstructure:"include_reason,omitempty"`
	// Whether the steps of the calculation are logged at info level, with names and scores only.
	VerboseMode bool `mapstructure:"verbose_mode,omitempty"`
}

// NativeConfig has the options of the native method. Their defaults are those of scoring.DefaultNative.
type NativeConfig struct {
	Output `mapstructure:",squash"`
	// any: the order is free. in_order: the expected order, with other calls between. exact: position by position, as many calls as
	// tools.
	Order string `mapstructure:"order,omitempty"`
	// How arguments are compared. exact: equal. subset: every expected key is in the call, with an equal value. superset: every key of
	// the call is expected, with an equal value. partial: the share of keys that agree. fuzzy: alike on average, see fuzzy_threshold.
	Arguments string `mapstructure:"arguments,omitempty"`
	// Which keys partial counts. both: those that either side has. expected: the expected ones.
	Credit string `mapstructure:"credit,omitempty"`
	// How outputs are compared.
	OutputMode string `mapstructure:"output,omitempty"`
	// How the score is computed from the pairs.
	Score string `mapstructure:"score,omitempty"`
	// forbid: one call that is in no pair makes the score 0.
	ExtraCalls string `mapstructure:"extra_calls,omitempty"`
	// collapse: consecutive identical calls count once. unique: equal calls count once at any positions, and so do equal expected tools.
	Repeats string `mapstructure:"repeats,omitempty"`
	// Which order in_order and exact give to calls that ran at the same time or that one model response requested. any_order: the order
	// that fits best. as_started: the order in which they began.
	Concurrent string `mapstructure:"concurrent,omitempty"`
	// The lowest score that passes, from 0 to 1.
	Threshold *float64 `mapstructure:"threshold,omitempty"`
	// The lowest mean likeness that fuzzy accepts, from 0 to 1.
	FuzzyThreshold *float64 `mapstructure:"fuzzy_threshold,omitempty"`
}

// AxionConfig has the options of Axion's ToolCorrectness under their own names.
type AxionConfig struct {
	Output `mapstructure:",squash"`
	// Whether arguments are compared as well as names.
	CheckParameters bool `mapstructure:"check_parameters,omitempty"`
	// Whether the same tools must be at the same positions. `scoring` then has no effect.
	StrictOrder bool `mapstructure:"strict_order,omitempty"`
	// How arguments are compared.
	ParameterMatchingStrategy string `mapstructure:"parameter_matching_strategy,omitempty"`
	// The lowest mean likeness that fuzzy accepts. Above 1 no arguments match.
	FuzzyThreshold *float64 `mapstructure:"fuzzy_threshold,omitempty"`
	// How the score is computed from the matches.
	Scoring string `mapstructure:"scoring,omitempty"`
	// The lowest score that passes, from 0 to 1. As in Axion, 0 means 0.5.
	Threshold *float64 `mapstructure:"threshold,omitempty"`
}

// DeepEvalConfig has the options of DeepEval's ToolCorrectnessMetric under their own names. EvalSharp's are the same in snake case.
type DeepEvalConfig struct {
	Output `mapstructure:",squash"`
	// What is compared besides the names of tools. Names are always compared, so `tool` has no effect.
	EvaluationParams []string `mapstructure:"evaluation_params,omitempty"`
	// Whether the same calls must be at the same positions. should_consider_ordering then has no effect.
	ShouldExactMatch bool `mapstructure:"should_exact_match,omitempty"`
	// Whether the order of the calls counts. DeepEval scores their longest common subsequence.
	ShouldConsiderOrdering bool `mapstructure:"should_consider_ordering,omitempty"`
	// Whether the threshold is 1. With DeepEval, a score below 1 also becomes 0.
	StrictMode bool `mapstructure:"strict_mode,omitempty"`
	// The lowest score that passes, from 0 to 1.
	Threshold *float64 `mapstructure:"threshold,omitempty"`
	// How the arguments and the output of a call count if they were not captured. unknown: the run is not scored if its score depends on
	// them. none: the call has no arguments or output, as in a test case that is built from the same telemetry.
	Uncaptured string `mapstructure:"uncaptured,omitempty"`
}

// GalteaConfig has the options of the method that follows Galtea's documentation.
type GalteaConfig struct {
	Output `mapstructure:",squash"`
	// Prefixes that are removed from tools' names. The first one that a name begins with is removed, once.
	StripPrefixes []string `mapstructure:"strip_prefixes,omitempty"`
	// Whether spaces around names are removed.
	TrimSpace bool `mapstructure:"trim_space,omitempty"`
}

// EvalLibConfig has the options of eval_lib's ToolCorrectnessMetric under their own names.
type EvalLibConfig struct {
	Output `mapstructure:",squash"`
	// Whether the same tools must be at the same positions. check_ordering then has no effect.
	ExactMatch bool `mapstructure:"exact_match,omitempty"`
	// Whether the order of the tools counts.
	CheckOrdering bool `mapstructure:"check_ordering,omitempty"`
	// The lowest score that passes, from 0 to 1.
	Threshold *float64 `mapstructure:"threshold,omitempty"`
	// Which version's rules apply if no tools are expected. 0.7, for versions up to 0.7.27: the score is 0. 0.8, for versions since
	// 0.7.28: the score is 1, even if tools were called. With exact_match both versions agree.
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
	errs.Decode(raw, c)
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
