package toolcorrectnessprocessor

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// schema is config.schema.yaml, decoded.
type schema struct{ root map[string]any }

func readSchema(t *testing.T) schema {
	text, err := os.ReadFile("config.schema.yaml")
	require.NoError(t, err)
	var root map[string]any
	require.NoError(t, yaml.Unmarshal(text, &root))
	return schema{root}
}

// resolve follows a reference. Keys beside the reference win.
func (s schema) resolve(t *testing.T, node map[string]any) map[string]any {
	ref, ok := node["$ref"].(string)
	if !ok {
		return node
	}
	name, ok := strings.CutPrefix(ref, "#/$defs/")
	require.True(t, ok, ref)
	target, ok := s.root["$defs"].(map[string]any)[name].(map[string]any)
	require.True(t, ok, "%s leads nowhere", ref)
	merged := maps.Clone(s.resolve(t, target))
	maps.Copy(merged, node)
	return merged
}

// walk calls visit with each key of the configuration, its type and its schema. It fails the test if the two have different
// keys.
func (s schema) walk(t *testing.T, path string, node map[string]any, typ reflect.Type, visit func(path string, node map[string]any, typ reflect.Type)) {
	node = s.resolve(t, node)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	visit(path, node, typ)
	switch typ.Kind() {
	case reflect.Struct:
		fields := configcheck.FieldsOf(typ)
		properties, _ := node["properties"].(map[string]any)
		require.Equal(t, slices.Sorted(maps.Keys(fields)), slices.Sorted(maps.Keys(properties)), "keys of %q", path)
		require.Equal(t, false, node["additionalProperties"], "%q takes any key", path)
		for _, key := range slices.Sorted(maps.Keys(fields)) {
			s.walk(t, configcheck.JoinPath(path, key), properties[key].(map[string]any), fields[key], visit)
		}
	case reflect.Map:
		s.walk(t, path+".*", node["additionalProperties"].(map[string]any), typ.Elem(), visit)
	case reflect.Slice:
		s.walk(t, path+"[]", node["items"].(map[string]any), typ.Elem(), visit)
	}
}

// types returns the JSON Schema names of a Go type.
func types(typ reflect.Type) []any {
	switch {
	case typ == reflect.TypeFor[ToolConfig]():
		return []any{"string", "object"}
	case typ.Kind() == reflect.Struct, typ.Kind() == reflect.Map:
		return []any{"object"}
	case typ.Kind() == reflect.Slice:
		return []any{"array"}
	case typ.Kind() == reflect.String:
		return []any{"string"}
	case typ.Kind() == reflect.Bool:
		return []any{"boolean"}
	case typ.Kind() == reflect.Int:
		return []any{"integer"}
	case typ.Kind() == reflect.Float64:
		return []any{"number"}
	}
	return nil
}

func TestSchemaHasTheKeysAndTypesOfTheConfiguration(t *testing.T) {
	s := readSchema(t)
	count := 0
	s.walk(t, "", s.root, reflect.TypeFor[Config](), func(path string, node map[string]any, typ reflect.Type) {
		if path != "" && !strings.HasSuffix(path, "[]") {
			count++
			assert.NotEmpty(t, node["description"], "%s needs a description", path)
		}
		if typ == reflect.TypeFor[time.Duration]() || typ.Kind() == reflect.Interface {
			return
		}
		want := types(typ)
		if strings.Count(path, ".") >= 2 && strings.HasPrefix(path, "metrics.*.") && typ.Kind() == reflect.Struct {
			want = append(want, "null") // a method without options
		}
		if len(want) == 1 {
			assert.Equal(t, want[0], node["type"], path)
		} else {
			assert.Equal(t, want, node["type"], path)
		}
	})
	assert.Greater(t, count, 80)
}

