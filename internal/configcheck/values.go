package configcheck

import (
	"encoding/json"
	"math"
	"reflect"

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
