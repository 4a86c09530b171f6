package compare

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// An Output is what a call returned, or should return, prepared for comparison. The zero Output is null.
//
// Telemetry has an output as text, and often inside an envelope. So equal outputs can look different in two ways:
//
//   - A text that looks like JSON. A tool that returned the text 42 leaves 42 on its span, which reads like a number. The expected
//     text "42" agrees with it. The expected number 42 does not agree with the text "42".
//   - Content blocks, as the Model Context Protocol, Strands and model providers write them: see [ContentOf]. Only one side may
//     have them: some instrumentations record what the tool's server sent, others what the agent received.
type Output struct {
	value jsonvalue.Value
	// text is the output as it was written: 42 may be a number, or a text of two digits. written: there is such a text.
	text    string
	written bool
	// inner is the result inside content blocks, or nil if the output is none. opened: it was looked for.
	inner  *Output
	opened bool
}

// Called returns the output of a call, written as text and decoded as v. If written is false, v is the text itself as a
// string.
func Called(text string, written bool, v jsonvalue.Value) Output {
	return Output{value: v, text: text, written: written}
}

// Wanted is like [Called] for an output that an expectation states. If v is a string, it may be JSON of content blocks.
// Several goroutines may use a wanted output.
func Wanted(text string, written bool, v jsonvalue.Value) Output {
	o := Called(text, written, v)
	if o.content(); v.Kind() == jsonvalue.String && o.mayHoldBlocks() {
		blocks, _ := jsonvalue.Decode(v.Text())
		o.inner = inside(blocks)
	}
	return o
}

// Result returns the value, or the result inside if the value is content blocks.
func (o *Output) Result() jsonvalue.Value {
	if inner := o.content(); inner != nil {
		return inner.value
	}
	return o.value
}

// MayBe reports whether called, which is no o, may be one that could not be read or was encoded twice. Then o is an object or a
// list. The result of called is a text that begins like one, or like JSON of a text.
func (o *Output) MayBe(called *Output) bool {
	result := called.Result()
	if kind := o.Result().Kind(); kind != jsonvalue.Object && kind != jsonvalue.Array || result.Kind() != jsonvalue.String {
		return false
	}
	text := strings.TrimSpace(result.Text())
	return text != "" && strings.ContainsRune(`{["`, rune(text[0]))
}

// mayHoldBlocks reports whether the output may be content blocks. It is cheap and avoids most decoding.
func (o *Output) mayHoldBlocks() bool {
	return strings.Contains(o.text, "text") || strings.Contains(o.text, "json")
}

// content returns the result inside content blocks, or nil if o is none. It never decodes the text of a call's output. It looks for blocks
// once: [Wanted] does it before o is shared.
func (o *Output) content() *Output {
	if !o.opened {
		o.opened = true
		if o.mayHoldBlocks() {
			o.inner = inside(o.value)
		}
	}
	return o.inner
}

// inside returns the result inside content blocks, or nil.
func inside(blocks jsonvalue.Value) *Output {
	c, ok := ContentOf(blocks)
	switch {
	case !ok:
		return nil
	case len(c.Texts) == 0:
		return &Output{value: c.JSON}
	case len(c.Texts) > 1:
		return &Output{value: jsonvalue.StringValue(strings.Join(c.Texts, "\n"))}
	}
	v, err := jsonvalue.Decode(c.Texts[0])
	if err != nil {
		v = jsonvalue.StringValue(c.Texts[0])
	}
	return &Output{value: v, text: c.Texts[0], written: true}
}

// Agrees reports whether a call returned what was expected.
func (o *Output) Agrees(called *Output, equal Equality) bool {
	if o.is(called, equal) {
		return true
	}
	inner, found := o.content(), called.content()
	return inner != nil && inner.is(called, equal) || found != nil && o.is(found, equal) ||
		inner != nil && found != nil && inner.is(found, equal)
}

// is compares without opening content blocks.
func (o *Output) is(called *Output, equal Equality) bool {
	if equal(o.value, called.value) {
		return true
	}
	return called.written && o.value.Kind() == jsonvalue.String && o.value.Text() == called.text
}

// Content is the result in a list of content blocks.
type Content struct {
	// Texts are the texts of the blocks, in order. A block with JSON instead of a text adds none.
	Texts []string
	// JSON is the value of the only block with JSON. It is set only if there are no texts.
	JSON jsonvalue.Value
}

// ContentOf extracts the result from content blocks as MCP, Strands and model providers write them. It knows [{"type":
// "text", "text": ...}], [{"json": ...}], MCP's CallToolResult around such a list, and a single block. It returns false for
// anything else, such as a list with an image.
func ContentOf(v jsonvalue.Value) (Content, bool) {
	if v.HasOnly("type", "text", "annotations", "_meta", "meta") && textAt(v, "type") == "text" {
		text, ok := blockText(v) // the OpenAI Agents SDK writes a single block of an MCP server like this
		return Content{Texts: []string{text}}, ok
	}
	list, ok := blockList(v)
	if !ok || list.Len() == 0 {
		return Content{}, false
	}
	var c Content
	for block := range list.Elements() {
		if inner, ok := block.Member("json"); ok && block.Len() == 1 && list.Len() == 1 {
			return Content{JSON: inner}, true
		}
		text, ok := blockText(block)
		if !ok {
			return Content{}, false
		}
		c.Texts = append(c.Texts, text)
	}
	return c, len(c.Texts) > 0
}

// blockList returns v, or the list in MCP's CallToolResult. An object with any other key is the tool's own result.
func blockList(v jsonvalue.Value) (jsonvalue.Value, bool) {
	if v.Kind() == jsonvalue.Array {
		return v, true
	}
	if !v.HasOnly("content", "isError", "is_error", "structuredContent", "structured_content", "_meta", "meta") &&
		!v.HasOnly("content", "state", "id", "metadata", "stream", "is_last", "is_interrupted") { // AgentScope
		return jsonvalue.Value{}, false
	}
	return v.Member("content")
}

// blockText returns the text of {"type": "text", "text": ...}, or of Strands' {"text": ...}, which has no type.
func blockText(block jsonvalue.Value) (string, bool) {
	text, ok := block.Member("text")
	if !ok || text.Kind() != jsonvalue.String {
		return "", false
	}
	return text.Text(), block.Len() == 1 || textAt(block, "type") == "text"
}

// textAt returns the text under a key of an object, or "".
func textAt(v jsonvalue.Value, key string) string {
	m, _ := v.Member(key)
	return m.Text()
}
