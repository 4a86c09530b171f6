package toolcorrectnessprocessor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// ExpectationConfig says which runs it is for, and which tools they are expected to call.
type ExpectationConfig struct {
	// Name is written on judged spans. Empty: the expectation's index.
	Name string `mapstructure:"name"`

	// When is an OTTL condition in the span context. It is evaluated on the run's anchor. Empty: for every run.
	When string `mapstructure:"when"`

	// Metrics are the names of the metrics that the expectation is for. Empty: all. Each metric uses the first
	// expectation that is for it and whose When holds.
	Metrics []string `mapstructure:"metrics"`

	// Tools are the expected tools. An empty list says that no tool is expected.
	Tools []ToolConfig `mapstructure:"tools"`

	// AnyOf are several good lists of tools. The one with the best score counts. It replaces Tools.
	AnyOf [][]ToolConfig `mapstructure:"any_of"`

	// FromAttribute names the attribute of the anchor that holds the expected tools as JSON, of at most 256 KiB. It
	// replaces Tools.
	FromAttribute string `mapstructure:"from_attribute"`

	// Dataset has the expected tools of many cases in a file. Each run finds its case by a key. It replaces Tools.
	Dataset *DatasetConfig `mapstructure:"dataset" json:",omitempty"`

	// UnknownKey is "next" (also empty: a run with a key that no case has asks the next expectation) or "report" (it is not
	// evaluable). Only with Dataset.
	UnknownKey string `mapstructure:"unknown_key" json:",omitempty"`

	// Forbidden are tools that must not be called.
	Forbidden []ToolConfig `mapstructure:"forbidden"`

	// MaxCalls is how many calls a run may have, or a map from names of tools to how many calls of them. 0: any number.
	MaxCalls any `mapstructure:"max_calls"`
}

// ToolConfig is an expected tool. In YAML a plain string is a tool with that name.
type ToolConfig struct {
	Name string `mapstructure:"name"`

	// AnyOf are alternatives to Name.
	AnyOf []string `mapstructure:"any_of"`

	// Arguments are a map, or a string with a JSON object. The string keeps the order of keys and the form of numbers.
	Arguments any `mapstructure:"arguments"`

	// Output is any value. A string is a text, not JSON.
	Output any `mapstructure:"output"`

	// ArgumentsMatch overrides the argument mode of the native method for this tool.
	ArgumentsMatch string `mapstructure:"arguments_match"`

	// Count is how many calls are expected. Nothing: one.
	Count *CountConfig `mapstructure:"count"`

	// Optional tools may be called but need not be.
	Optional bool `mapstructure:"optional"`

	// IgnoreArguments are keys of arguments that are never compared: "request_id", "meta.*", "lines[*].id".
	IgnoreArguments []string `mapstructure:"ignore_arguments" json:",omitempty"`

	// ArgumentDefaults are values that count where a call lacks a key. They have the forms of Arguments.
	ArgumentDefaults any `mapstructure:"argument_defaults" json:",omitempty"`

	// Where is an OTTL condition on a call: see package callcondition. Only calls on which it holds match.
	Where string `mapstructure:"where" json:",omitempty"`
}

// MarshalJSON writes 1.0 and 1 differently, because some methods compare them as different. So the fingerprints of such
// configurations differ.
func (c ToolConfig) MarshalJSON() ([]byte, error) {
	type plain ToolConfig // without this method
	p := plain(c)
	for _, v := range []*any{&p.Arguments, &p.Output, &p.ArgumentDefaults} {
		if v == &p.ArgumentDefaults && *v == nil {
			continue // older configurations keep their fingerprints
		}
		text, err := configcheck.AppendJSON(nil, *v)
		if err != nil {
			return nil, err
		}
		*v = json.RawMessage(text)
	}
	return json.Marshal(p)
}

// CountConfig bounds how often a tool is expected.
type CountConfig struct {
	// Min is 1 by default, and 0 for an optional tool.
	Min *int `mapstructure:"min"`

	// Max is unlimited by default.
	Max *int `mapstructure:"max"`
}

// expectations converts a list of expectations, and returns what is checked of them as well. metrics are all metrics that
// have no error.
func (c *Config) expectations(
	errs *configcheck.Errors, list []listed, metrics []evaluate.Metric, telemetry component.TelemetrySettings,
) (all []evaluate.Expectation, checked []expectcheck.Expectation) {
	parser, err := ottltext.NewSpanParser(telemetry)
	if err != nil {
		errs.Join(err)
		return nil, nil
	}
	onCalls, err := ottltext.NewCallParser(telemetry)
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
			x.Parse = parseAttribute
		}
		if first, taken := names[x.Name]; taken {
			under.Add("name", "%q is the name of %s already", x.Name, first)
		}
		names[x.Name] = entry.Place
		if x.When = config.condition(under, parser); x.When != nil {
			x.Text, x.Required = config.When, condition.Required(config.When)
		}
		x.Metrics = config.choice(under, metrics, c.metricNames())
		x.Cases = config.cases(under, parser, onCalls, entry.Cases)
		settings := config.stated(under, onCalls)
		x.Expected = expectation(under, settings)
		refuse(under, config.nativeOnly(), "", x.Metrics, metrics)
		refuseCases(under, entry.Cases, x.Metrics, metrics)
		all = append(all, x)
		checked = append(checked, expectcheck.Expectation{
			Place: entry.Place, Metrics: methods(x.Metrics), When: config.When, Always: x.Always(),
			Decides:  x.Cases == nil || x.Cases.Report, // another may be asked otherwise
			Settings: settings, Expected: x.Expected,
		})
	}
	return all, checked
}

