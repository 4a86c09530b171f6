package toolcorrectnessscoresexporter

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/confmap"
)

// Unmarshal reads the section and refuses unknown keys.
func (c *LangfuseConfig) Unmarshal(conf *confmap.Conf) error { return unmarshalStrictly(conf, c) }

// Unmarshal reads the section and refuses unknown keys.
func (c *PhoenixConfig) Unmarshal(conf *confmap.Conf) error { return unmarshalStrictly(conf, c) }

// Unmarshal reads the section and refuses unknown keys.
func (c *DatadogConfig) Unmarshal(conf *confmap.Conf) error { return unmarshalStrictly(conf, c) }

// Unmarshal reads the section and refuses unknown keys.
func (c *MLflowConfig) Unmarshal(conf *confmap.Conf) error { return unmarshalStrictly(conf, c) }

// unmarshalStrictly reads conf into section. Newer releases of the HTTP client's settings ignore all keys that they do not know,
// those beside them included, so the keys are checked here.
func unmarshalStrictly(conf *confmap.Conf, section any) error {
	known := keysOf(reflect.TypeOf(section).Elem())
	for _, key := range slices.Sorted(maps.Keys(conf.ToStringMap())) {
		if !slices.Contains(known, key) {
			return fmt.Errorf("unknown key `%s`", key)
		}
	}
	return conf.Unmarshal(section, confmap.WithIgnoreUnused())
}

// keysOf returns the keys of a struct, with those of the structs that are squashed into it.
func keysOf(t reflect.Type) (keys []string) {
	for field := range t.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("mapstructure"), ",")
		switch {
		case options == "squash":
			keys = append(keys, keysOf(field.Type)...)
		case name != "":
			keys = append(keys, name)
		}
	}
	return keys
}