// Words, defaults and bounds are the same in schema and code.
func TestSchemaSaysWhatTheCodeSays(t *testing.T) {
	s := readSchema(t)
	words := map[string][]string{
		"run.scope": {scopeAgent, scopeTrace, scopeConversation}, "run.nested": {nestedSeparate, nestedInclude},
		"error_mode":    errorModes,
		"calls.sources": {sourcesAuto, sourcesSpans, sourcesMessages}, "calls.failed": {countCalls, ignoreCalls}, "calls.hosted": {countCalls, ignoreCalls}, "calls.rejected": {ignoreCalls, failRun},
		"annotate.as[]":                               formWords,
		"metrics.*.native.order":                      scoring.Words[scoring.Order](),
		"metrics.*.native.arguments":                  scoring.Words[scoring.ArgumentMode](),
		"metrics.*.native.credit":                     scoring.Words[scoring.Credit](),
		"metrics.*.native.output":                     scoring.Words[scoring.OutputMode](),
		"metrics.*.native.score":                      scoring.Words[scoring.Measure](),
		"metrics.*.native.extra_calls":                scoring.Words[scoring.ExtraCalls](),
		"metrics.*.native.repeats":                    scoring.Words[scoring.Repeats](),
		"metrics.*.native.concurrent":                 scoring.Words[scoring.Concurrent](),
		"metrics.*.axion.parameter_matching_strategy": {"exact", "subset", "fuzzy"},
		"metrics.*.axion.scoring":                     {"recall", "precision", "f1"},
		"metrics.*.deepeval.evaluation_params[]":      bothCases([]string{"tool", "input_parameters", "output"}),
		"metrics.*.deepeval.uncaptured":               scoring.Words[scoring.Uncaptured](),
		"metrics.*.eval_lib.version":                  {"0.8", "0.7"},
		"expectations[].unknown_key":                  {expect.UnknownNext, expect.UnknownReport},
		"expectations[].turns_score":                  {expect.MeanOfTurns, expect.AllTurns},
		"expectations[].tools[].arguments_match":      scoring.Words[scoring.ArgumentMode](),
	}
	// These have the keys of others.
	same := strings.NewReplacer("deepeval_multimodal", "deepeval", "evalsharp", "deepeval", "any_of[][]", "tools[]", "forbidden[]", "tools[]", "turns[].", "")
	n := scoring.DefaultNative()
	a := scoring.DefaultAxion()
	defaults := map[string]any{
		"expectations[].unknown_key": expect.UnknownNext, "expectations[].turns_score": expect.MeanOfTurns,
		"metrics.*.native.order": n.Order.String(), "metrics.*.native.arguments": n.Arguments.String(), "metrics.*.native.output": n.Output.String(),
		"metrics.*.native.score": n.Score.String(), "metrics.*.native.extra_calls": n.ExtraCalls.String(), "metrics.*.native.repeats": n.Repeats.String(),
		"metrics.*.native.concurrent": n.Concurrent.String(), "metrics.*.native.credit": n.Credit.String(),
		"metrics.*.native.threshold": n.Threshold, "metrics.*.native.fuzzy_threshold": n.FuzzyThreshold,
		"metrics.*.axion.parameter_matching_strategy": a.ParameterMatchingStrategy, "metrics.*.axion.scoring": a.Scoring,
		"error_mode":                errorModes[0],
		"metrics.*.axion.threshold": a.Threshold, "metrics.*.axion.fuzzy_threshold": a.FuzzyThreshold,
		"metrics.*.deepeval.threshold":  scoring.DefaultDeepEval().Threshold,
		"metrics.*.eval_lib.threshold":  scoring.DefaultEvalLib().Threshold,
		"metrics.*.eval_lib.version":    scoring.DefaultEvalLib().Version,
		"metrics.*.deepeval.uncaptured": scoring.DefaultDeepEval().Uncaptured.String(),
	}
	plain := createDefaultConfig().(*Config)
	s.walk(t, "", s.root, reflect.TypeFor[Config](), func(path string, node map[string]any, typ reflect.Type) {
		var enum []string
		written, _ := node["enum"].([]any)
		for _, word := range written {
			enum = append(enum, word.(string))
		}
		assert.Equal(t, words[same.Replace(path)], enum, "words of %s", path)

		given, has := node["default"]
		if want, ok := defaults[same.Replace(path)]; ok {
			assert.Equal(t, want, given, "default of %s", path)
			return
		}
		switch section, key, _ := strings.Cut(path, "."); {
		case path == "run.conversation_attributes[]", path == "run.partition_by[]", path == "annotate.as[]", path == "calls.exclude[]": // an element has no default
		case path == "run.conversation_attributes", path == "run.partition_by", path == "annotate.as", path == "calls.exclude":
			assert.Equal(t, fmt.Sprint(fieldAt(reflect.ValueOf(*plain), section, key)), fmt.Sprint(given), "default of %s", path)
		case path == "reload_interval":
			assert.Equal(t, plain.ReloadInterval.String(), given, path)
		case slices.Contains([]string{"run", "calls", "limits", "annotate"}, section) && key != "":
			want := fieldAt(reflect.ValueOf(*plain), section, key)
			if typ == reflect.TypeFor[time.Duration]() {
				duration, err := time.ParseDuration(fmt.Sprint(given))
				require.NoError(t, err, path)
				given = duration
			}
			assert.Equal(t, want, given, "default of %s", path)
		case strings.HasSuffix(path, "include_reason"):
			assert.Equal(t, true, given, path)
		case typ.Kind() == reflect.Bool:
			assert.Equal(t, false, given, path)
		case has:
			assert.True(t, reflect.ValueOf(given).IsZero() || reflect.ValueOf(given).Len() == 0, "default of %s", path)
		}
	})
}

