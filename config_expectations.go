package toolcorrectnessprocessor

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/component"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/condition"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectation"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expectcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
)

// ExpectationConfig says which tools some runs are expected to call.
type ExpectationConfig struct {
	// Name is written on spans with a verdict. Empty: the expectation's index.
	Name string `mapstructure:"name"`

	// When is an OTTL condition in the span context. It is evaluated on the run's anchor. Empty: for every run.
	When string `mapstructure:"when"`

	// Metrics names the metrics that the expectation applies to. Empty: all. Each metric uses the first expectation that
	// applies to it and whose When holds.
	Metrics []string `mapstructure:"metrics"`

	// Tools are the expected tools. An empty list says that no tool is expected.
	Tools []ToolConfig `mapstructure:"tools"`

	// AnyOf has alternative lists of tools. The one with the best score counts. It replaces Tools.
	AnyOf [][]ToolConfig `mapstructure:"any_of"`

	// FromAttribute names the attribute of the anchor that holds the expected tools as JSON, of at most 256 KiB. It
	// replaces Tools.
	FromAttribute string `mapstructure:"from_attribute"`

	// Dataset is a file with the expected tools of many cases. The key of a run finds its case. It replaces Tools.
	Dataset *DatasetConfig `mapstructure:"dataset" json:",omitempty"`

	// UnknownKey says what happens to a run whose key no case has. "next", the default: the next expectation is tried.
	// "report": the run is not evaluable. Only with Dataset.
	UnknownKey string `mapstructure:"unknown_key" json:",omitempty"`

	// Forbidden are tools that must not be called.
	Forbidden []ToolConfig `mapstructure:"forbidden"`

	// MaxCalls bounds the calls of a run. A map bounds the calls of each tool that it names. 0: no bound.
	MaxCalls any `mapstructure:"max_calls"`
}

// ToolConfig is an expected tool. In YAML a plain string is a tool with that name.
type ToolConfig struct {
	Name string `mapstructure:"name"`

	// AnyOf are alternatives to Name.
	AnyOf []string `mapstructure:"any_of"`

	// Arguments is a map, or a string with a JSON object. The string keeps the order of keys and the form of numbers.
	Arguments any `mapstructure:"arguments"`

	// Output is any value. A string is a text, not JSON.
	Output any `mapstructure:"output"`

	// ArgumentsMatch overrides the argument mode of the native method for this tool.
	ArgumentsMatch string `mapstructure:"arguments_match"`

	// Count bounds how many calls are expected. Nil: exactly one.
	Count *CountConfig `mapstructure:"count"`

	// Optional tools may be called but need not be.
	Optional bool `mapstructure:"optional"`

	// IgnoreArguments lists paths of argument keys that are never compared: "request_id", "meta.*", "lines[*].id".
	IgnoreArguments []string `mapstructure:"ignore_arguments" json:",omitempty"`

	// ArgumentDefaults has values for keys that a call lacks. It has the forms of Arguments.
	ArgumentDefaults any `mapstructure:"argument_defaults" json:",omitempty"`

	// Where is an OTTL condition on a call: see package callcondition. Only calls on which it holds match.
	Where string `mapstructure:"where" json:",omitempty"`
}

// MarshalJSON writes 1.0 and 1 differently, because they are different to some methods. So the fingerprints differ.
func (c ToolConfig) MarshalJSON() ([]byte, error) {
	type plain ToolConfig // has no MarshalJSON, which would call itself
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

// MarshalJSON writes a nil MaxCalls as 0, so that older configurations keep their fingerprints.
func (c ExpectationConfig) MarshalJSON() ([]byte, error) {
	type plain ExpectationConfig // has no MarshalJSON, which would call itself
	p := plain(c)
	if p.MaxCalls == nil {
		p.MaxCalls = 0
	}
	return json.Marshal(p)
}

// CountConfig bounds how often a tool is expected.
type CountConfig struct {
	// Min is by default 1, or 0 for an optional tool.
	Min *int `mapstructure:"min"`

	// Max is unlimited by default.
	Max *int `mapstructure:"max"`
}

// expectations converts a list of expectations, and also returns them in the form that expectcheck needs. metrics has the
// metrics in which no error was found.
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
			x.Parse = expectation.Parse
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
		stated := config.stated()
		settings := stated.Settings(under, onCalls)
		x.Expected = expectation.Make(under, settings)
		refuse(under, stated.NativeOnly(), "", x.Metrics, metrics)
		refuseCases(under, entry.Cases, x.Metrics, metrics)
		all = append(all, x)
		checked = append(checked, expectcheck.Expectation{
			Place: entry.Place, Metrics: methods(x.Metrics), When: config.When, Always: x.Always(),
			Decides:  x.Cases == nil || x.Cases.Report, // otherwise a later expectation may be tried
			Settings: settings, Expected: x.Expected,
		})
	}
	return all, checked
}

// methods converts metrics to the form that expectcheck needs.
func methods(metrics []evaluate.Metric) []expectcheck.Metric {
	all := make([]expectcheck.Metric, len(metrics))
	for i := range metrics {
		all[i] = expectcheck.Metric{Name: metrics[i].Name, Method: metrics[i].Method}
	}
	return all
}

// refuse adds an error for each of metrics whose method does not support keys: see [expectcheck.Refusals].
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

// choice returns the metrics that the expectation names, in the order of all. A metric with an error is in known, but not in
// all.
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

// stated converts the tools and limits of the expectation.
func (c *ExpectationConfig) stated() *expectation.Expectation {
	x := &expectation.Expectation{
		Tools: toolsOf(c.Tools), Forbidden: toolsOf(c.Forbidden), MaxCalls: c.MaxCalls,
		FromAttribute: c.FromAttribute != "", Dataset: c.Dataset != nil,
	}
	for _, list := range c.AnyOf {
		x.AnyOf = append(x.AnyOf, toolsOf(list))
	}
	return x
}

// toolsOf converts a list. A nil list stays nil, because an empty list means something else.
func toolsOf(configs []ToolConfig) []expectation.Tool {
	if configs == nil {
		return nil
	}
	list := make([]expectation.Tool, len(configs))
	for i, c := range configs {
		list[i] = expectation.Tool{
			Name: c.Name, AnyOf: c.AnyOf, Arguments: c.Arguments, Output: c.Output, ArgumentsMatch: c.ArgumentsMatch,
			Count: (*expectation.Count)(c.Count), Optional: c.Optional, IgnoreArguments: c.IgnoreArguments,
			ArgumentDefaults: c.ArgumentDefaults, Where: c.Where,
		}
	}
	return list
}
