package acceptance

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
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
	file := fromTestdata[struct{ Taken, Refused []map[string]any }]("schema")
	require.NotEmpty(t, file.Taken)
	require.NotEmpty(t, file.Refused)
	for i, document := range slices.Concat(file.Taken, file.Refused) {
		text, err := yaml.Marshal(document)
		require.NoError(t, err)
		t.Run(string(text), func(t *testing.T) {
			taken := i < len(file.Taken)
			_, err := load(t, string(text))
			assert.Equal(t, taken, err == nil, "the processor: %v", err)
			err = compiled.Validate(document)
			assert.Equal(t, taken, err == nil, "the schema: %v", err)
		})
	}
}

// They agree about a configuration with all keys, if one value of it is another or one key is unknown.
func TestSchemaAndProcessorAgreeOnEveryKey(t *testing.T) {
	conf, err := confmaptest.LoadConf(inRoot("testdata", "config", "whole.yaml"))
	require.NoError(t, err)
	whole := conf.ToStringMap()
	compiled := compiledSchema(t)
	// A schema does not know OTTL, the names of the metrics, JSON in a string, nor what a share is.
	texts := regexp.MustCompile(`(when|where|dataset\.key|metrics\[\d\]|arguments|within): no such word$`)
	compare := func(path string, value any) {
		changed := fmt.Sprintf("%s: %v", path, value)
		_, err := unmarshal(confmap.NewFromStringMap(whole))
		if !texts.MatchString(changed) {
			assert.Equal(t, err == nil, compiled.Validate(whole) == nil, "%s: is it taken by the processor (%v), and by the schema?", changed, err)
		}
	}
	var vary func(path string, value any, set func(any))
	vary = func(path string, value any, set func(any)) {
		switch value := value.(type) {
		case map[string]any:
			for key, part := range value {
				vary(path+"."+key, part, func(x any) { value[key] = x })
			}
			value["no_such_key"] = 1
			compare(path, value)
			delete(value, "no_such_key")
		case []any:
			for i, part := range value {
				vary(fmt.Sprintf("%s[%d]", path, i), part, func(x any) { value[i] = x })
			}
		case string:
			set("no such word")
			compare(path, "no such word")
			set(value)
		default:
			for _, other := range []any{-1, 1 << 40} {
				set(other)
				compare(path, other)
			}
			set(value)
		}
	}
	vary("", whole, nil)
}
