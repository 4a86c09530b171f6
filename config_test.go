package toolcorrectnessprocessor

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
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
	set, err := mustLoad(t, yaml).settings(configcheck.New(), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	return set
}

// A section is the processor's part of a configuration, as the YAML in a row of YAML.
type section string

func (s *section) UnmarshalYAML(node *yaml.Node) error {
	text, err := yaml.Marshal(node)
	*s = section(text)
	return err
}

func TestDefaults(t *testing.T) {
	cfg := createDefaultConfig().(*Config)
	assert.Equal(t, &Config{
		Run: RunConfig{
			Scope: "agent", Wait: 5 * time.Second, IdleTimeout: 2 * time.Minute, PendingTimeout: time.Hour, Nested: "separate",
			ConversationAttributes: []string{"gen_ai.conversation.id", "session.id", "langfuse.session.id"},
		},
		Calls:          CallsConfig{Sources: "auto", Failed: "count", Hosted: "count", Rejected: "ignore"},
		Limits:         LimitsConfig{OpenRuns: 100_000, MemoryMiB: 256, CallsPerRun: 10_000, ArgumentsKiB: 64},
		ReloadInterval: 10 * time.Second,
		Annotate:       AnnotateConfig{As: []string{"native"}, Prefix: "tool_correctness"},
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

// whole is the configuration with every key.
func whole(t *testing.T) *Config {
	t.Helper()
	conf, err := confmaptest.LoadConf(filepath.Join("testdata", "config", "whole.yaml"))
	require.NoError(t, err)
	cfg, err := unmarshal(conf)
	require.NoError(t, err)
	return cfg
}

// Each key is that of the field with its name, and a file has all of them.
func TestWholeConfigurationHasEveryKey(t *testing.T) {
	said := map[string]bool{} // by type and key
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				look(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				look(v.Index(i))
			}
		case reflect.Map:
			for _, value := range v.Seq2() {
				look(value)
			}
		case reflect.Struct:
			for field, value := range v.Fields() {
				key, _, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
				look(value)
				if key == "" {
					continue // its fields are keys
				}
				assert.Equal(t, strings.ToLower(strings.TrimSuffix(field.Name, "Mode")), strings.ReplaceAll(strings.TrimSuffix(key, "_mode"), "_", ""))
				at := v.Type().Name() + ", " + key
				said[at] = said[at] || !value.IsZero()
			}
		}
	}
	look(reflect.ValueOf(whole(t)))
	for at, is := range said {
		assert.True(t, is, "the file does not have %s", at)
	}
	assert.Greater(t, len(said), 90)
}

// The settings have every value of the configuration.
func TestWholeConfigurationAsSettings(t *testing.T) {
	cfg := whole(t)
	cfg.ExpectationFiles, cfg.Expectations = nil, cfg.Expectations[:6] // the seventh has a dataset
	set, err := cfg.settings(configcheck.New(), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)

	assert.True(t, set.Run.Conversations)
	assert.Equal(t, []string{"app.chat", "session.id"}, set.ConversationAttributes)
	assert.Equal(t, []string{"tenant.id"}, set.PartitionBy)
	assert.Equal(t, "app.tools", set.Prefix)
	assert.Equal(t, evaluate.PropagateErrors, set.ErrorMode)
	assert.True(t, set.AnnotateCalls)
	assert.True(t, set.LangWatch)
	assert.Equal(t, 7, set.AgentNames)
	assert.True(t, set.IgnoreFailed)
	assert.True(t, set.Run.IgnoreHosted)
	assert.True(t, set.FailRejected)
	assert.Equal(t, 750*time.Millisecond, set.Wait)
	assert.Equal(t, 90*time.Second, set.IdleTimeout)
	assert.Equal(t, 20*time.Minute, set.PendingTimeout)
	assert.Equal(t, 1000, set.Run.MaxCalls)
	assert.Equal(t, 8*1024, set.MaxPayload)
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
		"4: axion bare deepeval deepeval_multimodal eval_lib evalsharp galtea native", "talk: native",
	}, names)
	assert.NotNil(t, set.Expectations[0].When)
	assert.Equal(t, []string{"search_*", "cite", "check"}, set.Expectations[1].Expected.Names())
	assert.Nil(t, set.Expectations[4].Expected)
	assert.Equal(t, "test.expected_tools", set.Expectations[4].FromAttribute)
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
	assert.Equal(t, []ExpectationConfig{{Tools: []ToolConfig{{Name: "a"}, {Name: "b"}}, Metrics: []string{"m"}, MaxCalls: uint8(9)}}, cfg.Expectations)
}

// tools: [] states that no tool is expected. That is not the same as no list.
func TestNoToolExpected(t *testing.T) {
	set := settingsOf(t, `expectations: [{tools: []}]`)
	assert.NotNil(t, set.Expectations[0].Expected.Tools())
	assert.Empty(t, set.Expectations[0].Expected.Names())
	set = settingsOf(t, `expectations: [{forbidden: [a]}]`)
	assert.Nil(t, set.Expectations[0].Expected.Tools())
}

