package toolcorrectnessprocessor

import (
	"reflect"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/scoreforms"
)

// Config is what users write. Everything has a default, but there must be Expectations or ExpectationFiles.
type Config struct {
	Run    RunConfig    `mapstructure:"run"`
	Calls  CallsConfig  `mapstructure:"calls"`
	Limits LimitsConfig `mapstructure:"limits"`

	// Metrics are named ways to score; the name is the prefix of the attributes that a metric writes.
	// Empty: one metric, "tool_correctness", by the native method.
	Metrics map[string]MetricConfig `mapstructure:"metrics"`

	// Expectations are tried in order. Each metric uses the first that is for it and whose When holds on the run's anchor.
	Expectations []ExpectationConfig `mapstructure:"expectations"`

	// ErrorMode says what happens if a condition fails: "ignore" (also empty: it does not hold, and the log says so), "silent"
	// (without the log) or "propagate" (a run whose tools' conditions fail is not scored).
	ErrorMode string `mapstructure:"error_mode" json:",omitempty"`

	// ExpectationFiles are files, or patterns of files such as /etc/tool-correctness/*.yaml. Each has a list of expectations.
	// They are asked after Expectations, in the order of the files' names.
	ExpectationFiles []string `mapstructure:"expectation_files" json:",omitempty"`

	// ReloadInterval is how often files are looked at. 0: only at start. A changed file is used when it has stayed the same
	// for one interval. It is no part of the fingerprint, because it changes no verdict.
	ReloadInterval time.Duration `mapstructure:"reload_interval" json:"-"`

	Annotate AnnotateConfig `mapstructure:"annotate"`

	// Telemetry says what the processor's own metrics have. It is no part of the fingerprint, because it changes no verdict.
	Telemetry TelemetryConfig `mapstructure:"telemetry" json:"-"`

	// Storage is the id of a storage extension, such as file_storage. Open runs then survive a crash. Without it they
	// are in memory only. It is no part of the fingerprint, because it changes no verdict.
	Storage *string `mapstructure:"storage" json:"-"`
}

// RunConfig says what a run is and when it is over.
type RunConfig struct {
	// Scope is "agent" (every agent span is a run), "trace" (the root span is, with all calls of its trace) or
	// "conversation" (all runs of a conversation are one, and its last anchor represents it).
	Scope string `mapstructure:"scope"`

	// Wait is how long calls still count after their anchor arrived. Processes send the batches of one run at different
	// times; 5s is enough for batching exporters with their defaults. With 0 a run is scored at the next tick of 100ms.
	Wait time.Duration `mapstructure:"wait"`

	// IdleTimeout closes calls whose anchor does not arrive, this long after the trace's last span. It closes a
	// conversation this long after its last run. The default of 2m is longer than a model needs for a response.
	IdleTimeout time.Duration `mapstructure:"idle_timeout"`

	// Nested is "separate" (the calls of a sub-agent count for the sub-agent only) or "include" (for the agents that
	// called it, too).
	Nested string `mapstructure:"nested"`

	// ConversationAttributes are the attributes that name a span's conversation. The first one present counts. If none is,
	// the dialect of the span names the conversation.
	ConversationAttributes []string `mapstructure:"conversation_attributes"`
}

// CallsConfig says which calls count.
type CallsConfig struct {
	// Sources is "auto" (tool spans, and requests of models if an instrumentation writes no tool spans), "spans" (tool spans
	// only) or "messages" (requests of models only).
	Sources string `mapstructure:"sources"`

	// Failed is "count" or "ignore": do calls that ended in an error count as called?
	Failed string `mapstructure:"failed"`

	// Exclude are names of tools, or globs with *, whose calls do not count: neither as called nor as unexpected.
	Exclude []string `json:",omitempty" mapstructure:"exclude"`
}

// LimitsConfig bounds the memory of the processor. Reaching a limit closes a run early, and never drops a span.
type LimitsConfig struct {
	// OpenRuns is how many runs may be open.
	OpenRuns int `mapstructure:"open_runs"`

	// MemoryMiB is how much open runs may retain, in MiB: held spans, calls and links. Closed runs that the next
	// consumer does not accept may take as much again; then new batches are refused.
	MemoryMiB int `mapstructure:"memory_mib"`

	// CallsPerRun is how many calls of a trace may wait for their run. More are not kept.
	CallsPerRun int `mapstructure:"calls_per_run"`

	// ArgumentsKiB is the size, in KiB, over which arguments and outputs count as too large, and are not compared.
	ArgumentsKiB int `mapstructure:"arguments_kib"`
}

// AnnotateConfig says what else is written.
type AnnotateConfig struct {
	// Calls writes on the span of every tool call what became of the call. Such a span is then held until its run is
	// scored, so the default is false. False is no part of the fingerprint, so older configurations keep theirs.
	Calls bool `mapstructure:"calls" json:",omitempty"`

	// Values lets reasons quote values of arguments and outputs, and name keys that only a call has. Both may be private, so
	// by default a reason names only tools and keys of the expectation.
	Values bool `mapstructure:"values"`

	// As are the forms of a verdict on the run's span: "native", and what backends show as a score, "openinference",
	// "braintrust" and "langwatch". Native is always among them. As is no part of the fingerprint, because it changes no
	// verdict.
	As []string `mapstructure:"as" json:"-"`
}

// TelemetryConfig says what the processor's own metrics have.
type TelemetryConfig struct {
	// AgentNames is how many names of agents the metrics of verdicts tell apart. Each name multiplies the series of these
	// metrics, and senders choose the names, so the default is 0: no names. Further names count as "_other".
	AgentNames int `mapstructure:"agent_names"`
}

func createDefaultConfig() component.Config {
	return &Config{
		Run: RunConfig{
			Scope: scopeAgent, Wait: 5 * time.Second, IdleTimeout: 2 * time.Minute, Nested: nestedSeparate,
			ConversationAttributes: []string{"gen_ai.conversation.id", "session.id", "langfuse.session.id"},
		},
		Calls:          CallsConfig{Sources: sourcesAuto, Failed: failedCount},
		Limits:         LimitsConfig{OpenRuns: 100_000, MemoryMiB: 256, CallsPerRun: 10_000, ArgumentsKiB: 64},
		ReloadInterval: 10 * time.Second,
		Annotate:       AnnotateConfig{As: []string{scoreforms.Native}},
	}
}

// shorthands are the short forms of a configuration: a tool may be written as its name, and a method without options.
var shorthands = configcheck.Shorthands{
	Named: reflect.TypeFor[ToolConfig](), Name: "name", Want: "the name of a tool, or a map",
	Optional: reflect.TypeFor[MetricConfig](),
}

// Unmarshal reads a configuration. Its error has everything that is wrong with it: unknown keys, values of a wrong type,
// and values that break a rule.
func (c *Config) Unmarshal(conf *confmap.Conf) error {
	errs := configcheck.New()
	shaped := errs.Shape(conf.ToStringMap(), reflect.TypeFor[Config](), shorthands).(map[string]any)
	type plain Config // without this method, which would be called again
	if err := confmap.NewFromStringMap(shaped).Unmarshal((*plain)(c)); err != nil {
		errs.Join(err)
	}
	if err := c.Validate(); err != nil {
		errs.Join(err)
	}
	return errs.Err()
}

// Validate checks every rule. A configuration that Unmarshal accepted is valid. Validate is for configurations that are
// made in code.
func (c *Config) Validate() error {
	_, err := c.settings(componenttest.NewNopTelemetrySettings())
	return err
}
