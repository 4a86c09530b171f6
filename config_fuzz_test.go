package toolcorrectnessprocessor

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/configcheck"
)

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
		type plain Config
		shaped := configcheck.New().Shape(conf.ToStringMap(), reflect.TypeFor[Config](), shorthands).(map[string]any)
		require.NoError(t, confmap.NewFromStringMap(shaped).Unmarshal(new(plain)), "all that cannot be decoded was taken out")

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
