package toolcorrectnessprocessor

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

// json is the payload that the value at key stands for. It notes what JSON cannot say.
func (f *faults) json(key string, v any) scoring.Payload {
	text, err := appendJSON(nil, v)
	if err == nil {
		_, err = scoring.Decode(string(text)) // which may nest too deep
	}
	under := f.under(key)
	before := len(f.all.faults)
	under.inexpressible(v)
	if err != nil && len(f.all.faults) == before {
		under.add("", "%v", err)
	}
	return scoring.JSON(string(text))
}

// inexpressible notes the values in v that YAML has and JSON does not.
func (f *faults) inexpressible(v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			f.under(key).inexpressible(v[key])
		}
	case []any:
		for i := range v {
			f.under(fmt.Sprintf("[%d]", i)).inexpressible(v[i])
		}
	case time.Time:
		f.add("", "is a timestamp to YAML, which forgets how it was written: put it in quotes")
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			f.add("", "is %v, which JSON cannot say", v)
		}
	}
}

// MarshalJSON tells 1.0 from 1, as YAML and some methods do. Configurations that differ so have different fingerprints.
func (c ToolConfig) MarshalJSON() ([]byte, error) {
	type plain ToolConfig // without this method
	p := plain(c)
	for _, v := range []*any{&p.Arguments, &p.Output} {
		text, err := appendJSON(nil, *v)
		if err != nil {
			return nil, err
		}
		*v = json.RawMessage(text)
	}
	return json.Marshal(p)
}

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
		return nil, errors.New("JSON has no number that is not finite")
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return append(b, text...), nil
}
