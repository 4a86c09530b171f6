package expect

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

// Errors of a case are for the person who wrote it.
func TestParseCase(t *testing.T) {
	for _, tc := range []struct{ claim, text, want, reason string }{
		{"a case", `{"key": "a", "tools": ["x", {"name": "y"}]}`, "", "a tool is a name or an object"},
		{"several lists", `{"any_of": [["x"], []], "max_calls": {"x": 1}}`, "", "whether the key may be empty is for the caller"},
		{"no JSON", `key: a`, "is no JSON: ", "YAML in a file of lines"},
		{"half a case", `{"key": "a"`, "is no JSON: unexpected EOF", "a program is writing it"},
		{"a list", `[1]`, "must be a JSON object with a key and what is expected, is an array", "one document instead of lines"},
		{"a number", `5`, "must be a JSON object with a key and what is expected, is a number", "the kind is named, with its article"},
		{"a wrong kind", `{"tools": [{"optional": "yes"}]}`, "optional: is a string, which is no value of this key", "the key is named"},
		{"a misspelt key", `{"tool": []}`, `tool: is no key of a case (did you mean "tools"?)`, "the key that was meant is close"},
		{"a key of expectations", `{"when": "true"}`, "when: is no key of a case: its key says which runs are of it", "the reason is said instead of a suggestion"},
		{"a tool of another kind", `{"tools": [5]}`, "a tool must be the name of a tool, or an object", "no Go type is named"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			errs := configcheck.New()
			x, _ := parseCase(errs, tc.text)
			if tc.want == "" {
				require.NoError(t, errs.Err(), tc.reason)
				assert.NotNil(t, x)
				return
			}
			require.ErrorContains(t, errs.Err(), tc.want, tc.reason)
			assert.Nil(t, x)
		})
	}
}

// Arguments and outputs keep how they were written: the order of keys, and 1.0 apart from 1.
func TestValues(t *testing.T) {
	x, _ := parseCase(configcheck.New(), `{"tools": [{"arguments": {"b": 1.0, "a": 1}, "output": "ok"}, {"arguments": "{}", "output": [1.0]}, {"arguments": null}]}`)
	require.NotNil(t, x)
	assert.Equal(t, configcheck.RawJSON(`{"b": 1.0, "a": 1}`), x.Tools[0].Arguments, "JSON as it is written")
	assert.Equal(t, "ok", x.Tools[0].Output, "a string is a text")
	assert.Equal(t, "{}", x.Tools[1].Arguments, "a string may hold an object")
	assert.Equal(t, configcheck.RawJSON("[1.0]"), x.Tools[1].Output, "JSON as it is written")
	assert.Nil(t, x.Tools[2].Arguments, "null says nothing")
	assert.Nil(t, x.Tools[2].Output, "what is left out says nothing")
}

// A case has the keys of a configuration.
func TestKeysHaveOneNameInYAMLAndJSON(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[Turn](), reflect.TypeFor[Tool](), reflect.TypeFor[Matcher](), reflect.TypeFor[Count]()} {
		for field := range typ.Fields() {
			assert.Equal(t, field.Tag.Get("json")+",omitempty", field.Tag.Get("mapstructure"), field.Name)
		}
	}
}