// A variable is a text where a text is wanted, as for each component of a collector, and what YAML makes of it elsewhere.
func TestVariables(t *testing.T) {
	for name, value := range map[string]string{"OCTAL": "0123", "YES": "true", "DAY": "2026-11-25", "LIST": "[a, 7]", "MAP": "{n: 0123}", "NESTED": `{m: "${env:MAP}"}`} {
		t.Setenv(name, value)
	}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{`yaml:
metrics: {m: {galtea: {strip_prefixes: ["${env:OCTAL}", x]}}, n: {native: {threshold: "${env:NONE}"}}}
expectations:
  - name: ${env:DAY}
    tools: ["${env:YES}", {name: "${env:OCTAL}", arguments: {n: "${env:OCTAL}", in: ["${env:YES}"]}}, {name: m, arguments: "${env:MAP}", output: "${env:NESTED}"}]
    metrics: [n]
  - {any_of: "${env:NONE}", tools: "${env:NONE}", from_attribute: "${env:DAY}"}
`},
		ProviderFactories: []confmap.ProviderFactory{envprovider.NewFactory(), yamlprovider.NewFactory()}, DefaultScheme: "env",
	})
	require.NoError(t, err)
	conf, err := resolver.Resolve(context.Background())
	require.NoError(t, err)
	cfg, err := unmarshal(conf)
	require.NoError(t, err)
	assert.Equal(t, []string{"0123", "x"}, cfg.Metrics["m"].Galtea.StripPrefixes)
	assert.Nil(t, cfg.Metrics["n"].Native.Threshold)
	x := cfg.Expectations[0]
	assert.Equal(t, "2026-11-25", x.Name)
	assert.Equal(t, []ToolConfig{
		{Name: "true"},
		{Name: "0123", Arguments: map[string]any{"n": 83, "in": []any{true}}},
		{Name: "m", Arguments: map[string]any{"n": 83}, Output: map[string]any{"m": map[string]any{"n": 83}}},
	}, x.Tools)
	assert.Equal(t, "2026-11-25", cfg.Expectations[1].FromAttribute)
}

// What a collector prints of a configuration, with the keys that it has no values for, is that configuration.
func TestPrintedConfigurationsAreTheSame(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("testdata", "config", "whole.yaml"))
	require.NoError(t, err)
	for reason, text := range map[string]string{
		"all keys":                    strings.Replace(string(whole), "amount: 1.0", "amount: 1.5", 1), // the Collector prints 1.0 as 1
		"one method, and no options":  `{metrics: {m: {axion: }}, expectations: [{tools: [a]}]}`,
		"what is empty says so":       `{expectations: [{tools: []}, {tools: [a], allowed: []}, {tools: [{name: a, arguments: {}}]}]}`,
		"zeros in place of defaults":  `{run: {wait: 0s}, reload_interval: 0s, metrics: {m: {native: {threshold: 0, include_reason: false}}}, expectations: [{tools: [a]}]}`,
		"nothing is said of tools":    `{expectations: [{from_attribute: x}, {any_of: [[a], []]}]}`,
		"a name of a tool for a tool": `{expectations: [{tools: [a], max_calls: {b: 0}, forbidden: ["c*"]}]}`,
	} {
		cfg := mustLoad(t, text)
		conf := confmap.New()
		require.NoError(t, conf.Marshal(cfg))
		printed, err := yaml.Marshal(conf.ToStringMap())
		require.NoError(t, err)
		again, err := load(t, string(printed))
		require.NoError(t, err, "%s: %s", reason, printed)
		assert.Equal(t, cfg, again, reason)
	}
}

// No YAML makes the configuration panic. Either there is an error of our own, or the configuration is valid, has a
// fingerprint, and is the same when it is read again.
func FuzzConfig(f *testing.F) {
	whole, err := os.ReadFile(filepath.Join("testdata", "config", "whole.yaml"))
	require.NoError(f, err)
	f.Add(string(whole))
	for _, seed := range []string{
		`expectations: [{tools: [a, {name: "b*", count: {min: 1, max: 2}, optional: false}]}]`,
		`expectations: [{when: 'attributes["x"] == 1 and IsMatch(name, "a.*")', tools: []}]`,
		`expectations: [{any_of: [[a], [{any_of: [b, c]}]], forbidden: ["d*"], max_calls: 3}]`,
		`{run: {wait: -1s}, metrics: {m: {native: , axion: {threshold: 2}}}, expectations: [{from_attribute: x, tools: 5}]}`,
		`expectations: [{tools: [{name: a, arguments: {x: 1.0, y: [2026-01-01, .nan]}, output: '{"z": 1}', arguments_match: exact}]}]`,
		`expectations: &x [{tools: [{name: a, arguments: {1: {true: null}}}]}]`,
		"expectations:\n- tools: !!binary aGk=\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, yaml string) {
		retrieved, err := confmap.NewRetrievedFromYAML([]byte(yaml))
		if err != nil {
			return
		}
		conf, err := retrieved.AsConf()
		if err != nil {
			return
		}
		cfg := createDefaultConfig().(*Config)
		if err := conf.Unmarshal(cfg); err != nil {
			require.NotEmpty(t, errorsOf(err)[0])
			return
		}
		require.NoError(t, cfg.Validate())
		require.Len(t, cfg.fingerprint(), 8)
		again := createDefaultConfig().(*Config)
		require.NoError(t, conf.Unmarshal(again))
		require.Equal(t, cfg.fingerprint(), again.fingerprint())
	})
}
