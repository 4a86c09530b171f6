package toolcorrectnessprocessor

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"

	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// load reads the processor's section of a configuration as a collector does.
func load(t *testing.T, yaml string) (*Config, error) {
	t.Helper()
	retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml))
	require.NoError(t, err)
	conf, err := retrieved.AsConf()
	require.NoError(t, err)
	return unmarshal(conf)
}

func unmarshal(conf *confmap.Conf) (*Config, error) {
	cfg := NewFactory().CreateDefaultConfig().(*Config)
	if err := conf.Unmarshal(cfg); err != nil {
		return nil, err
	}
	return cfg, cfg.Validate()
}

func mustLoad(t *testing.T, yaml string) *Config {
	t.Helper()
	cfg, err := load(t, yaml)
	require.NoError(t, err)
	return cfg
}

func settingsOf(t *testing.T, yaml string) toolcorrectness.Settings {
	t.Helper()
	set, err := mustLoad(t, yaml).settings(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	return set
}

func ptr[T any](v T) *T { return &v }

func TestDefaults(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	assert.Equal(t, &Config{
		Run:    RunConfig{Scope: "agent", Wait: 5 * time.Second, IdleTimeout: 2 * time.Minute, Nested: "separate"},
		Calls:  CallsConfig{Failed: "count"},
		Limits: LimitsConfig{OpenRuns: 100_000, MemoryMiB: 256, CallsPerRun: 10_000, ArgumentsKiB: 64},
	}, cfg)
	require.EqualError(t, cfg.Validate(), "expectations: must not be empty: say which tools a run is expected to call")
	cfg.Expectations = []ExpectationConfig{{Tools: []ToolConfig{{Name: "search"}}}}
	require.NoError(t, cfg.Validate(), "the defaults are valid once an expectation is there")
}

func TestShortestConfiguration(t *testing.T) {
	set := settingsOf(t, `expectations: [{tools: [search_orders, refund_order]}]`)
	require.Len(t, set.Metrics, 1)
	assert.Equal(t, "tool_correctness", set.Metrics[0].Name)
	assert.Equal(t, scoring.DefaultNative(), set.Metrics[0].Method.(*scoring.Native).Options())
	assert.Equal(t, 0.5, set.Metrics[0].Threshold)
	assert.True(t, set.Metrics[0].Reason)
	assert.False(t, set.Metrics[0].Verbose)
	require.Len(t, set.Expectations, 1)
	assert.Equal(t, "0", set.Expectations[0].Name)
	assert.Nil(t, set.Expectations[0].When)
	assert.Equal(t, []string{"search_orders", "refund_order"}, set.Expectations[0].Expected.Names())
}

func TestWholeConfiguration(t *testing.T) {
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "whole.yaml"))
	require.NoError(t, err)
	cfg, err := unmarshal(conf)
	require.NoError(t, err)
	assert.Equal(t, RunConfig{Scope: "trace", Wait: 750 * time.Millisecond, IdleTimeout: 90 * time.Second, Nested: "separate"}, cfg.Run)
	assert.Equal(t, CallsConfig{Failed: "ignore"}, cfg.Calls)
	assert.Equal(t, LimitsConfig{OpenRuns: 500, MemoryMiB: 32, CallsPerRun: 1000, ArgumentsKiB: 8}, cfg.Limits)
	assert.Equal(t, AnnotateConfig{Values: true}, cfg.Annotate)
	assert.Equal(t, map[string]MetricConfig{
		"native": {Native: &NativeConfig{
			Output: Output{IncludeReason: ptr(false), VerboseMode: true},
			Order:  "in_order", Arguments: "fuzzy", OutputMode: "subset", Score: "all_or_nothing", ExtraCalls: "forbid", Repeats: "collapse",
			Threshold: ptr(0.75), FuzzyThreshold: ptr(1.0),
		}},
		"bare": {Native: &NativeConfig{}},
		"axion": {Axion: &AxionConfig{
			CheckParameters: true, StrictOrder: true, ParameterMatchingStrategy: "fuzzy", FuzzyThreshold: ptr(0.9), Scoring: "f1", Threshold: ptr(0.6),
		}},
		"deepeval": {DeepEval: &DeepEvalConfig{
			EvaluationParams: []string{"input_parameters", "output"},
			ShouldExactMatch: true, ShouldConsiderOrdering: true, StrictMode: true, Threshold: ptr(0.7),
		}},
		"deepeval_multimodal": {DeepEvalMultimodal: &DeepEvalConfig{EvaluationParams: []string{"OUTPUT"}}},
		"evalsharp": {EvalSharp: &EvalSharpConfig{
			EvaluationParams: []string{"TOOL", "INPUT_PARAMETERS"},
			ShouldExactMatch: true, ShouldConsiderOrdering: true, StrictMode: true, Threshold: ptr(0.25),
		}},
		"galtea":   {Galtea: &GalteaConfig{StripPrefixes: []string{"functions.", "mcp__"}, TrimSpace: true}},
		"eval_lib": {EvalLib: &EvalLibConfig{ExactMatch: true, CheckOrdering: true, Threshold: ptr(1.0)}},
	}, cfg.Metrics)
	assert.Equal(t, []ExpectationConfig{
		{
			Name:    "plain",
			When:    `attributes["gen_ai.agent.name"] == "support" and resource.attributes["deployment.environment"] == "prod"`,
			Metrics: []string{"deepeval", "galtea"},
			Tools: []ToolConfig{{Name: "search_orders"}, {
				Name:      "refund_order",
				Arguments: map[string]any{"currency": "EUR", "amount": 1.0, "lines": []any{1, map[string]any{"sku": "A-1"}}},
				Output:    map[string]any{"status": "ok"},
			}},
		},
		{
			Name: "rich", Metrics: []string{"native", "bare"},
			Tools: []ToolConfig{
				{Name: "search_*", Count: &CountConfig{Min: ptr(1), Max: ptr(3)}},
				{AnyOf: []string{"read_page", "read_pdf"}, Optional: true},
				{Name: "cite", Arguments: `{"style": "apa", "page": 12345678901234567890123}`, ArgumentsMatch: "exact", Output: "done"},
			},
			Forbidden: []ToolConfig{{Name: "send_email"}, {Name: "delete_*", Arguments: map[string]any{"all": true}}},
			MaxCalls:  12,
		},
		{Name: "several", Metrics: []string{"native"}, AnyOf: [][]ToolConfig{{{Name: "a"}, {Name: "b"}}, {}, {{Name: "c"}}}},
		{Name: "nothing", Metrics: []string{"native"}, Tools: []ToolConfig{}},
		{FromAttribute: "test.expected_tools"},
	}, cfg.Expectations)
}

