package toolcorrectnessprocessor

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/conditions"
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
)

// sources has the values of the key calls.sources.
var sources = map[string]runs.Sources{
	sourcesAuto: runs.Auto, sourcesSpans: runs.Spans, sourcesMessages: runs.Messages,
}

// maxCallsPerRun bounds calls_per_run, because the time of an alignment grows with its square.
const maxCallsPerRun = 50_000

// maxAgentNames bounds agent_names. The OpenTelemetry SDK keeps 2,000 series of a metric, and a name takes several.
const maxAgentNames = 1000

// settings converts c to the settings of the processor. Its error lists all faults of c. OTTL logs to telemetry.
func (c *Config) settings(telemetry component.TelemetrySettings) (toolcorrectness.Settings, error) {
	root := configcheck.New()
	c.check(root)
	if problem := attributes.NameProblem(c.Annotate.Prefix); problem != "" {
		root.Under("annotate").Add("prefix", "cannot be %q: %s", c.Annotate.Prefix, problem)
	}
	set := toolcorrectness.Settings{
		Run: runs.Options{
			WholeTrace:    c.Run.Scope == scopeTrace,
			Conversations: c.Run.Scope == scopeConversation,
			Include:       c.Run.Nested == nestedInclude,
			MaxCalls:      c.Limits.CallsPerRun,
			Sources:       sources[c.Calls.Sources],
			IgnoreHosted:  c.Calls.Hosted == ignoreCalls,
		},
		Wait: c.Run.Wait, IdleTimeout: c.Run.IdleTimeout, PendingTimeout: c.Run.PendingTimeout, MaxPayload: c.Limits.ArgumentsKiB << 10, PartitionBy: c.Run.PartitionBy,
		Settings: evaluate.Settings{
			IgnoreFailed:  c.Calls.Failed == ignoreCalls,
			FailRejected:  c.Calls.Rejected == failRun,
			Exclude:       c.Calls.Exclude,
			ErrorMode:     c.errorMode(root),
			AnnotateCalls: c.Annotate.Calls,
			QuoteValues:   c.Annotate.Values,
			LangWatch:     c.Annotate.langwatch(root),
			Prefix:        c.Annotate.Prefix,
		},
		ConversationAttributes: c.Run.ConversationAttributes,
		Limits:                 toolcorrectness.Limits{OpenRuns: c.Limits.OpenRuns, Bytes: int64(c.Limits.MemoryMiB) << 20},
		AgentNames:             c.Telemetry.AgentNames,
		Storage:                c.storage(root),
		Fingerprint:            c.fingerprint(),
	}
	set.Metrics = c.metrics(root)
	list := c.inline()
	if len(list) == 0 && len(c.ExpectationFiles) == 0 {
		root.Add("expectations", "must not be empty: say which tools a run is expected to call")
	}
	inline := c.set(root, list, set.Metrics, telemetry)
	if err := root.Err(); err != nil {
		return toolcorrectness.Settings{}, err
	}
	set.Expectations, set.Warnings = inline.Expectations, inline.Warnings
	set.Run.KeepArguments, set.Run.KeepOutput = inline.Arguments, inline.Output
	if c.HasFiles() {
		set.Source, set.ReloadInterval = newFiles(c, set.Fingerprint, set.Metrics, telemetry), c.ReloadInterval
		set.Expectations, set.Warnings = nil, nil // the source has them
		set.Run.KeepArguments, set.Run.KeepOutput = true, true
	}
	return set, nil
}

