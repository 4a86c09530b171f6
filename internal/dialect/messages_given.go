package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

// given is what a model call was given, as far as it shows where a loop of model calls begins.
type given struct {
	spoken   bool // messages, with their roles
	answered bool // a message of an assistant, or of a tool
	offered  bool // tools
}

// given looks at the attributes once, and decodes nothing. Texts of users and tools cannot feign a role: inside of a JSON
// string each quote has a backslash in front of it.
func (s source) given(m Messages) (g given) {
	if m != GenAIMessages && m != OpenInferenceMessages && m != LangChainMessages {
		return given{}
	}
	for key, v := range s.attributes.All() {
		switch {
		case key == genAIInput:
			g.inMessages(v)
		case key == genAIDefinitions:
			g.offered = g.offered || hasMore(v)
		case strings.HasPrefix(key, openInferenceTools), strings.HasPrefix(key, openLLMetryTools):
			g.offered = true
		case strings.HasPrefix(key, openInferenceGiven), strings.HasPrefix(key, openLLMetryGiven):
			if strings.HasSuffix(key, ".role") && v.Type() == pcommon.ValueTypeStr {
				g.spoken = true
				g.answered = g.answered || answersRole(v.Str())
			}
		}
	}
	return g
}

// inMessages looks at messages in JSON.
func (g *given) inMessages(v pcommon.Value) {
	if v.Type() != pcommon.ValueTypeStr {
		return
	}
	text := v.Str()
	g.spoken = g.spoken || strings.Contains(text, `"role"`)
	for _, role := range [...]string{`"assistant"`, `"tool"`, `"model"`} {
		g.answered = g.answered || strings.Contains(text, role)
	}
}

// answersRole reports whether a role is that of whoever answers the user.
func answersRole(role string) bool {
	switch role {
	case "assistant", "tool", "model", "ai", "function":
		return true
	}
	return false
}

// hasMore reports whether a list is not empty.
func hasMore(v pcommon.Value) bool {
	switch v.Type() {
	case pcommon.ValueTypeStr:
		return len(v.Str()) > len("[]")
	case pcommon.ValueTypeSlice:
		return v.Slice().Len() > 0
	}
	return false
}