// What the processor runs on says the same as the configuration.
func TestWholeConfigurationAsSettings(t *testing.T) {
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "whole.yaml"))
	require.NoError(t, err)
	cfg, err := unmarshal(conf)
	require.NoError(t, err)
	set, err := cfg.settings(componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)

	assert.True(t, set.Run.WholeTrace)
	assert.True(t, set.Run.IgnoreFailed)
	assert.Equal(t, 750*time.Millisecond, set.Run.Wait)
	assert.Equal(t, 90*time.Second, set.Run.IdleTimeout)
	assert.Equal(t, 1000, set.Run.MaxCalls)
	assert.Equal(t, 8*1024, set.Run.MaxPayload)
	assert.Equal(t, toolcorrectness.Limits{OpenRuns: 500, Bytes: 32 * 1024 * 1024}, set.Limits)
	assert.True(t, set.QuoteValues)

	thresholds := map[string]float64{}
	for _, m := range set.Metrics {
		thresholds[m.Name] = m.Threshold
		assert.Equal(t, m.Name != "native", m.Reason, m.Name)
		assert.Equal(t, m.Name == "native", m.Verbose, m.Name)
	}
	assert.Equal(t, map[string]float64{
		"native": 0.75, "bare": 0.5, "axion": 0.6, "deepeval": 1, "deepeval_multimodal": 0.5, "evalsharp": 1, "galtea": 1, "eval_lib": 1,
	}, thresholds, "strict_mode makes the threshold 1")

	var names []string
	for _, x := range set.Expectations {
		var metrics []string
		for _, m := range x.Metrics {
			metrics = append(metrics, m.Name)
		}
		names = append(names, x.Name+": "+strings.Join(metrics, " "))
	}
	assert.Equal(t, []string{
		"plain: deepeval galtea", "rich: bare native", "several: native", "nothing: native",
		"4: axion bare deepeval deepeval_multimodal eval_lib evalsharp galtea native",
	}, names)
	assert.NotNil(t, set.Expectations[0].When)
	assert.Equal(t, []string{"search_*", "cite"}, set.Expectations[1].Expected.Names())
	assert.Nil(t, set.Expectations[4].Expected)
	assert.Equal(t, "test.expected_tools", set.Expectations[4].FromAttribute)
}