// set converts a list of expectations. The result has no fingerprint.
func (c *Config) set(errs *configcheck.Errors, list []expect.Entry, metrics []evaluate.Metric, telemetry component.TelemetrySettings) evaluate.ExpectationSet {
	all, checked := c.expectations(errs, list, metrics, telemetry)
	if errs.Err() != nil {
		return evaluate.ExpectationSet{}
	}
	set := evaluate.ExpectationSet{
		Expectations: all,
		Warnings:     expect.Warnings(checked, expect.Limits{Exclude: c.Calls.Exclude, CallsPerRun: c.Limits.CallsPerRun}),
	}
	for i, reached := range evaluate.Reached(metrics, set.Expectations) {
		if len(reached) == 0 {
			continue
		}
		x := set.Expectations[i]
		x.Metrics = nil
		for _, m := range reached {
			x.Metrics = append(x.Metrics, metrics[m])
		}
		arguments, output := x.Compares()
		set.Arguments = set.Arguments || arguments
		set.Output = set.Output || output
		if x.FromAttribute != "" && len(expect.NativeNames(x.Metrics)) > 0 { // it may compare both
			set.Arguments, set.Output = true, true
		}
	}
	return set
}

// check adds an error for each plain value that is out of range.
func (c *Config) check(errs *configcheck.Errors) {
	errs.OneOf("run.scope", c.Run.Scope, scopeAgent, scopeTrace, scopeConversation)
	errs.OneOf("run.nested", c.Run.Nested, nestedSeparate, nestedInclude)
	errs.OneOf("calls.sources", c.Calls.Sources, sourcesAuto, sourcesSpans, sourcesMessages)
	if c.Run.Nested == nestedInclude && c.Run.Scope != scopeAgent {
		errs.Add("run.nested", "must be separate unless run.scope is agent, because such a run has the calls of all its agents")
	}
	for i, key := range c.Run.ConversationAttributes {
		if key == "" {
			errs.Add(fmt.Sprintf("run.conversation_attributes[%d]", i), "must not be empty")
		}
	}
	for i, key := range c.Run.PartitionBy {
		switch path := fmt.Sprintf("run.partition_by[%d]", i); {
		case key == "":
			errs.Add(path, "must not be empty")
		case slices.Contains(c.Run.PartitionBy[:i], key):
			errs.Add(path, "must not be listed twice, is %q", key)
		}
	}
	errs.OneOf("calls.failed", c.Calls.Failed, countCalls, ignoreCalls)
	errs.OneOf("calls.hosted", c.Calls.Hosted, countCalls, ignoreCalls)
	errs.OneOf("calls.rejected", c.Calls.Rejected, ignoreCalls, failRun)
	for i, name := range c.Calls.Exclude {
		if name == "" {
			errs.Add(fmt.Sprintf("calls.exclude[%d]", i), "must not be empty")
		}
	}
	if c.Run.Wait < 0 {
		errs.Add("run.wait", "must not be negative, is %s", c.Run.Wait)
	}
	if c.Run.IdleTimeout <= 0 {
		errs.Add("run.idle_timeout", "must be positive, is %s", c.Run.IdleTimeout)
	}
	if c.Run.PendingTimeout < 0 {
		errs.Add("run.pending_timeout", "must not be negative, is %s", c.Run.PendingTimeout)
	}
	if c.ReloadInterval < 0 {
		errs.Add("reload_interval", "must not be negative, is %s (0: files are read at start only)", c.ReloadInterval)
	}
	expect.CheckPatterns(errs, "expectation_files", c.ExpectationFiles)
	errs.UpTo("limits.open_runs", c.Limits.OpenRuns, 1<<30)
	errs.UpTo("limits.memory_mib", c.Limits.MemoryMiB, 1<<20)
	errs.UpTo("limits.calls_per_run", c.Limits.CallsPerRun, maxCallsPerRun)
	errs.UpTo("limits.arguments_kib", c.Limits.ArgumentsKiB, 1<<20)
	if n := c.Telemetry.AgentNames; n < 0 || n > maxAgentNames {
		errs.Add("telemetry.agent_names", "must be from 0 to %d, is %d", maxAgentNames, n)
	}
}

