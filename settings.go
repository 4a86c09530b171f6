package toolcorrectnessprocessor

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The values of options with a fixed set of words.
const (
	scopeAgent        = "agent"
	scopeTrace        = "trace"
	scopeConversation = "conversation"
	nestedSeparate    = "separate"
	nestedInclude     = "include"
	sourcesAuto       = "auto"
	sourcesSpans      = "spans"
	sourcesMessages   = "messages"
	countCalls        = "count"
	ignoreCalls       = "ignore"
	failRun           = "fail"
	formNative        = "native"
	formLangWatch     = "langwatch"
)

// The values of options that are numbers elsewhere, in the order of their constants, and the forms of a verdict.
var (
	sources    = []string{sourcesAuto, sourcesSpans, sourcesMessages}
	errorModes = []string{evaluate.IgnoreErrors, evaluate.SilenceErrors, evaluate.PropagateErrors}
	formWords  = []string{formNative, formLangWatch}
)

// maxCallsPerRun bounds calls_per_run, because the time of an alignment grows with its square.
const maxCallsPerRun = 50_000

// maxAgentNames bounds agent_names. The OpenTelemetry SDK keeps 2,000 series of a metric, and a name takes several.
const maxAgentNames = 1000

// settings converts c to the settings of the processor. Its error lists all faults of c, and those that root has already. OTTL logs to
// telemetry.
func (c *Config) settings(root *configcheck.Errors, telemetry component.TelemetrySettings) (toolcorrectness.Settings, error) {
	c.check(root)
	set := toolcorrectness.Settings{
		Run: runs.Options{
			WholeTrace:    c.Run.Scope == scopeTrace,
			Conversations: c.Run.Scope == scopeConversation,
			Include:       c.Run.Nested == nestedInclude,
			MaxCalls:      c.Limits.CallsPerRun,
			Sources:       runs.Sources(max(0, slices.Index(sources, c.Calls.Sources))), //nolint:gosec // one of three
			IgnoreHosted:  c.Calls.Hosted == ignoreCalls,
		},
		Wait: c.Run.Wait, IdleTimeout: c.Run.IdleTimeout, PendingTimeout: c.Run.PendingTimeout,
		MaxPayload: c.Limits.ArgumentsKiB << 10, PartitionBy: c.Run.PartitionBy,
		Settings: evaluate.Settings{
			IgnoreFailed:  c.Calls.Failed == ignoreCalls,
			FailRejected:  c.Calls.Rejected == failRun,
			Exclude:       c.Calls.Exclude,
			ErrorMode:     c.ErrorMode,
			AnnotateCalls: c.Annotate.Calls,
			QuoteValues:   c.Annotate.Values,
			LangWatch:     slices.Contains(c.Annotate.As, formLangWatch),
			Prefix:        c.Annotate.Prefix,
		},
		ConversationAttributes: c.Run.ConversationAttributes,
		Limits:                 toolcorrectness.Limits{OpenRuns: c.Limits.OpenRuns, Bytes: int64(c.Limits.MemoryMiB) << 20},
		AgentNames:             c.Telemetry.AgentNames,
		Storage:                c.storage(root),
	}
	var metricNames []string
	set.Metrics, metricNames = c.metrics(root)
	root.Unless(len(c.Expectations)+len(c.ExpectationFiles) > 0, "expectations", "must not be empty: say which tools a run is expected to call")
	expectations := expect.Config{
		Inline: c.Expectations, Patterns: c.ExpectationFiles, Fingerprint: c.fingerprint(),
		Metrics: set.Metrics, Known: metricNames, Conversations: set.Run.Conversations,
		Telemetry: telemetry,
	}
	set.ExpectationSet = expectations.Set(root)
	if err := root.Err(); err != nil {
		return toolcorrectness.Settings{}, err
	}
	set.Run.KeepArguments, set.Run.KeepOutput = set.Arguments, set.Output
	if c.HasFiles() {
		set.Source, set.ReloadInterval = expect.New(expectations), c.ReloadInterval
		set.Expectations, set.Warnings = nil, nil // the source has them
		set.Run.KeepArguments, set.Run.KeepOutput = true, true
	}
	return set, nil
}