// Every way to write a thing that is the same thing.
func TestFormsThatMeanTheSame(t *testing.T) {
	for _, tc := range []struct{ claim, a, b string }{
		{"a tool may be its name", `expectations: [{tools: [a]}]`, `expectations: [{tools: [{name: a}]}]`},
		{"so may a forbidden one", `expectations: [{forbidden: [a]}]`, `expectations: [{forbidden: [{name: a}]}]`},
		{"and one of several lists", `expectations: [{any_of: [[a]]}]`, `expectations: [{any_of: [[{name: a}]]}]`},
		{"a method without options may end at its colon", "metrics:\n  m:\n    deepeval:\nexpectations: [{tools: [a]}]", `{metrics: {m: {deepeval: {}}}, expectations: [{tools: [a]}]}`},
		{"a key without a value is a key left out", "run:\n  wait:\nlimits:\nexpectations: [{tools: [a], when: , max_calls: }]", `expectations: [{tools: [a]}]`},
		{"no wait needs no unit", `{run: {wait: 0}, expectations: [{tools: [a]}]}`, `{run: {wait: 0s}, expectations: [{tools: [a]}]}`},
		{"a whole number may be written as a float", `{limits: {open_runs: 1e3}, expectations: [{tools: [a]}]}`, `{limits: {open_runs: 1000}, expectations: [{tools: [a]}]}`},
		{"a list of words may be one string, as everywhere in a collector", `expectations: [{tools: [a], metrics: tool_correctness}]`, `expectations: [{tools: [a], metrics: [tool_correctness]}]`},
		{"the order of keys is free", `expectations: [{tools: [{name: a, arguments: {x: 1, y: 2}}], name: n}]`, `expectations: [{name: n, tools: [{arguments: {y: 2, x: 1}, name: a}]}]`},
		{"keys of arguments are texts", `expectations: [{tools: [{name: a, arguments: {1: [{true: x}]}}]}]`, `expectations: [{tools: [{name: a, arguments: {"1": [{"true": x}]}}]}]`},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			a, b := mustLoad(t, tc.a), mustLoad(t, tc.b)
			assert.Equal(t, b, a)
			assert.Equal(t, b.fingerprint(), a.fingerprint())
		})
	}
}

// Configurations made in code need not have the types that YAML has.
func TestConfigurationFromGoValues(t *testing.T) {
	cfg, err := unmarshal(confmap.NewFromStringMap(map[string]any{
		"run":    map[string]any{"wait": time.Second},
		"limits": map[string]int{"open_runs": 7},
		"metrics": map[string]any{
			"m": map[string]any{"native": map[string]any{"threshold": float32(0.5)}},
		},
		"expectations": []map[string]any{
			{"tools": []string{"a", "b"}, "metrics": []string{"m"}, "max_calls": uint8(9)},
		},
	}))
	require.NoError(t, err)
	assert.Equal(t, time.Second, cfg.Run.Wait)
	assert.Equal(t, 7, cfg.Limits.OpenRuns)
	assert.Equal(t, 0.5, *cfg.Metrics["m"].Native.Threshold)
	assert.Equal(t, []ExpectationConfig{{Tools: []ToolConfig{{Name: "a"}, {Name: "b"}}, Metrics: []string{"m"}, MaxCalls: 9}}, cfg.Expectations)
}

// No list is not an empty list: tools: [] says that no tool is expected.
func TestNoToolExpected(t *testing.T) {
	set := settingsOf(t, `expectations: [{tools: []}]`)
	assert.NotNil(t, set.Expectations[0].Expected.Tools())
	assert.Empty(t, set.Expectations[0].Expected.Names())
	set = settingsOf(t, `expectations: [{forbidden: [a]}]`)
	assert.Nil(t, set.Expectations[0].Expected.Tools())
}

