package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/listed"

// ParseExpectation reads expected tools from a JSON array. Its elements are names, or objects with name, arguments and
// output. Number lexemes and key order are kept. Errors name the element, never its content.
func ParseExpectation(text string) (*Expectation, error) {
	entries, err := listed.Parse(text)
	if err != nil {
		return nil, err
	}
	tools := make([]Tool, len(entries))
	for i, e := range entries {
		tools[i].Name = e.Name
		if e.Arguments != nil {
			tools[i].Arguments = JSON(string(e.Arguments))
		}
		if e.Output != nil {
			tools[i].Output = JSON(string(e.Output))
		}
	}
	return NewExpectation(ExpectationSettings{Tools: tools})
}
