package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
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
	g.spoken, g.answered = true, g.answered || answers(role)
}

// answers reports whether a role is that of an assistant, or of a tool.
func answers(role string) bool {
	switch role {
	case "assistant", "tool", "model", "ai", "function":
		return true
	}
	return false
}

// hearIn adds the messages of the attribute key, as JSON text or as a list.
func (g *given) hearIn(attributes attributeMap, key string) {
	v, ok := attributes.Get(key)
	switch {
	case !ok:
	case v.Type() == pcommon.ValueTypeSlice:
		for _, message := range v.Slice().All() {
			if message.Type() == pcommon.ValueTypeMap {
				if role, ok := message.Map().Get("role"); ok {
					g.hear(role.AsString())
				}
			}
		}
	case v.Type() == pcommon.ValueTypeStr:
		var heard given
		words.Roles(v.Str(), func(role string) bool {
			heard.hear(role)
			return !heard.answered
		})
		g.spoken = g.spoken || heard.spoken
		g.answered = g.answered || heard.answered && words.HasOuterRole(v.Str(), answers)
	}
}

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
