package expect

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// written is a value as the file has it.
func written(t *testing.T, v any) string {
	t.Helper()
	text, is := v.(json.RawMessage)
	require.True(t, is)
	return string(text)
}

// Arguments and outputs keep how they were written: the order of keys, and 1.0 apart from 1.
func TestValues(t *testing.T) {
	x, _ := parseCase(configcheck.New(), `{"tools": [{"arguments": {"b": 1.0, "a": 1}, "output": "ok"}, {"arguments": "{}", "output": [1.0]}, {"arguments": null}]}`)
	require.NotNil(t, x)
	assert.Equal(t, `{"b": 1.0, "a": 1}`, written(t, x.Tools[0].Arguments), "JSON as it is written")
	assert.Equal(t, "ok", x.Tools[0].Output, "a string is a text")
	assert.Equal(t, "{}", x.Tools[1].Arguments, "a string may hold an object")
	assert.Equal(t, "[1.0]", written(t, x.Tools[1].Output), "JSON as it is written")
	assert.Nil(t, x.Tools[2].Arguments, "null says nothing")
	assert.Nil(t, x.Tools[2].Output, "what is left out says nothing")
}

// An attribute has the tools of a case. An error names the element and the key, and nothing that the sender wrote.
func TestParse(t *testing.T) {
	for _, tc := range []struct{ text, want, reason string }{
		{`["a", {"name": "b", "arguments": {"x": 1.0}}]`, `a null null b {"x": 1.0} null`, "payloads are kept as they are written"},
		{`[{"name": "b", "arguments": null, "arguments": {"x": "y"}}]`, `b {"x":"y"} null`, "of a repeated key the last value counts"},
		{`[{"name": "b", "arguments": null, "arguments": 5}]`, "tools[0].arguments breaks a rule", "of a repeated key the last value counts, which may be wrong"},
		{`[{"name": "b", "arguments": "{\"x\": 1}", "output": "{}"}]`, `b {"x": 1} "{}"`, "arguments may be a text with an object, and an output is a text"},
		{` {"tools": ["a"]}`, "a null null", "an object"},
		{`[{"name": "b", "matchers": {"x": {"near": 1, "within": 0.5}}}]`, `b {} null`, "a tolerance may be a number"},
		{`[{"name": "b", "matchers": {"x": {"near": 1, "within": "5%"}}}]`, `b {} null`, "or a share"},
		{`null`, "it is not a JSON array", "no list"},
		{`["a"], "max_calls": 3`, "it is not a JSON array", "more than a list"},
		{`["a", 7]`, "tools[1] is neither the name of a tool nor an object with the keys of a tool", "a number is no name"},
		{`[null]`, "tools[0] is neither", "nothing is no name"},
		{`["a", {"name": "b", "secret": 1}]`, "tools[1] is neither", "an unknown key"},
		{`["a", {"name": "b", "count": {"secret": 1}}]`, "tools[1] is neither", "a key below it"},
		{`{"forbidden": [{"name": 5}]}`, "forbidden[0] is neither", "in another list"},
		{`{"any_of": [["a"], ["b", {"secret": []}]]}`, "any_of[1][1] is neither", "in a list of lists"},
		{`{"secret": []}`, "it is neither a JSON list of tools nor an object with the keys of an expectation", "an unknown key at the top"},
		{`["a", ""]`, "tools[1].name breaks a rule", "an empty name"},
		{`["a", {"name": "b", "arguments": "secret"}]`, "tools[1].arguments breaks a rule", "arguments are an object"},
		{`[{"name": "b", "matchers": {"secret": {}}}]`, "tools[0].matchers breaks a rule", "a key in quotes is the sender's"},
	} {
		x, err := Parse(tc.text)
		if err != nil {
			assert.Regexp(t, "^"+regexp.QuoteMeta(tc.want), err.Error(), tc.reason)
			assert.NotContains(t, err.Error(), "secret", tc.reason)
			continue
		}
		var parts []string
		for _, tool := range x.Tools() {
			parts = append(parts, tool.Name, string(tool.Arguments.AppendJSON(nil)), string(tool.Output.AppendJSON(nil)))
		}
		assert.Equal(t, tc.want, strings.Join(parts, " "), tc.reason)
	}
}

// A case has the keys of a configuration.
func TestKeysHaveOneNameInYAMLAndJSON(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Turn](), reflect.TypeFor[Tool](), reflect.TypeFor[Matcher](), reflect.TypeFor[Count]()} {
		for field := range typ.Fields() {
			assert.Equal(t, field.Tag.Get("json")+",omitempty", field.Tag.Get("mapstructure"), field.Name)
		}
	}
}

// FuzzParse: there is an expectation or an error. No error has a text of the attribute.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`["a", {"name": "b*", "count": {"min": 1, "max": 2}}]`, `{"any_of": [["a"], [{"any_of": ["b", "c"], "optional": true}]], "forbidden": ["d"]}`,
		`{"tools": [{"name": "a", "arguments": "{\"k\": 1.0}", "arguments_match": "exact", "output": [1]}], "max_calls": {"a": 3}}`,
		`[{"name": "a", "arguments": {"k": 1}, "ignore_arguments": ["k.*"], "argument_defaults": {"k": 2}}]`, `{"tools": 5}`, `{}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const canary = "canary-4711"
		text = strings.ReplaceAll(text, `"a"`, `"`+canary+`"`)
		x, err := Parse(text)
		if (x == nil) != (err != nil) {
			t.Fatalf("%s: an expectation is there: %v, and the error is %v", text, x != nil, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), canary) {
				t.Errorf("%s: the error has a text of the attribute: %v", text, err)
			}
			return
		}
	})
}

// A sender may write the list, and each fault is compared with the values that could not be read before.
func TestFaultsOfALongListAreNotAllCollected(t *testing.T) {
	errs := configcheck.New()
	parseCase(errs, `{"tools":[`+strings.Repeat("7,", 20_000)+`7]}`)
	all, ok := errs.Err().(interface{ Unwrap() []error })
	require.True(t, ok)
	assert.Len(t, all.Unwrap(), 1000)
}