// What YAML says of an argument is what a call is compared with: kinds of numbers, digits, order of keys.
func TestPayloads(t *testing.T) {
	for _, tc := range []struct{ claim, yaml, arguments, output string }{
		{"an integer is none with a point", `{name: a, arguments: {x: 1}}`, `{"x":1}`, `null`},
		{"a float keeps its point", `{name: a, arguments: {x: 1.0, y: -0.0, z: 1e30}}`, `{"x":1.0,"y":-0.0,"z":1e+30}`, `null`},
		{"shortest digits", `{name: a, arguments: {x: 0.1}}`, `{"x":0.1}`, `null`},
		{"64 bits fit", `{name: a, arguments: {x: 18446744073709551615, y: -9223372036854775808}}`, `{"x":18446744073709551615,"y":-9223372036854775808}`, `null`},
		{"a string that holds JSON is kept as it stands", `{name: a, arguments: '{"z": 1.50, "a": 123456789012345678901234567890}'}`, `{"z": 1.50, "a": 123456789012345678901234567890}`, `null`},
		{"every kind", `{name: a, arguments: {a: null, b: true, c: "1", d: [], e: {}, f: [1, [2.0]]}}`, `{"a":null,"b":true,"c":"1","d":[],"e":{},"f":[1,[2.0]]}`, `null`},
		{"no arguments are not empty arguments", `{name: a, arguments: {}}`, `{}`, `null`},
		{"words of YAML in quotes are texts", `{name: a, arguments: {on: "2026-01-01", at: "null"}}`, `{"at":"null","on":"2026-01-01"}`, `null`},
		{"an output that is a string is a text, not JSON", `{name: a, output: '{"x": 1}'}`, `null`, `"{\"x\": 1}"`},
		{"an output may be anything", `{name: a, output: [1.0, {x: y}]}`, `null`, `[1.0,{"x":"y"}]`},
		{"or false", `{name: a, output: false}`, `null`, `false`},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			set := settingsOf(t, `expectations: [{tools: [`+tc.yaml+`]}]`)
			tool := set.Expectations[0].Expected.Tools()[0]
			assert.Equal(t, tc.arguments, string(tool.Arguments.AppendJSON(nil)))
			assert.Equal(t, tc.output, string(tool.Output.AppendJSON(nil)))
		})
	}
}

func TestCounts(t *testing.T) {
	for _, tc := range []struct {
		yaml string
		want scoring.Count
	}{
		{`{name: a}`, scoring.Count{}},
		{`{name: a, count: }`, scoring.Count{}},
		{`{name: a, count: {}}`, scoring.Count{Min: 1, Max: scoring.Unlimited}},
		{`{name: a, count: {min: 0}}`, scoring.Count{Min: 0, Max: scoring.Unlimited}},
		{`{name: a, count: {max: 3}}`, scoring.Count{Min: 1, Max: 3}},
		{`{name: a, count: {min: 2, max: 2}}`, scoring.Count{Min: 2, Max: 2}},
		{`{name: a, optional: true, count: {max: 3}}`, scoring.Count{Min: 0, Max: 3}},
	} {
		t.Run(tc.yaml, func(t *testing.T) {
			set := settingsOf(t, `expectations: [{tools: [`+tc.yaml+`]}]`)
			assert.Equal(t, tc.want, set.Expectations[0].Expected.Tools()[0].Count)
		})
	}
}

