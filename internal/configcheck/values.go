package configcheck

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Arguments is the value at key as arguments: a map, a JSON object, or a string with one. Nil says nothing. A value that is wrong counts as
// an empty object, so that no rule about missing arguments applies.
func (e *Errors) Arguments(key string, v any) scoring.Payload {
	const must = "must be a map, or a string that holds a JSON object"
	var text string
	switch v := v.(type) {
	case nil:
		return scoring.Payload{}
	case string:
		text = v
	case json.RawMessage:
		text = string(v)
	default:
		m, ok := AsMap(v)
		if !ok {
			e.Add(key, must+", is %s", Describe(v))
			return scoring.JSON("{}")
		}
		return scoring.JSON(e.JSON(key, m))
	}
	decoded, err := scoring.Decode(text)
	switch {
	case err != nil:
		e.Add(key, must+": %v", err)
	case decoded.Kind() != scoring.Object:
		e.Add(key, must+", is %q", text)
	default:
		return scoring.JSON(text)
	}
	return scoring.JSON("{}")
}

// Output is the value at key as an output. A string is a text, not JSON. Nil says nothing.
func (e *Errors) Output(key string, v any) scoring.Payload {
	switch v := v.(type) {
	case nil:
		return scoring.Payload{}
	case string:
		return scoring.Text(v)
	case json.RawMessage:
		text := string(v)
		if _, err := scoring.Decode(text); err != nil {
			e.Add(key, "%v", err)
		}
		return scoring.JSON(text)
	default:
		return scoring.JSON(e.JSON(key, v))
	}
}

// Enum sets an option to what one of its words names. The empty word leaves the default.
func Enum[T scoring.Option](e *Errors, key, word string, option *T) {
	if word != "" && e.OneOf(key, word, scoring.Words[T]()...) {
		*option, _ = scoring.Parse[T](word)
	}
}

// WholeNumber is v as an int, if it is a number without a fraction. 1e3 is one as well, which is a float to YAML.
func WholeNumber(v any) (int, bool) {
	switch n := reflect.ValueOf(v); {
	case n.CanInt():
		return int(n.Int()), true
	case n.CanUint():
		return int(n.Uint()), n.Uint() <= math.MaxInt //nolint:gosec // it says so
	case n.CanFloat():
		x := n.Float()
		return int(x), x == math.Trunc(x) && math.Abs(x) < 1<<53
	}
	return 0, false
}

// JSON is the value at key as JSON, with an error for each value that JSON cannot express. YAML distinguishes integers from floats, and so
// does the result: 1.0 stays 1.0, because some methods compare the two as different. Keys are sorted, because a configuration has lost their
// order.
func (e *Errors) JSON(key string, v any) string {
	under := e.Under(key)
	before := len(e.all.errors)
	text, err := json.Marshal(under.exact(v))
	if err == nil {
		_, err = scoring.Decode(string(text)) // which may nest too deep
	}
	if err != nil && len(e.all.errors) == before {
		under.Add("", "%v", err)
	}
	return string(text)
}

// exact replaces floats by their digits, which encoding/json would write without a fraction of zero. It adds an error for each value that
// YAML has and JSON does not.
func (e *Errors) exact(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for _, key := range slices.Sorted(maps.Keys(v)) {
			m[key] = e.Under(key).exact(v[key])
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = e.Under(fmt.Sprintf("[%d]", i)).exact(v[i])
		}
		return list
	case time.Time:
		e.Add("", "is a timestamp to YAML, which forgets how it was written: put it in quotes")
	case float64:
		text := strconv.FormatFloat(v, 'g', -1, 64)
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			e.Add("", "is %v, which JSON cannot say", v)
			return nil
		case math.Abs(v) > 1<<63 && hasManyDigits(v):
			e.Add("", "is a number of which YAML keeps the first digits only: write the whole value as a text of JSON, '{\"n\": 1}'")
		case !strings.ContainsAny(text, ".e"):
			text += ".0"
		}
		return json.Number(text)
	}
	return v
}

// hasManyDigits reports whether a number needs more than 15 digits. One that does and is large was a whole number in YAML.
func hasManyDigits(v float64) bool {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 14, 64), 64)
	return err == nil && short != v
}
