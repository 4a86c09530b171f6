package configcheck

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Payload is the value at key as a payload of JSON. It adds an error for each value that JSON cannot express.
func (e *Errors) Payload(key string, v any) scoring.Payload {
	text, err := AppendJSON(nil, v)
	if err == nil {
		_, err = scoring.Decode(string(text)) // which may nest too deep
	}
	under := e.Under(key)
	before := len(e.all.errors)
	under.inexpressible(v)
	if err != nil && len(e.all.errors) == before {
		under.Add("", "%v", err)
	}
	return scoring.JSON(string(text))
}

// inexpressible adds an error for each value in v that YAML has and JSON does not.
func (e *Errors) inexpressible(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			e.Under(key).inexpressible(v[key])
		}
	case []any:
		for i := range v {
			e.Under(fmt.Sprintf("[%d]", i)).inexpressible(v[i])
		}
	case time.Time:
		e.Add("", "is a timestamp to YAML, which forgets how it was written: put it in quotes")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			e.Add("", "is %v, which JSON cannot say", v)
		}
	}
}

// AppendJSON appends a value of a configuration as JSON. YAML distinguishes integers from floats, and so does the result: 1.0
// stays 1.0, because some methods compare the two as different. Keys are sorted, because a configuration has lost their
// order. It fails on what JSON cannot express, such as infinity.
func AppendJSON(b []byte, v any) ([]byte, error) {
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
		if b, err = AppendJSON(b, m[key]); err != nil {
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
		if b, err = AppendJSON(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendFloat(b []byte, x float64) ([]byte, error) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil, errors.New("JSON has no number that is not finite")
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return append(b, text...), nil
}
