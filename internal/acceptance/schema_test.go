package acceptance

import (
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	var schema any
	require.NoError(t, yaml.Unmarshal([]byte(toolcorrectnessprocessor.Schema()), &schema))
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("config.schema.yaml", schema))
	compiled, err := c.Compile("config.schema.yaml")
	require.NoError(t, err)
	return compiled
}

// An editor with the schema accepts all configurations that ship.
func TestSchemaTakesWhatShips(t *testing.T) {
	compiled := compiledSchema(t)
	for name, section := range shippedSections(t) {
		require.NoError(t, compiled.Validate(section.ToStringMap()), name)
	}
	files, err := filepath.Glob(inRoot("testdata", "pipeline", "*", "config.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range append(files, inRoot("testdata", "config", "whole.yaml")) {
		conf, err := confmaptest.LoadConf(file)
		require.NoError(t, err)
		require.NoError(t, compiled.Validate(conf.ToStringMap()), file)
	}
}

// An editor with the schema and the processor accept and refuse the same configurations.
func TestSchemaAndProcessorAgree(t *testing.T) {
	compiled := compiledSchema(t)
	for _, tc := range []struct {
		yaml string
		fine bool
	}{
		{`expectations: [{tools: [a]}]`, true},
		{`expectations: [{tools: []}]`, true},
		{`expectations: [{max_calls: 1}]`, true},
		{`expectations: [{tools: [{name: a, output: 5}]}]`, true},
		{`expectations: [{tools: [{any_of: [a, b], arguments: "{}", arguments_match: partial, count: {min: 0}}]}]`, true},
		{`{metrics: {m: {native: }}, expectations: [{tools: [a]}]}`, true},
		{`{run: {wait: 0}, expectations: [{tools: [a]}]}`, true},
		{`{run: {wait: 1h2m0.5s, idle_timeout: 100ns}, expectations: [{tools: [a]}]}`, true},

		{`expectation_files: [a.yaml]`, true},
		{`{expectation_files: [a.yaml], expectations: [], reload_interval: 1m}`, true},
		{`expectations: [{dataset: {file: a.jsonl, key: name}, unknown_key: report}]`, true},
		{`expectations: [{dataset: {file: a.jsonl}}]`, false},
		{`expectations: [{dataset: {file: a.jsonl, key: name}, tools: [a]}]`, false},
		{`expectations: [{tools: [a], unknown_key: report}]`, false},
		{`expectation_files: []`, false},
		{`expectation_files: [""]`, false},
		{`{expectation_files: [a.yaml], reload_interval: 5}`, false},

		{`{}`, false},
		{`expectations: []`, false},
		{`expectations: [{}]`, false},
		{`expectations: [{name: x, when: "true"}]`, false},
		{`expectations: [{any_of: []}]`, false},
		{`expectations: [{tools: a}]`, false},
		{`expectations: [{tools: [""]}]`, false},
		{`expectations: [{tools: [5]}]`, false},
		{`expectations: [{tools: [{}]}]`, false},
		{`expectations: [{tools: [{name: ""}]}]`, false},
		{`expectations: [{tools: [{name: a, any_of: [b]}]}]`, false},
		{`expectations: [{tools: [{name: a, arguments: []}]}]`, false},
		{`expectations: [{tools: [{name: a, arguments_match: exact}]}]`, false},
		{`expectations: [{tools: [{name: a, count: 3}]}]`, false},
		{`expectations: [{tools: [{name: a, count: {max: 0}}]}]`, false},
		{`expectations: [{tools: [{name: a, whence: x}]}]`, false},
		{`expectations: [{tools: [a], any_of: [[b]]}]`, false},
		{`expectations: [{tools: [a], from_attribute: x}]`, false},
		{`expectations: [{from_attribute: x, max_calls: 1}]`, false},
		{`expectations: [{from_attribute: ""}]`, false},
		{`expectations: [{tools: [a], max_calls: -1}]`, false},
		{`{storage: file_storage, expectations: [{tools: [a]}]}`, true},
		{`{storage: file_storage/open_runs, expectations: [{tools: [a]}]}`, true},
		{`{storage: "", expectations: [{tools: [a]}]}`, false},
		{`{storage: file storage, expectations: [{tools: [a]}]}`, false},
		{`{storage: [file_storage], expectations: [{tools: [a]}]}`, false},
		{`{run: {scope: conversations}, expectations: [{tools: [a]}]}`, false},
		{`{run: {wait: 5}, expectations: [{tools: [a]}]}`, false},
		{`{run: {wait: -5s}, expectations: [{tools: [a]}]}`, false},
		{`{run: {wait: "5"}, expectations: [{tools: [a]}]}`, false},
		{`{limits: {open_runs: 0}, expectations: [{tools: [a]}]}`, false},
		{`{limits: {open_runs: 1.5}, expectations: [{tools: [a]}]}`, false},
		{`{annotate: {values: "yes"}, expectations: [{tools: [a]}]}`, false},
		{`{annotate: {calls: true}, expectations: [{tools: [a]}]}`, true},
		{`{annotate: {calls: all}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {m: {}}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {m: {native: , axion: }}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {m: {native: {order: sorted}}}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {m: {native: {threshold: 80}}}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {m: {deepeval: {evaluation_params: [name]}}}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {m: {galtea: {strip_prefixes: [""]}}}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {"": {native: }}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {gen_ai.x: {native: }}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {tool_correctness.config: {native: }}, expectations: [{tools: [a]}]}`, false},
		{`{metrics: {tool_correctness.agent: {native: }}, expectations: [{tools: [a]}]}`, false},
	} {
		t.Run(tc.yaml, func(t *testing.T) {
			var document any
			require.NoError(t, yaml.Unmarshal([]byte(tc.yaml), &document))
			_, err := load(t, tc.yaml)
			assert.Equal(t, tc.fine, err == nil, "the processor: %v", err)
			err = compiled.Validate(document)
			assert.Equal(t, tc.fine, err == nil, "the schema: %v", err)
		})
	}
}
