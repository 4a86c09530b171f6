package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// What a model asks for in one answer is started in the order of the answer, often within the resolution of the
// clock. Then start times do not tell the order of the calls, and the answer does.
//
// An answer is worth reading only if it asks for two calls at least; most ask for one or none, and are not parsed.

// vercelAsked are the ids of the calls in ai.response.toolCalls: [{"toolCallId": ..., "toolName": ...}].
func (s source) vercelAsked() []string {
	text := s.marker(vercelToolCalls)
	if strings.Count(text, `"toolCallId"`) < 2 {
		return nil
	}
	answer, err := scoring.Decode(text)
	if err != nil {
		return nil
	}
	return severalIDs(answer, "toolCallId", nil)
}

// genAIAsked are the ids of the calls in gen_ai.output.messages: [{"parts": [{"type": "tool_call", "id": ...}]}].
func (s source) genAIAsked() []string {
	text := s.marker(genAIOutput)
	if strings.Count(text, `"tool_call"`) < 2 {
		return nil
	}
	answer, err := scoring.Decode(text)
	if err != nil {
		return nil
	}
	var ids []string
	for message := range answer.Elements() {
		parts, _ := message.Member("parts")
		ids = severalIDs(parts, "id", ids)
	}
	return ids
}

// severalIDs appends the ids that stand under key in the elements of list. Of a list with types only tool calls count.
func severalIDs(list scoring.Value, key string, ids []string) []string {
	for element := range list.Elements() {
		if kind, typed := element.Member("type"); typed && kind.Text() != "tool_call" {
			continue
		}
		if id, ok := element.Member(key); ok && id.Kind() == scoring.String {
			ids = append(ids, valid(id.Text()))
		}
	}
	return ids
}

// modelCall is the reading of a model's answer that asked for calls with these ids. One call has no order.
func modelCall(asked []string) Reading {
	if len(asked) < 2 {
		return Reading{}
	}
	return Reading{Role: ModelCall, Asked: asked}
}
