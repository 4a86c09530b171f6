package outputs

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

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
	if hasOnly(v, "type", "text", "annotations", "_meta", "meta") && textAt(v, "type") == "text" {
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
	if !hasOnly(v, "content", "isError", "is_error", "structuredContent", "structured_content", "_meta", "meta") {
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

// hasOnly reports whether v is an object with at least one key, and only with keys of the list.
func hasOnly(v jsonvalue.Value, keys ...string) bool {
	if v.Kind() != jsonvalue.Object || v.Len() == 0 {
		return false
	}
	for name := range v.Members() {
		if !slices.Contains(keys, name) {
			return false
		}
	}
	return true
}

// textAt returns the text under a key of an object, or "".
func textAt(v jsonvalue.Value, key string) string {
	m, _ := v.Member(key)
	return m.Text()
}
