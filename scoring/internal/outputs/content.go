package outputs

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/jsonvalue"
)

// Content is the result in a list of content blocks.
type Content struct {
	// Texts are the texts of the blocks, in order. A block with JSON instead of a text adds none.
	Texts []string
	// JSON is the value of the one block that has JSON. It means nothing if there are texts.
	JSON jsonvalue.Value
}

// ContentOf takes the result out of content blocks, as MCP, Strands and model providers write it:
// [{"type": "text", "text": ...}], [{"json": ...}], MCP's CallToolResult around such a list, or one block alone. It reports
// false for anything else. A list with a block of another kind, such as an image, is no result that can be compared.
func ContentOf(v jsonvalue.Value) (Content, bool) {
	if hasOnly(v, "type", "text", "annotations", "_meta", "meta") && textAt(v, "type") == "text" {
		text, ok := blockText(v) // the OpenAI Agents SDK writes an MCP server's answer so if it is one block
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

// blockList is v, or the list in MCP's CallToolResult. An object with any other key is the tool's own result.
func blockList(v jsonvalue.Value) (jsonvalue.Value, bool) {
	if v.Kind() == jsonvalue.Array {
		return v, true
	}
	if !hasOnly(v, "content", "isError", "is_error", "structuredContent", "structured_content", "_meta", "meta") {
		return jsonvalue.Value{}, false
	}
	return v.Member("content")
}

// blockText is the text of {"type": "text", "text": ...}, or of Strands' {"text": ...}, which has no type.
func blockText(block jsonvalue.Value) (string, bool) {
	text, ok := block.Member("text")
	if !ok || text.Kind() != jsonvalue.String {
		return "", false
	}
	return text.Text(), block.Len() == 1 || textAt(block, "type") == "text"
}

// hasOnly reports whether v is an object that has a key, and none but these.
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

// textAt is the text under a key of an object, or "".
func textAt(v jsonvalue.Value, key string) string {
	m, _ := v.Member(key)
	return m.Text()
}
