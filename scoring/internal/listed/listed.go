// Package listed reads a JSON array of names, or of objects with a name, arguments and an output.
//
// It keeps payloads as they are written. An error names the element, never its content. listed.go is the whole package.
package listed

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// An Entry is an element of the array. A payload that is not given is nil.
type Entry struct {
	Name              string
	Arguments, Output json.RawMessage
}

// Parse reads the array.
func Parse(text string) ([]Entry, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(text), &elements); err != nil || elements == nil {
		return nil, errors.New("it is not a JSON array")
	}
	entries := make([]Entry, len(elements))
	for i, element := range elements {
		entry, err := parse(element)
		if err != nil {
			return nil, fmt.Errorf("element %d %w", i, err)
		}
		entries[i] = entry
	}
	return entries, nil
}

func parse(element json.RawMessage) (Entry, error) {
	var t struct {
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Output    json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(element, &t.Name); err == nil && t.Name != nil {
		return Entry{Name: *t.Name}, nil
	}
	d := json.NewDecoder(bytes.NewReader(element))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil || t.Name == nil {
		return Entry{}, errors.New(`is neither a name nor an object of "name", "arguments" and "output"`)
	}
	return Entry{Name: *t.Name, Arguments: t.Arguments, Output: t.Output}, nil
}