// methods are the metrics as they are checked.
func methods(metrics []evaluate.Metric) []expectcheck.Metric {
	all := make([]expectcheck.Metric, len(metrics))
	for i := range metrics {
		all[i] = expectcheck.Metric{Name: metrics[i].Name, Method: metrics[i].Method}
	}
	return all
}

// refuse adds an error for each of metrics whose method does not understand keys: see [expectcheck.Refusals].
func refuse(errs *configcheck.Errors, keys []string, who string, metrics, all []evaluate.Metric) {
	for _, rule := range expectcheck.Refusals(keys, who, methods(metrics), methods(all)) {
		errs.Add("", "%s", rule)
	}
}

func (c *ExpectationConfig) condition(errs *configcheck.Errors, parser *ottltext.SpanParser) evaluate.Condition {
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

// choice are the metrics that the expectation names, in the order of all. A name that is in known but not in all is that of
// a metric with an error.
func (c *ExpectationConfig) choice(errs *configcheck.Errors, all []evaluate.Metric, known []string) []evaluate.Metric {
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

// expected is nil if an attribute of the anchor has the expected tools, or if there is an error.
func (c *ExpectationConfig) expected(errs *configcheck.Errors, parser *ottltext.CallParser) *scoring.Expectation {
	return expectation(errs, c.stated(errs, parser))
}

// expectation is nil for nil settings, or if there is an error.
func expectation(errs *configcheck.Errors, settings *scoring.ExpectationSettings) *scoring.Expectation {
	if settings == nil {
		return nil
	}
	x, err := scoring.NewExpectation(*settings)
	if err != nil {
		errs.Join(err)
		return nil
	}
	return x
}

// stated is what the expectation says itself. It is nil if the expected tools stand in an attribute or in a dataset, or if
// nothing is said.
func (c *ExpectationConfig) stated(errs *configcheck.Errors, parser *ottltext.CallParser) *scoring.ExpectationSettings {
	says := []struct {
		key  string
		said bool
	}{{"tools", c.Tools != nil}, {"any_of", len(c.AnyOf) > 0}, {"forbidden", len(c.Forbidden) > 0}, {"max_calls", c.limitsCalls()}}
	for _, source := range []struct {
		key  string
		used bool
	}{{"from_attribute", c.FromAttribute != ""}, {"dataset", c.Dataset != nil}} {
		if !source.used {
			continue
		}
		for _, x := range says {
			if x.said {
				errs.Add(source.key, "stands instead of `%s`, not beside it", x.key)
			}
		}
		if source.key == "from_attribute" && c.Dataset != nil {
			errs.Add("dataset", "stands instead of `from_attribute`, not beside it")
		}
		return nil
	}
	if !says[0].said && !says[1].said && !says[2].said && !says[3].said {
		errs.Add("", "says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden` or `max_calls`")
		return nil
	}
	settings := &scoring.ExpectationSettings{
		Tools: tools(errs, "tools", c.Tools, parser), Forbidden: tools(errs, "forbidden", c.Forbidden, parser),
	}
	settings.MaxCalls, settings.MaxCallsOf = c.maxCalls(errs)
	for i, list := range c.AnyOf {
		settings.AnyOf = append(settings.AnyOf, tools(errs, fmt.Sprintf("any_of[%d]", i), list, parser))
	}
	return settings
}

// tools converts a list of tools. A nil list stays nil, because an empty list means something else.
func tools(errs *configcheck.Errors, path string, configs []ToolConfig, parser *ottltext.CallParser) []scoring.Tool {
	if configs == nil {
		return nil
	}
	list := make([]scoring.Tool, len(configs))
	for i := range configs {
		list[i] = configs[i].tool(errs.Under(path+"["+strconv.Itoa(i)+"]"), parser)
	}
	return list
}

func (c *ToolConfig) tool(errs *configcheck.Errors, parser *ottltext.CallParser) scoring.Tool {
	t := scoring.Tool{Name: c.Name, Names: c.AnyOf, Optional: c.Optional}
	configcheck.Enum(errs, "arguments_match", c.ArgumentsMatch, &t.Match, scoring.ParseArgumentMode, scoring.ArgumentModeWords())
	if c.Count != nil {
		t.Count = c.Count.count(errs.Under("count"), c.Optional)
	}
	t.Arguments = errs.Arguments("arguments", c.Arguments)
	t.IgnoreArguments = c.IgnoreArguments
	if defaults := errs.Arguments("argument_defaults", c.ArgumentDefaults); defaults.IsObject() {
		t.ArgumentDefaults = defaults // else there is an error
	}
	t.Output = errs.Output("output", c.Output)
	t.Where = c.where(errs, parser)
	return t
}

func (c *CountConfig) count(errs *configcheck.Errors, optional bool) scoring.Count {
	n := scoring.Count{Min: 1, Max: scoring.Unlimited}
	if optional {
		n.Min = 0
	}
	given(&n.Min, c.Min)
	given(&n.Max, c.Max)
	if c.Max != nil && *c.Max <= 0 {
		errs.Add("max", "must be at least 1, is %d (a tool that must not be called belongs under `forbidden`)", *c.Max)
	}
	return n
}

// where compiles the condition of a tool. It is nil if there is none, or an error.
func (c *ToolConfig) where(errs *configcheck.Errors, parser *ottltext.CallParser) scoring.Condition {
	if c.Where == "" {
		return nil
	}
	compiled, err := parser.Where(c.Where)
	if err != nil {
		errs.Add("where", "%v", err)
		return nil
	}
	return compiled
}
