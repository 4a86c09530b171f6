package toolcorrectnessprocessor

import (
	"maps"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// MetricConfig has exactly one method.
type MetricConfig struct {
	Native             *NativeConfig    `mapstructure:"native"`
	Axion              *AxionConfig     `mapstructure:"axion"`
	DeepEval           *DeepEvalConfig  `mapstructure:"deepeval"`
	DeepEvalMultimodal *DeepEvalConfig  `mapstructure:"deepeval_multimodal"`
	EvalSharp          *EvalSharpConfig `mapstructure:"evalsharp"`
	Galtea             *GalteaConfig    `mapstructure:"galtea"`
	EvalLib            *EvalLibConfig   `mapstructure:"eval_lib"`
}

// Output has the options that all methods share.
type Output struct {
	// IncludeReason writes the reason; true by default.
	IncludeReason *bool `mapstructure:"include_reason"`
	// VerboseMode logs the steps of the calculation at info level: names and scores only.
	VerboseMode bool `mapstructure:"verbose_mode"`
}

// NativeConfig has the options of the native method. Their defaults are those of scoring.DefaultNative.
type NativeConfig struct {
	Output         `mapstructure:",squash"`
	Order          string   `mapstructure:"order"`
	Arguments      string   `mapstructure:"arguments"`
	OutputMode     string   `mapstructure:"output"`
	Score          string   `mapstructure:"score"`
	ExtraCalls     string   `mapstructure:"extra_calls"`
	Repeats        string   `mapstructure:"repeats"`
	Concurrent     string   `mapstructure:"concurrent" json:",omitempty"`
	Threshold      *float64 `mapstructure:"threshold"`
	FuzzyThreshold *float64 `mapstructure:"fuzzy_threshold"`
}

// AxionConfig has the options of Axion's ToolCorrectness under their own names.
type AxionConfig struct {
	Output                    `mapstructure:",squash"`
	CheckParameters           bool     `mapstructure:"check_parameters"`
	StrictOrder               bool     `mapstructure:"strict_order"`
	ParameterMatchingStrategy string   `mapstructure:"parameter_matching_strategy"`
	FuzzyThreshold            *float64 `mapstructure:"fuzzy_threshold"`
	Scoring                   string   `mapstructure:"scoring"`
	Threshold                 *float64 `mapstructure:"threshold"`
}

// DeepEvalConfig has the options of DeepEval's ToolCorrectnessMetric under their own names.
type DeepEvalConfig struct {
	Output                 `mapstructure:",squash"`
	EvaluationParams       []string `mapstructure:"evaluation_params"`
	ShouldExactMatch       bool     `mapstructure:"should_exact_match"`
	ShouldConsiderOrdering bool     `mapstructure:"should_consider_ordering"`
	StrictMode             bool     `mapstructure:"strict_mode"`
	Threshold              *float64 `mapstructure:"threshold"`
	// Uncaptured says how arguments and outputs that were not captured count. "unknown", the default: the run is not
	// evaluable if they matter. "none": they count as not given.
	Uncaptured string `mapstructure:"uncaptured"`
}

// EvalSharpConfig has the options of EvalSharp's ToolCorrectnessMetric in snake case.
type EvalSharpConfig struct {
	Output                 `mapstructure:",squash"`
	EvaluationParams       []string `mapstructure:"evaluation_params"`
	ShouldExactMatch       bool     `mapstructure:"should_exact_match"`
	ShouldConsiderOrdering bool     `mapstructure:"should_consider_ordering"`
	StrictMode             bool     `mapstructure:"strict_mode"`
	Threshold              *float64 `mapstructure:"threshold"`
	// Uncaptured is as in DeepEvalConfig.
	Uncaptured string `mapstructure:"uncaptured"`
}

// GalteaConfig has the options of the method that follows Galtea's documentation.
type GalteaConfig struct {
	Output        `mapstructure:",squash"`
	StripPrefixes []string `mapstructure:"strip_prefixes"`
	TrimSpace     bool     `mapstructure:"trim_space"`
}

// EvalLibConfig has the options of eval_lib's ToolCorrectnessMetric under their own names.
type EvalLibConfig struct {
	Output        `mapstructure:",squash"`
	ExactMatch    bool     `mapstructure:"exact_match"`
	CheckOrdering bool     `mapstructure:"check_ordering"`
	Threshold     *float64 `mapstructure:"threshold"`
	// Version is "0.7" or "0.8"; empty is "0.8".
	Version string `mapstructure:"version"`
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

// chosen returns the methods of c under their keys.
func (c *MetricConfig) chosen() map[string]method {
	methods := map[string]method{}
	for key, m := range map[string]struct {
		method method
		set    bool
	}{
		"native":              {c.Native, c.Native != nil},
		"axion":               {c.Axion, c.Axion != nil},
		"deepeval":            {c.DeepEval, c.DeepEval != nil},
		"deepeval_multimodal": {multimodal{c.DeepEvalMultimodal}, c.DeepEvalMultimodal != nil},
		"evalsharp":           {c.EvalSharp, c.EvalSharp != nil},
		"galtea":              {c.Galtea, c.Galtea != nil},
		"eval_lib":            {c.EvalLib, c.EvalLib != nil},
	} {
		if m.set {
			methods[key] = m.method
		}
	}
	return methods
}

func (c *MetricConfig) metric(errs *configcheck.Errors) (evaluate.Metric, bool) {
	methods := c.chosen()
	keys := slices.Sorted(maps.Keys(methods))
	if len(keys) != 1 {
		has := "none"
		if len(keys) > 0 {
			has = strings.Join(keys, " and ")
		}
		errs.Add("", "must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has %s", has)
		return evaluate.Metric{}, false
	}
	m := methods[keys[0]]
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
	configcheck.Enum(errs, "order", c.Order, &o.Order, scoring.ParseOrder, scoring.OrderWords())
	configcheck.Enum(errs, "arguments", c.Arguments, &o.Arguments, scoring.ParseArgumentMode, scoring.ArgumentModeWords())
	configcheck.Enum(errs, "output", c.OutputMode, &o.Output, scoring.ParseOutputMode, scoring.OutputModeWords())
	configcheck.Enum(errs, "score", c.Score, &o.Score, scoring.ParseMeasure, scoring.MeasureWords())
	configcheck.Enum(errs, "extra_calls", c.ExtraCalls, &o.ExtraCalls, scoring.ParseExtraCalls, scoring.ExtraCallsWords())
	configcheck.Enum(errs, "repeats", c.Repeats, &o.Repeats, scoring.ParseRepeats, scoring.RepeatsWords())
	configcheck.Enum(errs, "concurrent", c.Concurrent, &o.Concurrent, scoring.ParseConcurrent, scoring.ConcurrentWords())
	configcheck.Given(&o.Threshold, c.Threshold)
	configcheck.Given(&o.FuzzyThreshold, c.FuzzyThreshold)
	return scoring.NewNative(o)
}

func (c *AxionConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultAxion()
	o.CheckParameters, o.StrictOrder = c.CheckParameters, c.StrictOrder
	configcheck.Enum(errs, "parameter_matching_strategy", c.ParameterMatchingStrategy, &o.ParameterMatchingStrategy, configcheck.WordIn(axionStrategies), axionStrategies)
	configcheck.Enum(errs, "scoring", c.Scoring, &o.Scoring, configcheck.WordIn(axionScorings), axionScorings)
	configcheck.Given(&o.FuzzyThreshold, c.FuzzyThreshold)
	configcheck.Given(&o.Threshold, c.Threshold)
	return scoring.NewAxion(o)
}

func (c *DeepEvalConfig) options(errs *configcheck.Errors) scoring.DeepEvalOptions {
	o := scoring.DefaultDeepEval()
	o.EvaluationParams = params(errs, c.EvaluationParams)
	o.ShouldExactMatch, o.ShouldConsiderOrdering, o.StrictMode = c.ShouldExactMatch, c.ShouldConsiderOrdering, c.StrictMode
	configcheck.Enum(errs, "uncaptured", c.Uncaptured, &o.Uncaptured, scoring.ParseUncaptured, scoring.UncapturedWords())
	configcheck.Given(&o.Threshold, c.Threshold)
	return o
}

func (c *DeepEvalConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	return scoring.NewDeepEval(c.options(errs))
}

// multimodal configures DeepEval's multimodal metric, which has the same options.
type multimodal struct{ *DeepEvalConfig }

func (c multimodal) method(errs *configcheck.Errors) (scoring.Method, error) {
	return scoring.NewDeepEvalMultimodal(c.options(errs))
}

func (c *EvalSharpConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultEvalSharp()
	o.EvaluationParams = params(errs, c.EvaluationParams)
	o.ShouldExactMatch, o.ShouldConsiderOrdering, o.StrictMode = c.ShouldExactMatch, c.ShouldConsiderOrdering, c.StrictMode
	configcheck.Enum(errs, "uncaptured", c.Uncaptured, &o.Uncaptured, scoring.ParseUncaptured, scoring.UncapturedWords())
	configcheck.Given(&o.Threshold, c.Threshold)
	return scoring.NewEvalSharp(o)
}

func (c *GalteaConfig) method(*configcheck.Errors) (scoring.Method, error) {
	return scoring.NewGaltea(scoring.GalteaOptions{StripPrefixes: c.StripPrefixes, TrimSpace: c.TrimSpace})
}

func (c *EvalLibConfig) method(errs *configcheck.Errors) (scoring.Method, error) {
	o := scoring.DefaultEvalLib()
	o.ExactMatch, o.CheckOrdering = c.ExactMatch, c.CheckOrdering
	configcheck.Enum(errs, "version", c.Version, &o.Version, configcheck.WordIn(evalLibVersions), evalLibVersions)
	configcheck.Given(&o.Threshold, c.Threshold)
	return scoring.NewEvalLib(o)
}
