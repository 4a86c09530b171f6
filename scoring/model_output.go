package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/outputs"

// Content is the result in a list of content blocks.
type Content struct {
	// Texts are the texts of the blocks, in order. A block with JSON instead of a text adds none.
	Texts []string
	// JSON is the value of the one block that has JSON. It means nothing if there are texts.
	JSON Value
}

// ContentOf takes the result out of content blocks, as MCP, Strands and model providers write it:
// [{"type": "text", "text": ...}], [{"json": ...}], MCP's CallToolResult around such a list, or one block alone. It reports
// false for anything else. A list with a block of another kind, such as an image, is no result that can be compared.
func ContentOf(v Value) (Content, bool) {
	c, ok := outputs.ContentOf(v)
	return Content(c), ok
}

// An output is what a call returned, or should return, ready to be compared.
type output = outputs.Output

// outputOf is the output in a payload that was read as v.
func outputOf(p Payload, v Value) output { return outputs.Called(p.text, p.form == jsonText, v) }

// wantedOutput is an output that an expectation states.
func wantedOutput(p Payload, v Value) output { return outputs.Wanted(p.text, p.form == jsonText, v) }
