package toolcorrectnessprocessor

import (
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/ottlfuncs"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/testrows"
)

// errorsOf returns the lines of an error, without the decoder's prefix.
func errorsOf(err error) []string {
	if err == nil {
		return nil
	}
	_, text, found := strings.Cut(err.Error(), "'' ")
	if !found {
		text = err.Error()
	}
	return strings.Split(text, "\n")
}

// Each row is a configuration and its errors, which have the key, the value and the rule: all of them at once, and no fault causes a second
// one. {OTTL x} is what OTTL says of the condition x, whose words differ from release to release, and ... is any text but a second place.
func TestErrors(t *testing.T) {
	for _, row := range testrows.Read[struct {
		Config section
		Error  string
	}](t, "testdata/config/errors.yaml") {
		t.Run(string(row.Config), func(t *testing.T) {
			_, err := load(t, string(row.Config))
			said := strings.Join(errorsOf(err), "\n")
			want := ottlSays.ReplaceAllStringFunc(row.Error, func(m string) string { return errorOfOTTL(t, ottlSays.FindStringSubmatch(m)[1]) })
			begins, ends, open := strings.Cut(want, "...")
			if !open {
				assert.Equal(t, want, said)
				return
			}
			rest, is := strings.CutPrefix(said, begins)
			assert.True(t, is && strings.HasSuffix(rest, ends) && !strings.Contains(rest, "\n"), said)
			assert.NotRegexp(t, `^\d+:\d+: `, rest, "a second place")
		})
	}
}

var ottlSays = regexp.MustCompile(`{OTTL (.*?)}`)

// Keys that only the native method supports are refused with every reference method, and accepted with native.
func TestNativeOnlyKeys(t *testing.T) {
	for key, expectation := range map[string]string{
		"any_of":          `tools: [{any_of: [a, b]}]`,
		"count":           `tools: [{name: a, count: {max: 2}}]`,
		"optional":        `tools: [{name: a, optional: true}]`,
		"arguments_match": `tools: [{name: a, arguments: {}, arguments_match: exact}]`,
		"* in a name":     `tools: ["a*"]`,
		"forbidden":       `tools: [a], forbidden: [b]`,
		"max_calls":       `tools: [a], max_calls: 5`,
	} {
		for _, method := range []string{"axion", "deepeval", "deepeval_multimodal", "evalsharp", "galtea", "eval_lib"} {
			_, err := load(t, `{metrics: {m: {`+method+`: }, n: {native: }}, expectations: [{`+expectation+`}]}`)
			assert.Equal(t, []string{"expectations[0]: uses " + key + `, which only the native method understands, but is scored by the metric "m", whose method is ` + method +
				": say metrics: [n]"}, errorsOf(err))
		}
		mustLoad(t, `{metrics: {m: {axion: }, n: {native: }}, expectations: [{metrics: [n], `+expectation+`}]}`)
	}
}

// errorOfOTTL returns OTTL's error for a condition. Its words differ between releases.
func errorOfOTTL(t *testing.T, condition string) string {
	parser, err := ottlspan.NewParser(ottlfuncs.StandardConverters[*ottlspan.TransformContext](), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	_, err = parser.ParseCondition(condition)
	require.Error(t, err)
	return err.Error()
}

// nested is a list in a list, so many levels deep.
func nested(levels int) (list any) {
	for range levels {
		list = []any{list}
	}
	return list
}

// The same rules hold for configurations that are made in code.
func TestErrorsOfConfigurationsInCode(t *testing.T) {
	for _, tc := range []struct {
		claim string
		spoil func(*Config)
		err   string
	}{
		{"scope", func(c *Config) { c.Run.Scope = "span" }, `run.scope: must be agent, trace or conversation, is "span"`},
		{"wait", func(c *Config) { c.Run.Wait = -time.Second }, `run.wait: must not be negative, is -1s`},
		{"telemetry", func(c *Config) { c.Telemetry.AgentNames = -1 }, `telemetry.agent_names: must be from 0 to 1000, is -1`},
		{"limits", func(c *Config) { c.Limits.ArgumentsKiB = 0 }, `limits.arguments_kib: must be from 1 to 1048576, is 0`},
		{"two methods", func(c *Config) {
			c.Metrics = map[string]MetricConfig{"m": {DeepEval: &DeepEvalConfig{}, EvalSharp: &DeepEvalConfig{}, Galtea: &GalteaConfig{}}}
		}, `metrics.m: must have exactly one method (native, axion, deepeval, deepeval_multimodal, evalsharp, galtea or eval_lib), has deepeval and evalsharp and galtea`},
		{"threshold", func(c *Config) {
			c.Metrics = map[string]MetricConfig{"m": {Native: &NativeConfig{Threshold: new(math.NaN())}}}
		}, `metrics.m.native.threshold: must be from 0 to 1, is NaN`},
		{"arguments", func(c *Config) { c.Expectations[0].Tools[0].Arguments = struct{}{} },
			`expectations[0].tools[0].arguments: must be a map, or a string that holds a JSON object, is a struct {}`},
		{"what has no JSON", func(c *Config) { c.Expectations[0].Tools[0].Arguments = map[string]any{"x": make(chan int)} },
			`expectations[0].tools[0].arguments: json: unsupported type: chan int`},
		{"arguments that nest too deep", func(c *Config) { c.Expectations[0].Tools[0].Arguments = map[string]any{"x": nested(1000)} },
			`expectations[0].tools[0].arguments: no JSON at byte 1004: nested too deep`},
		{"an output that nests too deep", func(c *Config) { c.Expectations[0].Tools[0].Output = nested(2000) },
			`expectations[0].tools[0].output: no JSON at byte 1000: nested too deep`},
		{"output", func(c *Config) { c.Expectations[0].Tools[0].Output = math.Inf(1) },
			`expectations[0].tools[0].output: is +Inf, which JSON cannot say`},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			cfg := createDefaultConfig().(*Config)
			cfg.Expectations = []ExpectationConfig{{Tools: []ToolConfig{{Name: "a"}}}}
			require.NoError(t, cfg.Validate())
			tc.spoil(cfg)
			assert.EqualError(t, cfg.Validate(), tc.err)
		})
	}
	assert.Len(t, errorsOf((&Config{}).Validate()), 13, "an empty configuration has no defaults")
}
