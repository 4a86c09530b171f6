package toolcorrectnessprocessor

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// appendJSON writes a value of a configuration as JSON. YAML has told integers from floats, and so does the result:
// 1.0 stays 1.0, because some methods care. Keys are sorted, because a configuration has lost their order.
func appendJSON(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case map[string]any:
		return appendObject(b, v)
	case []any:
		return appendArray(b, v)
	case float64:
		return appendFloat(b, v)
	default:
		text, err := json.Marshal(v)
		return append(b, text...), err
	}
}

func appendObject(b []byte, m map[string]any) ([]byte, error) {
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(m)) {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		b = append(append(b, name...), ':')
		if b, err = appendJSON(b, m[key]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendArray(b []byte, list []any) (_ []byte, err error) {
	b = append(b, '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendJSON(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendFloat(b []byte, x float64) ([]byte, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, errNoFinite
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return append(b, text...), nil
}

// kindOf names the kind of a value in the words of YAML.
func kindOf(v any) string {
	switch v.(type) {
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	case int, int64, uint64, float64:
		return "number"
	}
	return fmt.Sprintf("%T", v)
}