// The processor accepts the bounds of the schema, and refuses the next value beyond them.
func TestSchemaHasTheBoundsOfTheCode(t *testing.T) {
	s := readSchema(t)
	checked := 0
	s.walk(t, "", s.root, reflect.TypeFor[Config](), func(path string, node map[string]any, typ reflect.Type) {
		for _, bound := range []struct {
			key  string
			step float64
		}{{"minimum", -1}, {"maximum", 1}} {
			value, ok := node[bound.key]
			if !ok || strings.Contains(path, "any_of") || strings.Contains(path, "forbidden[]") || strings.Contains(path, "turns[]") {
				continue // any_of, forbidden and turns hold the same as the expectation
			}
			step := bound.step
			if typ.Kind() == reflect.Float64 {
				step /= 1000
			}
			at := reflect.ValueOf(value).Convert(reflect.TypeFor[float64]()).Float()
			_, err := load(t, yamlAt(path, at))
			require.NoError(t, err, "%s: %v", path, at)
			_, err = load(t, yamlAt(path, at+step))
			require.Error(t, err, "%s: %v", path, at+step)
			checked++
		}
	})
	assert.Greater(t, checked, 20)
}

// yamlAt returns a configuration with a number at path.
func yamlAt(path string, x float64) string {
	number := fmt.Sprint(x)
	if x == float64(int64(x)) {
		number = strconv.FormatInt(int64(x), 10)
	}
	parts := strings.Split(path, ".")
	switch parts[0] {
	case "metrics":
		return fmt.Sprintf("{metrics: {m: {%s: {%s: %s}}}, expectations: [{tools: [a]}]}", parts[2], parts[3], number)
	case "expectations[]":
		if parts[1] == "max_calls" || parts[1] == "max_repeats" {
			return fmt.Sprintf("expectations: [{tools: [], %s: %s}]", parts[1], number)
		}
		if parts[2] == "matchers" {
			return fmt.Sprintf("expectations: [{tools: [{name: a, matchers: {x: {near: 1, %s: %s}}}]}]", parts[4], number)
		}
		return fmt.Sprintf("expectations: [{tools: [{name: a, count: {%s: %s}}]}]", parts[3], number)
	}
	return fmt.Sprintf("{%s: {%s: %s}, expectations: [{tools: [a]}]}", parts[0], parts[1], number)
}

func bothCases(words []string) []string {
	both := slices.Clone(words)
	for _, word := range words {
		both = append(both, strings.ToUpper(word))
	}
	return both
}

// fieldAt returns the value at section.key of a configuration.
func fieldAt(v reflect.Value, keys ...string) any {
	for _, key := range keys {
		typ := v.Type()
		for i := range typ.NumField() {
			if name, _, _ := strings.Cut(typ.Field(i).Tag.Get("mapstructure"), ","); name == key {
				v = v.Field(i)
				break
			}
		}
	}
	return v.Interface()
}