// storage parses the id of the storage extension. It returns nil if none is configured.
func (c *Config) storage(errs *configcheck.Errors) *component.ID {
	if c.Storage == nil {
		return nil
	}
	id := new(component.ID)
	if err := id.UnmarshalText([]byte(*c.Storage)); err != nil {
		errs.Add("storage", "must be the id of a storage extension, such as file_storage or file_storage/runs, is %q", *c.Storage)
	}
	return id
}

// fingerprint returns a short hash of the configuration, the same on every machine.
func (c *Config) fingerprint() string {
	text, err := json.Marshal(c) // map keys are sorted
	if err != nil {
		return "" // only infinities and NaN have no JSON, and settings refuses them
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:4])
}

// expectations converts a list of expectations, and also returns them in the form that [expect.Warnings] needs. metrics has the
// metrics in which no error was found.
func (c *Config) expectations(
	errs *configcheck.Errors, list []expect.Entry, metrics []evaluate.Metric, telemetry component.TelemetrySettings,
) (all []evaluate.Expectation, checked []expect.Valid) {
	parser, err := conditions.NewParser(telemetry)
	if err != nil {
		errs.Join(err)
		return nil, nil
	}
	names := map[string]string{}
	for _, entry := range list {
		config := entry.Config
		under := errs.Under(entry.Place)
		x := evaluate.Expectation{Name: cmp.Or(config.Name, entry.Name), FromAttribute: config.FromAttribute}
		if x.FromAttribute != "" {
			x.Parse = expect.Parse
		}
		if first, taken := names[x.Name]; taken {
			under.Add("name", "%q is the name of %s already", x.Name, first)
		}
		names[x.Name] = entry.Place
		if x.When = condition(under, config, parser); x.When != nil {
			x.Text, x.Required = config.When, conditions.Required(config.When)
		}
		x.Metrics = choice(under, config, metrics, c.metricNames())
		x.Cases = cases(under, config, parser, entry.Cases, telemetry)
		settings := config.Settings(under, parser)
		x.Expected = expect.Make(under, settings)
		if settings != nil {
			refuse(under, settings.NativeOnly(), "", x.Metrics, metrics)
		}
		if entry.Cases != nil {
			for _, use := range entry.Cases.NativeOnly {
				refuse(under, []string{use.Key}, fmt.Sprintf("the case in %s:%d ", entry.Cases.File, use.Line), x.Metrics, metrics)
			}
		}
		if c.Run.Scope != scopeConversation {
			if needs := "needs `run.scope: conversation`"; config.Turns != nil {
				under.Add("turns", "%s", needs)
			} else if entry.Cases != nil && entry.Cases.Turns > 0 {
				under.Add("dataset", "the case in %s:%d says turns, which %s", entry.Cases.File, entry.Cases.Turns, needs)
			}
		}
		all = append(all, x)
		checked = append(checked, expect.Valid{
			Place: entry.Place, Metrics: x.Metrics, When: config.When, Always: x.Always(),
			Decides:  x.Cases == nil || x.Cases.Report, // otherwise a later expectation may be tried
			Settings: settings, Expected: x.Expected,
		})
	}
	return all, checked
}

// refuse adds an error for each of metrics whose method does not support keys: see [expect.Refusals].
func refuse(errs *configcheck.Errors, keys []string, who string, metrics, all []evaluate.Metric) {
	for _, rule := range expect.Refusals(keys, who, metrics, all) {
		errs.Add("", "%s", rule)
	}
}

func condition(errs *configcheck.Errors, c *ExpectationConfig, parser *conditions.Parser) evaluate.Condition {
	if c.When == "" {
		return nil
	}
	compiled, err := parser.When(c.When)
	if err != nil {
		errs.Add("when", "%v", err)
		return nil
	}
	return compiled
}

