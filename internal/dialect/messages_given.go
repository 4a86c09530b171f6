package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// given says what the messages for a model show about the beginning of a loop of model calls.
type given struct {
	spoken   bool // there are messages with roles
	answered bool // one is of an assistant, or of a tool
}

// listsOfTools are where the spans of a format list the tools that a model was offered.
var listsOfTools = [len(responses)][]string{
	GenAIMessages:         {genAIDefinitions, openLLMetryTools + "0.name"},
	OpenInferenceMessages: {openInferenceTools + "0." + openInferenceSchema, genAIDefinitions},
	LangChainMessages:     {openInferenceTools + "0." + openInferenceSchema, genAIDefinitions},
}

// begins reports whether a response without results is the first of a loop.
func (g given) begins() bool { return g.spoken && !g.answered }

// hear adds a message by its role.
func (g *given) hear(role string) {
	g.spoken = true
	switch role {
	case "assistant", "tool", "model", "ai", "function":
		g.answered = true
	}
}

// hearIn adds the messages of the attribute key, as JSON text or as a list. It decodes nothing: a role follows its key and a
// colon, and within a text of JSON each quote follows a backslash. A colon is rarer than a quote.
func (g *given) hearIn(attributes attributeMap, key string) {
	v, ok := attributes.Get(key)
	switch {
	case !ok:
	case v.Type() == pcommon.ValueTypeSlice:
		for _, message := range v.Slice().All() {
			if message.Type() != pcommon.ValueTypeMap {
				continue
			}
			if role, ok := message.Map().Get("role"); ok {
				g.hear(role.AsString())
			}
		}
	case v.Type() == pcommon.ValueTypeStr && mayBeMessages(v.Str()):
		for rest := v.Str(); !g.answered; {
			colon := strings.IndexByte(rest, ':')
			if colon < 0 {
				return
			}
			name := rest[:colon]
			rest = rest[colon+1:]
			if isRole(name) {
				g.hear(stringOf(rest))
			}
		}
	}
}

// mayBeMessages reports whether a text begins as a list or an object does. Prose is no messages, whatever roles it speaks of.
func mayBeMessages(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c == '[' || c == '{'
		}
	}
	return false
}

// isRole reports whether a text of JSON ends with the key of a role.
func isRole(text string) bool {
	const key = `"role"`
	for len(text) > 0 && strings.IndexByte(jsonSpace, text[len(text)-1]) >= 0 {
		text = text[:len(text)-1]
	}
	return strings.HasSuffix(text, key) && !strings.HasSuffix(text, `\`+key)
}

// stringOf is the string with which a text of JSON begins.
func stringOf(text string) string {
	text, ok := strings.CutPrefix(strings.TrimLeft(text, jsonSpace), `"`)
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, `"`)
	return text
}

const jsonSpace = " \t\r\n"

// wereOffered reports whether the span lists tools, one at least, for a model that requested none.
func (s *source) wereOffered(m Messages) bool {
	for _, key := range listsOfTools[m] {
		if v, ok := s.attributes.Get(key); ok && hasMore(v) {
			return true
		}
	}
	return false
}

// hasMore reports whether a list has an element. The text of an empty one has brackets only.
func hasMore(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return len(v.Str()) > len("[]")
	case pcommon.ValueTypeSlice:
		return v.Slice().Len() > 0
	}
	return false
}
