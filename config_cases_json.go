package toolcorrectnessprocessor

import (
	"encoding/json"
	"errors"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// caseJSON is a case as its line has it. Decoding into it takes a tenth of the time that the general way of a configuration
// takes, so a million cases are read in seconds.
type caseJSON struct {
	Key       string       `json:"key"`
	Tools     []toolJSON   `json:"tools"`
	AnyOf     [][]toolJSON `json:"any_of"`
	Forbidden []toolJSON   `json:"forbidden"`
	MaxCalls  any          `json:"max_calls"`
}

// toolJSON is a [ToolConfig] in JSON: the tool's name, or an object.
type toolJSON struct {
	Name           string          `json:"name"`
	AnyOf          []string        `json:"any_of"`
	Arguments      json.RawMessage `json:"arguments"`
	Output         json.RawMessage `json:"output"`
	ArgumentsMatch string          `json:"arguments_match"`
	Where          string          `json:"where"`

	IgnoreArguments  []string        `json:"ignore_arguments"`
	ArgumentDefaults json.RawMessage `json:"argument_defaults"`
	Count            *countJSON      `json:"count"`
	Optional         bool            `json:"optional"`
}

type countJSON struct {
	Min *int `json:"min"`
	Max *int `json:"max"`
}

// UnmarshalJSON takes a plain string for the name.
func (t *toolJSON) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		return json.Unmarshal(text, &t.Name)
	case '{':
		type plain toolJSON // without this method
		return strictJSON(text, (*plain)(t))
	}
	return errors.New("a tool must be the name of a tool, or an object")
}

// config keeps the order of keys and the form of numbers in arguments and output.
func (t *toolJSON) config() ToolConfig {
	c := ToolConfig{
		Name: t.Name, AnyOf: t.AnyOf, ArgumentsMatch: t.ArgumentsMatch, Where: t.Where, Optional: t.Optional,
		IgnoreArguments: t.IgnoreArguments, Arguments: objectOf(t.Arguments), ArgumentDefaults: objectOf(t.ArgumentDefaults), Output: valueOf(t.Output),
	}
	if t.Count != nil {
		c.Count = &CountConfig{Min: t.Count.Min, Max: t.Count.Max}
	}
	return c
}

// objectOf is an object as a string that holds it, which is one of its forms in a configuration.
func objectOf(text json.RawMessage) any {
	v := valueOf(text)
	if raw, is := v.(configcheck.RawJSON); is {
		return string(raw)
	}
	return v
}

// valueOf is nil for nothing and null, a string for a text, and JSON for all else.
func valueOf(text json.RawMessage) any {
	switch {
	case len(text) == 0 || string(text) == "null":
		return nil
	case text[0] == '"':
		var s string
		if json.Unmarshal(text, &s) == nil {
			return s
		}
	}
	return configcheck.RawJSON(text)
}

// toolsOf converts a list. A nil list stays nil, because an empty list means something else.
func toolsOf(list []toolJSON) []ToolConfig {
	if list == nil {
		return nil
	}
	tools := make([]ToolConfig, len(list))
	for i := range list {
		tools[i] = list[i].config()
	}
	return tools
}

func listsOf(lists [][]toolJSON) (all [][]ToolConfig) {
	for _, list := range lists {
		all = append(all, toolsOf(list))
	}
	return all
}
