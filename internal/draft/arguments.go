package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// arguments are those that all calls have with one value, conditions for those that always equal an attribute of their run, and the keys
// of others whose values differ.
func arguments(runs []Run) (constant map[string]json.RawMessage, equal, varied []string) {
	constant = map[string]json.RawMessage{}
	var objects []map[string]json.RawMessage
	var attributes []map[string]string // of the run of each
	values, count := map[string]json.RawMessage{}, map[string]int{}
	differ := map[string]bool{}
	for _, r := range runs {
		for i := range r.Calls {
			object, ok := decoded(r.Calls[i].Arguments)
			if !ok {
				return nil, nil, nil // not captured, or no object: nothing can be compared
			}
			objects, attributes = append(objects, object), append(attributes, r.Attributes)
			for key, value := range object {
				if before, has := values[key]; has && !bytes.Equal(before, value) {
					differ[key] = true
				}
				values[key] = value
				count[key]++
			}
		}
	}
	if len(objects) < fewCalls {
		return nil, nil, nil
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		name := sameAttribute(key, objects, attributes)
		switch {
		case differ[key] && name != "":
			equal = append(equal, fmt.Sprintf("arguments[%q] == %s", key, name))
		case differ[key] || count[key] < len(objects) || !writable(values[key]):
			varied = append(varied, key)
		default:
			constant[key] = values[key]
		}
	}
	return constant, equal, varied
}

// sameAttribute is the first attribute whose value is that of a key in every call; empty if there is none.
func sameAttribute(key string, objects []map[string]json.RawMessage, attributes []map[string]string) string {
	for _, name := range slices.Sorted(maps.Keys(attributes[0])) {
		same := true
		for i, object := range objects {
			value, has := attributes[i][name]
			same = same && has && value == string(object[key])
		}
		if same {
			return name
		}
	}
	return ""
}

// decoded is an object by its keys. Equal values have equal bytes, because keys in them are sorted.
func decoded(p scoring.Payload) (map[string]json.RawMessage, bool) {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(p.AppendJSON(nil)))
	d.UseNumber()
	if !p.Captured() || d.Decode(&object) != nil || object == nil {
		return nil, false
	}
	raw := make(map[string]json.RawMessage, len(object))
	for key, value := range object {
		raw[key], _ = json.Marshal(value) // it was JSON
	}
	return raw, true
}

// ambiguous finds long numbers and null, which are not the same in every reader of YAML.
var ambiguous = regexp.MustCompile(`[\d.]{16}|\d[eE]|null`)

// writable reports whether YAML can hold a value as it is, in a few words.
func writable(text json.RawMessage) bool { return len(text) <= longValue && !ambiguous.Match(text) }

// payload returns the arguments as the scorer takes them. It is empty if there are none.
func payload(arguments map[string]json.RawMessage) scoring.Payload {
	text, err := json.Marshal(arguments)
	if err != nil || len(arguments) == 0 { // there is no error, because the values come from JSON
		return scoring.Payload{}
	}
	return scoring.JSON(string(text))
}
