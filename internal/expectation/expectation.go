package expectation

import (
	"fmt"
	"strconv"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/ottltext"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// An Expectation is what is expected of a run, as it was written.
type Expectation struct {
	Tools     []Tool
	AnyOf     [][]Tool
	Forbidden []Tool
	// MaxCalls is a whole number, or a map from names of tools to one. Nil and 0 say nothing.
	MaxCalls any
	// FromAttribute and Dataset say that the expected tools stand in an attribute of the anchor, or in a file of cases.
	FromAttribute, Dataset bool
}

// A Tool is an expected tool as it was written. Each field is that of the configuration's tool.
type Tool struct {
	Name             string
	AnyOf            []string
	Arguments        any
	Output           any
	ArgumentsMatch   string
	Count            *Count
	Optional         bool
	IgnoreArguments  []string
	ArgumentDefaults any
	Where            string
}

// A Count bounds how often a tool is expected.
type Count struct{ Min, Max *int }

// Compile is what the expectation says itself, compiled. It is nil if the expected tools stand elsewhere, or if there is an
// error. parser compiles conditions on calls, and may be nil if there are none.
func (x *Expectation) Compile(errs *configcheck.Errors, parser *ottltext.CallParser) *scoring.Expectation {
	return Make(errs, x.Settings(errs, parser))
}

// Make is nil for nil settings, or if there is an error.
func Make(errs *configcheck.Errors, settings *scoring.ExpectationSettings) *scoring.Expectation {
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

// Settings are what the expectation says itself. They are nil if the expected tools stand in an attribute or in a dataset, or if
// nothing is said.
func (x *Expectation) Settings(errs *configcheck.Errors, parser *ottltext.CallParser) *scoring.ExpectationSettings {
	says := []struct {
		key  string
		said bool
	}{{"tools", x.Tools != nil}, {"any_of", len(x.AnyOf) > 0}, {"forbidden", len(x.Forbidden) > 0}, {"max_calls", x.limitsCalls()}}
	for _, source := range []struct {
		key  string
		used bool
	}{{"from_attribute", x.FromAttribute}, {"dataset", x.Dataset}} {
		if !source.used {
			continue
		}
		for _, own := range says {
			if own.said {
				errs.Add(source.key, "must not be combined with `%s`", own.key)
			}
		}
		if source.key == "from_attribute" && x.Dataset {
			errs.Add("dataset", "must not be combined with `from_attribute`")
		}
		return nil
	}
	if !says[0].said && !says[1].said && !says[2].said && !says[3].said {
		errs.Add("", "says nothing: give `tools`, `any_of`, `from_attribute`, `dataset`, `forbidden` or `max_calls`")
		return nil
	}
	settings := &scoring.ExpectationSettings{
		Tools: tools(errs, "tools", x.Tools, parser), Forbidden: tools(errs, "forbidden", x.Forbidden, parser),
	}
	settings.MaxCalls, settings.MaxCallsOf = x.maxCalls(errs)
	for i, list := range x.AnyOf {
		settings.AnyOf = append(settings.AnyOf, tools(errs, fmt.Sprintf("any_of[%d]", i), list, parser))
	}
	return settings
}

// tools converts a list of tools. A nil list stays nil, because an empty list means something else.
func tools(errs *configcheck.Errors, path string, stated []Tool, parser *ottltext.CallParser) []scoring.Tool {
	if stated == nil {
		return nil
	}
	list := make([]scoring.Tool, len(stated))
	for i := range stated {
		list[i] = stated[i].tool(errs.Under(path+"["+strconv.Itoa(i)+"]"), parser)
	}
	return list
}

func (c *Tool) tool(errs *configcheck.Errors, parser *ottltext.CallParser) scoring.Tool {
	t := scoring.Tool{Name: c.Name, Names: c.AnyOf, Optional: c.Optional}
	configcheck.Enum(errs, "arguments_match", c.ArgumentsMatch, &t.Match, scoring.Parse[scoring.ArgumentMode], scoring.Words[scoring.ArgumentMode]())
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

func (c *Count) count(errs *configcheck.Errors, optional bool) scoring.Count {
	n := scoring.Count{Min: 1, Max: scoring.Unlimited}
	if optional {
		n.Min = 0
	}
	configcheck.Given(&n.Min, c.Min)
	configcheck.Given(&n.Max, c.Max)
	if c.Max != nil && *c.Max <= 0 {
		errs.Add("max", "must be at least 1, is %d (a tool that must not be called belongs under `forbidden`)", *c.Max)
	}
	return n
}

// where compiles the condition of a tool. It is nil if there is none, or an error.
func (c *Tool) where(errs *configcheck.Errors, parser *ottltext.CallParser) scoring.Condition {
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