// check adds an error for each plain value that is out of range.
func (c *Config) check(errs *configcheck.Errors) {
	errs.OneOf("run.scope", c.Run.Scope, scopeAgent, scopeTrace, scopeConversation)
	errs.OneOf("run.nested", c.Run.Nested, nestedSeparate, nestedInclude)
	errs.OneOf("calls.sources", c.Calls.Sources, sources...)
	errs.Unless(c.Run.Nested != nestedInclude || c.Run.Scope == scopeAgent,
		"run.nested", "must be separate unless run.scope is agent, because such a run has the calls of all its agents")
	errs.Filled("run.conversation_attributes", c.Run.ConversationAttributes)
	errs.Filled("run.partition_by", c.Run.PartitionBy)
	errs.OneOf("calls.failed", c.Calls.Failed, countCalls, ignoreCalls)
	errs.OneOf("calls.hosted", c.Calls.Hosted, countCalls, ignoreCalls)
	errs.OneOf("calls.rejected", c.Calls.Rejected, ignoreCalls, failRun)
	errs.Filled("calls.exclude", c.Calls.Exclude)
	errs.Unless(c.Run.Wait >= 0, "run.wait", "must not be negative, is %s", c.Run.Wait)
	errs.Unless(c.Run.IdleTimeout > 0, "run.idle_timeout", "must be positive, is %s", c.Run.IdleTimeout)
	errs.Unless(c.Run.PendingTimeout >= 0, "run.pending_timeout", "must not be negative, is %s", c.Run.PendingTimeout)
	errs.Unless(c.ReloadInterval >= 0, "reload_interval", "must not be negative, is %s (0: files are read at start only)", c.ReloadInterval)
	expect.CheckPatterns(errs, "expectation_files", c.ExpectationFiles)
	errs.Within("limits.open_runs", c.Limits.OpenRuns, 1, 1<<30)
	errs.Within("limits.memory_mib", c.Limits.MemoryMiB, 1, 1<<20)
	errs.Within("limits.calls_per_run", c.Limits.CallsPerRun, 1, maxCallsPerRun)
	errs.Within("limits.arguments_kib", c.Limits.ArgumentsKiB, 1, 1<<20)
	errs.Within("telemetry.agent_names", c.Telemetry.AgentNames, 0, maxAgentNames)
	problem := attributes.NameProblem(c.Annotate.Prefix)
	errs.Unless(problem == "", "annotate.prefix", "cannot be %q: %s", c.Annotate.Prefix, problem)
	errs.OneOf("error_mode", cmp.Or(c.ErrorMode, errorModes[0]), errorModes...)
	for i, word := range c.Annotate.As {
		errs.OneOf(fmt.Sprintf("annotate.as[%d]", i), word, formWords...)
	}
	errs.Unless(len(c.Annotate.As) == 0 || slices.Contains(c.Annotate.As, formNative), // an empty list means native
		"annotate.as", "must contain native, is [%s]", strings.Join(c.Annotate.As, ", "))
}

// storage parses the id of the storage extension. It returns nil if none is configured.
func (c *Config) storage(errs *configcheck.Errors) *component.ID {
	if c.Storage == nil {
		return nil
	}
	id := new(component.ID)
	err := id.UnmarshalText([]byte(*c.Storage))
	errs.Unless(err == nil, "storage", "must be the id of a storage extension, such as file_storage or file_storage/runs, is %q", *c.Storage)
	return id
}

