package toolcorrectnessprocessor

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/envprovider"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.yaml.in/yaml/v3"
)

// A variable is a text where a text is wanted, as for each component of a collector, and what YAML makes of it elsewhere.
func TestVariables(t *testing.T) {
	for name, value := range map[string]string{"OCTAL": "0123", "YES": "true", "DAY": "2026-11-25", "LIST": "[a, 7]", "MAP": "{n: 0123}"} {
		t.Setenv(name, value)
	}
	resolver, err := confmap.NewResolver(confmap.ResolverSettings{
		URIs: []string{`yaml:
metrics: {m: {galtea: {strip_prefixes: ["${env:OCTAL}", x]}}, n: {native: {threshold: "${env:NONE}"}}}
expectations:
  - name: ${env:DAY}
    tools: ["${env:YES}", {name: "${env:OCTAL}", arguments: {n: "${env:OCTAL}", in: ["${env:YES}"]}}, {name: m, arguments: "${env:MAP}"}]
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
		{Name: "m", Arguments: map[string]any{"n": 83}},
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