// Nobody keeps arguments and outputs that nobody compares.
func TestWhatIsKept(t *testing.T) {
	for _, tc := range []struct {
		claim, yaml       string
		arguments, output bool
	}{
		{"names need neither", `expectations: [{tools: [{name: a, arguments: {x: 1}, output: y}]}]`, false, false},
		{"arguments", `{metrics: {m: {native: {arguments: subset}}}, expectations: [{tools: [a]}]}`, true, false},
		{"output", `{metrics: {m: {native: {output: exact}}}, expectations: [{tools: [a]}]}`, false, true},
		{"identical calls have identical arguments", `{metrics: {m: {native: {repeats: collapse}}}, expectations: [{tools: [a]}]}`, true, false},
		{"a metric that nobody uses keeps nothing", `{metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{tools: [a], metrics: [n]}]}`, false, false},
		{"one expectation is enough", `{metrics: {m: {native: {arguments: exact}}, n: {native: }}, expectations: [{name: x, tools: [a], metrics: [n]}, {tools: [b], metrics: [m]}]}`, true, false},
		{"a tool may want its arguments compared", `expectations: [{tools: [{name: a, arguments: {x: 1}, arguments_match: exact}]}]`, true, false},
		{"so may a forbidden one", `expectations: [{forbidden: [{name: a, arguments: {x: 1}, output: y}]}]`, true, true},
		{"tools from an attribute are read with the metric's eyes", `{metrics: {m: {axion: {check_parameters: true}}}, expectations: [{from_attribute: x}]}`, true, false},
		{"galtea reads names", `{metrics: {m: {galtea: }}, expectations: [{tools: [a]}]}`, false, false},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			set := settingsOf(t, tc.yaml)
			assert.Equal(t, tc.arguments, set.Run.KeepArguments, "arguments")
			assert.Equal(t, tc.output, set.Run.KeepOutput, "output")
		})
	}
}

func TestNativeOnlyAgreesWithScoring(t *testing.T) {
	for _, tool := range []string{
		`a`, `{name: a, arguments: {x: 1}}`, `{any_of: [a]}`, `{any_of: ["a*"]}`, `{name: a, count: {}}`, `{name: a, optional: true}`,
		`{name: a, arguments: {}, arguments_match: exact}`, `"*"`,
	} {
		for _, rest := range []string{`tools: [%]`, `any_of: [[%], []]`, `{tools: [%], forbidden: [z]}`, `{tools: [%], max_calls: 3}`} {
			cfg := mustLoad(t, `expectations: [`+strings.ReplaceAll(rest, "%", tool)+`]`)
			set, err := cfg.settings(componenttest.NewNopTelemetrySettings())
			require.NoError(t, err)
			var keys []string
			for _, key := range cfg.Expectations[0].nativeOnly() {
				keys = append(keys, strings.TrimSuffix(key, " in a name"))
			}
			assert.Equal(t, set.Expectations[0].Expected.NativeOnly(), keys, "%s with %s", rest, tool)
		}
	}
}

// The fingerprint stands on judged spans for as long as they are kept.
func TestFingerprint(t *testing.T) {
	const base = `{metrics: {m: {native: {threshold: 0.8}}}, expectations: [{name: x, tools: [{name: a, arguments: {x: 1, y: [b]}}]}]}`
	assert.Equal(t, "36a07333", mustLoad(t, base).fingerprint(), "it changed for a configuration that did not")
	seen := map[string]string{}
	for _, yaml := range append([]string{base},
		strings.Replace(base, "0.8", "0.9", 1),
		strings.Replace(base, "x: 1,", "x: 1.0,", 1),
		strings.Replace(base, "x: 1,", `x: "1",`, 1),
		strings.Replace(base, "x: 1,", "x: true,", 1),
		strings.Replace(base, "[b]", "b", 1),
		strings.Replace(base, "name: x,", "name: z,", 1),
		strings.Replace(base, "name: x,", `name: x, when: "true",`, 1),
		strings.Replace(base, "arguments:", "output:", 1),
		strings.Replace(base, "name: a,", "name: a, optional: true,", 1),
		strings.Replace(base, "m: {", "n: {", 1),
		strings.Replace(base, "metrics:", "run: {wait: 1s}, metrics:", 1),
		strings.Replace(base, "metrics:", "annotate: {values: true}, metrics:", 1),
		`expectations: [{tools: []}]`, `expectations: [{tools: [], forbidden: [a]}]`, `expectations: [{forbidden: [a]}]`,
	) {
		print := mustLoad(t, yaml).fingerprint()
		assert.Empty(t, seen[print], "the fingerprint of %s is that of another", yaml)
		seen[print] = yaml
	}
	for i := range 20 {
		assert.Equal(t, mustLoad(t, base).fingerprint(), settingsOf(t, base).Fingerprint, "try "+strconv.Itoa(i))
	}
}
