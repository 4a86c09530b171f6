package draft

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// longValue is the length from which a value is left out of the draft, in bytes of JSON.
	longValue = 200
	// fewCalls is how many calls have to agree. A single one says nothing.
	fewCalls = 2
)

// arguments are those that all calls have with one value, as JSON by their keys.
func arguments(calls []scoring.Call) map[string]json.RawMessage {
	if len(calls) < fewCalls {
		return nil
	}
	constant := decoded(calls[0].Arguments)
	for i := range calls {
		other := decoded(calls[i].Arguments)
		maps.DeleteFunc(constant, func(key string, value json.RawMessage) bool {
			return string(other[key]) != string(value) || !writable(value)
		})
	}
	return constant
}

// decoded has the values of an object, as JSON, by its keys: none if it was not captured, or is no object. Equal values have equal
// bytes, because keys in them are sorted.
func decoded(p scoring.Payload) map[string]json.RawMessage {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(p.AppendJSON(nil)))
	d.UseNumber()
	if !p.Captured() || d.Decode(&object) != nil {
		return nil
	}
	texts := make(map[string]json.RawMessage, len(object))
	for key, value := range object {
		texts[key], _ = json.Marshal(value) // it was JSON
	}
	return texts
}

// ambiguous finds long numbers and null, which are not the same in every reader of YAML.
var ambiguous = regexp.MustCompile(`[\d.]{16}|\d[eE]|null`)

// writable reports whether YAML can hold a value as it is, in a few words.
func writable(text []byte) bool { return len(text) <= longValue && !ambiguous.Match(text) }
