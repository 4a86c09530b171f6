package draft

import (
	"bytes"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	// longValue is the length from which a value is left out of the draft, in bytes of JSON.
	longValue = 200
	// fewCalls is how many calls have to agree. A single one says nothing.
	fewCalls = 2
)

// arguments are those that all calls have with one value, and the keys of others whose values differ.
func arguments(calls []scoring.Call) (constant map[string]string, varied []string) {
	values, count, differ := map[string]string{}, map[string]int{}, map[string]bool{}
	for i := range calls {
		object, ok := decoded(calls[i].Arguments)
		if !ok {
			return nil, nil // not captured, or no object: nothing can be compared
		}
		for key, value := range object {
			if before, has := values[key]; has && before != value {
				differ[key] = true
			}
			values[key] = value
			count[key]++
		}
	}
	if len(calls) < fewCalls {
		return nil, nil
	}
	constant = map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if differ[key] || count[key] < len(calls) || !writable(values[key]) {
			varied = append(varied, key)
		} else {
			constant[key] = values[key]
		}
	}
	return constant, varied
}

// decoded has the values of an object, as JSON, by its keys. Equal values have equal bytes, because keys in them are sorted.
func decoded(p scoring.Payload) (map[string]string, bool) {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(p.AppendJSON(nil)))
	d.UseNumber()
	if !p.Captured() || d.Decode(&object) != nil || object == nil {
		return nil, false
	}
	texts := make(map[string]string, len(object))
	for key, value := range object {
		text, _ := json.Marshal(value) // it was JSON
		texts[key] = string(text)
	}
	return texts, true
}

// ambiguous finds long numbers and null, which are not the same in every reader of YAML.
var ambiguous = regexp.MustCompile(`[\d.]{16}|\d[eE]|null`)

// writable reports whether YAML can hold a value as it is, in a few words.
func writable(text string) bool { return len(text) <= longValue && !ambiguous.MatchString(text) }