// choice returns the metrics that the expectation names, in the order of all. A metric with an error is in known, but not in
// all.
func choice(errs *configcheck.Errors, c *ExpectationConfig, all []evaluate.Metric, known []string) []evaluate.Metric {
	if len(c.Metrics) == 0 {
		return all
	}
	for i, name := range c.Metrics {
		if !slices.Contains(known, name) {
			errs.Add(fmt.Sprintf("metrics[%d]", i), "must be one of the metrics (%s), is %q%s",
				strings.Join(known, ", "), name, configcheck.Suggestion(name, known))
		}
	}
	var chosen []evaluate.Metric
	for _, m := range all {
		if slices.Contains(c.Metrics, m.Name) {
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// The values of unknown_key.
const (
	unknownNext   = "next"
	unknownReport = "report"
)

// cases converts the dataset of an expectation. loaded is nil if a configuration is only checked. Only one goroutine at a time may
// look cases up.
func cases(
	errs *configcheck.Errors, c *ExpectationConfig, parser *conditions.Parser, loaded *expect.Cases, telemetry component.TelemetrySettings,
) *evaluate.Cases {
	if c.Dataset == nil {
		if c.UnknownKey != "" {
			errs.Add("unknown_key", "is for an expectation with a `dataset`")
		}
		return nil
	}
	if c.UnknownKey != "" {
		errs.OneOf("unknown_key", c.UnknownKey, unknownNext, unknownReport)
	}
	under := errs.Under("dataset")
	if c.Dataset.File == "" {
		under.Add("file", "must be a file of cases, is empty")
	}
	x := &evaluate.Cases{Text: c.Dataset.Key, Report: c.UnknownKey == unknownReport, File: c.Dataset.File}
	if c.Dataset.Key == "" {
		under.Add("key", `must be an OTTL value such as attributes["test.case.name"], is empty`)
		return x
	}
	key, err := parser.Key(c.Dataset.Key)
	if err != nil {
		under.Add("key", "%v", err)
		return x
	}
	x.Key = key
	if loaded != nil {
		ofCases, err := conditions.NewParser(telemetry)
		if err != nil {
			errs.Join(err)
			return x
		}
		ofCases.Remember(false)
		x.Find = func(key string) (*scoring.Expectation, bool, error) {
			return loaded.Find(key, ofCases)
		}
		x.Arguments, x.Output = loaded.Arguments, loaded.Output
	}
	return x
}

// method is a method's configuration.
type method interface {
	method(*configcheck.Errors) (scoring.Method, error)
	output() Output
}

func (o Output) output() Output { return o }

// metricNames returns the names of the metrics, sorted.
func (c *Config) metricNames() []string {
	if len(c.Metrics) == 0 {
		return []string{attributes.DefaultMetric}
	}
	return slices.Sorted(maps.Keys(c.Metrics))
}

// metrics makes the metrics, in the order of their names.
func (c *Config) metrics(errs *configcheck.Errors) []evaluate.Metric {
	var metrics []evaluate.Metric
	for _, name := range c.metricNames() {
		config, ok := c.Metrics[name]
		if !ok {
			config = MetricConfig{Native: &NativeConfig{}}
		}
		under := errs.Under("metrics." + name)
		if problem := attributes.NameProblem(name); problem != "" {
			errs.Add("metrics", "must have names that can be prefixes of attributes, not %q: %s", name, problem)
		}
		if m, ok := config.metric(under); ok {
			m.Name = name
			metrics = append(metrics, m)
		}
	}
	return metrics
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
		{"evalsharp", deepEval{c.EvalSharp, newEvalSharp}, c.EvalSharp != nil},
		{"galtea", c.Galtea, c.Galtea != nil},
		{"native", c.Native, c.Native != nil},
	} {
		if known.set {
			keys, m = append(keys, known.key), known.method
		}
	}
	if len(keys) != 1 {
		errs.Add("", "must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has %s",
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
	return evaluate.Metric{Method: made, Threshold: thresholdOf(made), Reason: o.IncludeReason == nil || *o.IncludeReason, Verbose: o.VerboseMode}, true
}

// thresholdOf returns the threshold of a method, which the verdict on an empty run has.
func thresholdOf(m scoring.Method) float64 {
	return m.Judge(&scoring.Expectation{}, []scoring.Call{}).Threshold
}

func (c *NativeConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultNative()
	configcheck.Enum(errs, "order", c.Order, &o.Order, scoring.Parse[scoring.Order], scoring.Words[scoring.Order]())
	configcheck.Enum(errs, "arguments", c.Arguments, &o.Arguments, scoring.Parse[scoring.ArgumentMode], scoring.Words[scoring.ArgumentMode]())
	configcheck.Enum(errs, "credit", c.Credit, &o.Credit, scoring.Parse[scoring.Credit], scoring.Words[scoring.Credit]())
	configcheck.Enum(errs, "output", c.OutputMode, &o.Output, scoring.Parse[scoring.OutputMode], scoring.Words[scoring.OutputMode]())
	configcheck.Enum(errs, "score", c.Score, &o.Score, scoring.Parse[scoring.Measure], scoring.Words[scoring.Measure]())
	configcheck.Enum(errs, "extra_calls", c.ExtraCalls, &o.ExtraCalls, scoring.Parse[scoring.ExtraCalls], scoring.Words[scoring.ExtraCalls]())
	configcheck.Enum(errs, "repeats", c.Repeats, &o.Repeats, scoring.Parse[scoring.Repeats], scoring.Words[scoring.Repeats]())
	configcheck.Enum(errs, "concurrent", c.Concurrent, &o.Concurrent, scoring.Parse[scoring.Concurrent], scoring.Words[scoring.Concurrent]())
	configcheck.Given(&o.Threshold, c.Threshold)
	configcheck.Given(&o.FuzzyThreshold, c.FuzzyThreshold)
	return scoring.NewNative(o)
}

func (c *AxionConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultAxion()
	o.CheckParameters, o.StrictOrder = c.CheckParameters, c.StrictOrder
	errs.Word("parameter_matching_strategy", c.ParameterMatchingStrategy, &o.ParameterMatchingStrategy, axionStrategies)
	errs.Word("scoring", c.Scoring, &o.Scoring, axionScorings)
	configcheck.Given(&o.FuzzyThreshold, c.FuzzyThreshold)
	configcheck.Given(&o.Threshold, c.Threshold)
	return scoring.NewAxion(o)
}

// deepEval configures one of the methods with DeepEval's options.
type deepEval struct {
	*DeepEvalConfig
	make func(scoring.DeepEvalOptions) (scoring.Method, error)
}

func newEvalSharp(o scoring.DeepEvalOptions) (scoring.Method, error) {
	return scoring.NewEvalSharp(scoring.EvalSharpOptions(o))
}

func (c deepEval) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultDeepEval()
	o.EvaluationParams = params(errs, c.EvaluationParams)
	o.ShouldExactMatch, o.ShouldConsiderOrdering, o.StrictMode = c.ShouldExactMatch, c.ShouldConsiderOrdering, c.StrictMode
	configcheck.Enum(errs, "uncaptured", c.Uncaptured, &o.Uncaptured, scoring.Parse[scoring.Uncaptured], scoring.Words[scoring.Uncaptured]())
	configcheck.Given(&o.Threshold, c.Threshold)
	return c.make(o)
}

func (c *GalteaConfig) method(*configcheck.Errors) (scoring.Method, error) {
	return scoring.NewGaltea(scoring.GalteaOptions{StripPrefixes: c.StripPrefixes, TrimSpace: c.TrimSpace})
}

func (c *EvalLibConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultEvalLib()
	o.ExactMatch, o.CheckOrdering = c.ExactMatch, c.CheckOrdering
	errs.Word("version", c.Version, &o.Version, evalLibVersions)
	configcheck.Given(&o.Threshold, c.Threshold)
	return scoring.NewEvalLib(o)
}

// The words of the reference methods. Their constructors reject all others too, but suggest none.
var (
	axionStrategies  = []string{"exact", "subset", "fuzzy"}
	axionScorings    = []string{"recall", "precision", "f1"}
	evaluationParams = []string{"tool", "input_parameters", "output"}
	evalLibVersions  = []string{"0.8", "0.7"}
)

// The words of annotate.as.
const (
	formNative    = "native"
	formLangWatch = "langwatch"
)

var formWords = []string{formNative, formLangWatch}

// langwatch parses annotate.as, and reports whether LangWatch's form is wanted. An empty list means native.
func (c *AnnotateConfig) langwatch(errs *configcheck.Errors) bool {
	for i, word := range c.As {
		if errs.OneOf(fmt.Sprintf("annotate.as[%d]", i), word, formWords...) && slices.Contains(c.As[:i], word) {
			errs.Add(fmt.Sprintf("annotate.as[%d]", i), "is listed twice: %q", word)
		}
	}
	if len(c.As) > 0 && !slices.Contains(c.As, formNative) {
		errs.Add("annotate.as", "must contain native, is [%s]", strings.Join(c.As, ", "))
	}
	return slices.Contains(c.As, formLangWatch)
}

// errorModes has the values of error_mode, in the order of their constants. Other Collector components have the same.
var errorModes = []string{"ignore", "silent", "propagate"}

func (c *Config) errorMode(errs *configcheck.Errors) evaluate.ErrorMode {
	word := errorModes[0]
	errs.Word("error_mode", c.ErrorMode, &word, errorModes)
	return evaluate.ErrorMode(slices.Index(errorModes, word)) //nolint:gosec // one of three
}

// params checks the words of evaluation_params. It accepts lower and upper case, as DeepEval and EvalSharp do in lists and in
// code.
func params(errs *configcheck.Errors, words []string) []string {
	var known []string
	for i, word := range words {
		if lower := strings.ToLower(word); slices.Contains(evaluationParams, lower) && (word == lower || word == strings.ToUpper(word)) {
			known = append(known, word)
			continue
		}
		errs.OneOf(fmt.Sprintf("evaluation_params[%d]", i), word, evaluationParams...)
	}
	return known
}

// inline returns the expectations of the configuration itself.
func (c *Config) inline() []expect.Entry {
	list := make([]expect.Entry, len(c.Expectations))
	for i := range c.Expectations {
		list[i] = expect.Entry{Config: &c.Expectations[i], Place: fmt.Sprintf("expectations[%d]", i), Name: strconv.Itoa(i)}
	}
	return list
}

// HasFiles reports whether expectations or cases are in files of their own.
func (c *Config) HasFiles() bool {
	for i := range c.Expectations {
		if d := c.Expectations[i].Dataset; d != nil && d.File != "" {
			return true
		}
	}
	return len(c.ExpectationFiles) > 0
}

// files is a [toolcorrectness.Source] that reads expectations from files.
type files struct{ *expect.Files }

func newFiles(c *Config, fingerprint string, metrics []evaluate.Metric, telemetry component.TelemetrySettings) files {
	return files{expect.New(expect.Config{
		Patterns: c.ExpectationFiles, Inline: c.inline, Fingerprint: fingerprint, Shorthands: shorthands,
		NewParser: func() (*conditions.Parser, error) { return conditions.NewParser(telemetry) },
		Make: func(list []expect.Entry) (evaluate.ExpectationSet, error) {
			errs := configcheck.New()
			return c.set(errs, list, metrics, telemetry), errs.Err()
		},
	})}
}

// Read implements [toolcorrectness.Source].
func (f files) Read(ctx context.Context) (*evaluate.ExpectationSet, error) {
	set, err := f.Files.Read(ctx)
	if errors.Is(err, expect.ErrUnsettled) {
		return nil, toolcorrectness.ErrUnsettled
	}
	return set, err
}
