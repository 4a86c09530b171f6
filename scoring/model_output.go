package scoring

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/outputs"

// Content is the result in a list of content blocks.
type Content struct {
	// Texts are the texts of the blocks, in order. A block with JSON instead of a text adds none.
	Texts []string
	// JSON is the value of the only block with JSON. It is set only if there are no texts.
	JSON Value
}

// ContentOf extracts the result from content blocks as MCP, Strands and model providers write them. It knows [{"type":
// "text", "text": ...}], [{"json": ...}], MCP's CallToolResult around such a list, and a single block. It returns false for
// anything else, such as a list with an image.
func ContentOf(v Value) (Content, bool) {
	c, ok := outputs.ContentOf(v)
	return Content(c), ok
}

// An output is what a call returned, or should return, prepared for comparison.
type output = outputs.Output

// outputOf returns the output of a call, whose payload was decoded as v.
func outputOf(p Payload, v Value) output { return outputs.Called(p.text, p.form == jsonText, v) }

// wantedOutput returns the output that an expectation states, whose payload was decoded as v.
func wantedOutput(p Payload, v Value) output { return outputs.Wanted(p.text, p.form == jsonText, v) }
