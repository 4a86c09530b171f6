package expect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestSettings(t *testing.T) {
	two, none := 2, 0
	for _, tc := range []struct {
		stated Expectation
		paths  []string
		reason string
	}{
		{Expectation{Tools: []Tool{}}, nil, "an empty list says that no tool is expected"},
		{Expectation{}, []string{""}, "nothing is said"},
		{Expectation{FromAttribute: "a"}, nil, "the attribute says it"},
		{Expectation{FromAttribute: "a", Dataset: &Dataset{}, Tools: []Tool{}}, []string{"from_attribute", "dataset"}, "three places say it"},
		{Expectation{Tools: []Tool{{Name: "a", Count: &Count{Max: &two}}}}, nil, "a most of two is a count"},
		{Expectation{Tools: []Tool{{Name: "a", Count: &Count{Max: &none}}}}, []string{"tools[0].count.max"}, "a tool that is never called is forbidden"},
		{Expectation{Tools: []Tool{{Name: "a", Arguments: "[1]"}}}, []string{"tools[0].arguments"}, "arguments are an object"},
		{Expectation{Forbidden: []Tool{{Name: "a", ArgumentsMatch: "exactly"}}}, []string{"forbidden[0].arguments_match"}, "no mode has that name"},
		{Expectation{MaxCalls: 0}, nil, "no call is allowed"},
		{Expectation{MaxRepeats: &none}, []string{"max_repeats"}, "a call that was never made is no repeat"},
		{Expectation{Allowed: []string{}}, nil, "no other tool is allowed"},
		{Expectation{Tools: []Tool{{Name: "a", Matchers: map[string]Matcher{"x": {}}}}}, []string{`tools[0].matchers["x"]`}, "a matcher has a rule"},
		{Expectation{Tools: []Tool{{Name: "a", Matchers: map[string]Matcher{"x": {Near: 1, Loose: "a"}}}}}, []string{`tools[0].matchers["x"]`}, "and only one"},
		{Expectation{MaxCalls: map[string]any{"a": 1.5}}, []string{`max_calls["a"]`}, "half a call is none"},
		{Expectation{MaxCalls: map[string]any{}}, []string{"max_calls"}, "an empty map limits nothing"},
	} {
		errs := configcheck.New()
		tc.stated.Settings(errs, nil)
		assert.Equal(t, tc.paths, errs.Paths(), tc.reason)
	}
}

func TestMaxCalls(t *testing.T) {
	for _, tc := range []struct {
		written any
		all     *int
		of      []scoring.CallLimit
		reason  string
	}{
		{nil, nil, nil, "nothing is said"},
		{3, new(3), nil, "one limit for all calls"},
		{json.Number("x"), nil, []scoring.CallLimit{{Name: "*", Max: 1 << 30}}, "a limit is stated, though it is wrong"},
		{map[string]any{"b*": 2, "a": 1}, nil, []scoring.CallLimit{{Name: "a", Max: 1}, {Name: "b*", Max: 2}}, "limits come in the order of their names"},
	} {
		x := Turn{MaxCalls: tc.written}
		all, of := x.maxCalls(configcheck.New())
		assert.Equal(t, tc.all, all, tc.reason)
		assert.Equal(t, tc.of, of, tc.reason)
	}
}

func TestParse(t *testing.T) {
	for _, tc := range []struct{ text, err, reason string }{
		{`["a", {"name": "b", "arguments": {"x": 1}}]`, "", "a list of tools"},
		{`{"tools": ["a"], "max_calls": 2}`, "", "an object with keys of an expectation"},
		{`"secret"`, "it is neither a JSON list of tools nor an object with the keys of an expectation", "a text is no list"},
		{`[{"name": "secret", "count": {"max": 0}}]`, "tools[0].count.max breaks a rule", "the path is no secret"},
		{`{"max_calls": {"secret": -1}}`, "max_calls breaks a rule", "the path ends before what the sender chose"},
		{`{"max_calls": {"secret": "2"}}`, "max_calls breaks a rule", "the path ends before what the sender chose"},
		{`[{"name": "a", "where": "index == 0"}]`, "it says where, and conditions are not taken from a span", "a sender must not choose what runs here"},
	} {
		x, err := Parse(tc.text)
		if tc.err == "" {
			require.NoError(t, err, tc.reason)
			assert.NotNil(t, x, tc.reason)
			continue
		}
		require.EqualError(t, err, tc.err, tc.reason)
		assert.Nil(t, x, tc.reason)
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
