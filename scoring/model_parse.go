package scoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ParseExpectation reads expected tools from a JSON array. Its elements are names, or objects with name, arguments and
// output. Number lexemes and key order are kept. Errors name the element, never its content.
func ParseExpectation(text string) (*Expectation, error) {
	var elements []json.RawMessage
	if err := json.Unmarshal([]byte(text), &elements); err != nil || elements == nil {
		return nil, errors.New("it is not a JSON array")
	}
	tools := make([]Tool, len(elements))
	for i, element := range elements {
		tool, err := parseTool(element)
		if err != nil {
			return nil, fmt.Errorf("element %d %w", i, err)
		}
		tools[i] = tool
	}
	return NewExpectation(ExpectationSettings{Tools: tools})
}

func parseTool(element json.RawMessage) (Tool, error) {
	var t struct {
		Name      *string         `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Output    json.RawMessage `json:"output"`
	}
	if err := json.Unmarshal(element, &t.Name); err == nil && t.Name != nil {
		return Tool{Name: *t.Name}, nil
	}
	d := json.NewDecoder(bytes.NewReader(element))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil || t.Name == nil {
		return Tool{}, errors.New(`is neither a name nor an object of "name", "arguments" and "output"`)
	}
	tool := Tool{Name: *t.Name}
	if t.Arguments != nil {
		tool.Arguments = JSON(string(t.Arguments))
	}
	if t.Output != nil {
		tool.Output = JSON(string(t.Output))
	}
	return tool, nil
}