// fingerprint returns a short hash of the configuration, the same on every machine.
func (c *Config) fingerprint() string {
	text, _ := json.Marshal(c) // map keys are sorted; what has no JSON, such as NaN, settings refuses
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// method is a method's configuration.
type method interface {
	method(*configcheck.Errors) (scoring.Method, error)
	output() Output
}

func (o Output) output() Output { return o }

// metrics makes the metrics, in the order of their names. names are those of all metrics, also of wrong ones.
func (c *Config) metrics(errs *configcheck.Errors) (metrics []evaluate.Metric, names []string) {
	configs := c.Metrics
	if len(configs) == 0 {
		configs = map[string]MetricConfig{attributes.DefaultMetric: {Native: &NativeConfig{}}}
	}
	names = slices.Sorted(maps.Keys(configs))
	for _, name := range names {
		problem := attributes.NameProblem(name)
		errs.Unless(problem == "", "metrics", "must have names that can be prefixes of attributes, not %q: %s", name, problem)
		config := configs[name]
		if m, ok := config.metric(errs.Under("metrics." + name)); ok {
			m.Name = name
			metrics = append(metrics, m)
		}
	}
	return metrics, names
}

func (c *MetricConfig) metric(errs *configcheck.Errors) (evaluate.Metric, bool) {
	var keys []string
	var m method
	for _, known := range []struct {
		key    string
		method method
		set    bool
	}{
		{"axion", c.Axion, c.Axion != nil},
		{"deepeval", deepEval{c.DeepEval, scoring.NewDeepEval}, c.DeepEval != nil},
		{"deepeval_multimodal", deepEval{c.DeepEvalMultimodal, scoring.NewDeepEvalMultimodal}, c.DeepEvalMultimodal != nil},
		{"eval_lib", c.EvalLib, c.EvalLib != nil},
		{"evalsharp", deepEval{c.EvalSharp, scoring.NewEvalSharp}, c.EvalSharp != nil},
		{"galtea", c.Galtea, c.Galtea != nil},
		{"native", c.Native, c.Native != nil},
	} {
		if known.set {
			keys, m = append(keys, known.key), known.method
		}
	}
	if len(keys) != 1 {
		errs.Missing("must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has %s",
			cmp.Or(strings.Join(keys, " and "), "none"))
		return evaluate.Metric{}, false
	}
	under := errs.Under(keys[0])
	made, err := m.method(under)
	if err != nil {
		under.Join(err)
		return evaluate.Metric{}, false
	}
	o := m.output()
	threshold := made.Judge(&scoring.Expectation{}, []scoring.Call{}).Threshold // any verdict has it
	return evaluate.Metric{Method: made, Threshold: threshold, Reason: o.IncludeReason == nil || *o.IncludeReason, Verbose: o.VerboseMode}, true
}

func (c *NativeConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultNative()
	configcheck.Enum(errs, "order", c.Order, &o.Order)
	configcheck.Enum(errs, "arguments", c.Arguments, &o.Arguments)
	configcheck.Enum(errs, "credit", c.Credit, &o.Credit)
	configcheck.Enum(errs, "output", c.OutputMode, &o.Output)
	configcheck.Enum(errs, "score", c.Score, &o.Score)
	configcheck.Enum(errs, "extra_calls", c.ExtraCalls, &o.ExtraCalls)
	configcheck.Enum(errs, "repeats", c.Repeats, &o.Repeats)
	configcheck.Enum(errs, "concurrent", c.Concurrent, &o.Concurrent)
	o.Threshold = *cmp.Or(c.Threshold, &o.Threshold)
	o.FuzzyThreshold = *cmp.Or(c.FuzzyThreshold, &o.FuzzyThreshold)
	return scoring.NewNative(o)
}

func (c *AxionConfig) method(*configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultAxion()
	o.CheckParameters, o.StrictOrder = c.CheckParameters, c.StrictOrder
	o.ParameterMatchingStrategy = cmp.Or(c.ParameterMatchingStrategy, o.ParameterMatchingStrategy)
	o.Scoring = cmp.Or(c.Scoring, o.Scoring)
	o.FuzzyThreshold = *cmp.Or(c.FuzzyThreshold, &o.FuzzyThreshold)
	o.Threshold = *cmp.Or(c.Threshold, &o.Threshold)
	return scoring.NewAxion(o)
}

// deepEval configures one of the methods with DeepEval's options.
type deepEval struct {
	*DeepEvalConfig
	make func(scoring.DeepEvalOptions) (scoring.Method, error)
}

func (c deepEval) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultDeepEval()
	o.EvaluationParams = c.EvaluationParams
	o.ShouldExactMatch, o.ShouldConsiderOrdering, o.StrictMode = c.ShouldExactMatch, c.ShouldConsiderOrdering, c.StrictMode
	configcheck.Enum(errs, "uncaptured", c.Uncaptured, &o.Uncaptured)
	o.Threshold = *cmp.Or(c.Threshold, &o.Threshold)
	return c.make(o)
}

func (c *GalteaConfig) method(*configcheck.Errors) (scoring.Method, error) {
	return scoring.NewGaltea(scoring.GalteaOptions{StripPrefixes: c.StripPrefixes, TrimSpace: c.TrimSpace})
}

func (c *EvalLibConfig) method(*configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultEvalLib()
	o.ExactMatch, o.CheckOrdering = c.ExactMatch, c.CheckOrdering
	o.Version = cmp.Or(c.Version, o.Version)
	o.Threshold = *cmp.Or(c.Threshold, &o.Threshold)
	return scoring.NewEvalLib(o)
}

// HasFiles reports whether expectations or cases are in files of their own.
func (c *Config) HasFiles() bool {
	inFile := func(x ExpectationConfig) bool { return x.Dataset != nil && x.Dataset.File != "" }
	return len(c.ExpectationFiles) > 0 || slices.ContainsFunc(c.Expectations, inFile)
}
