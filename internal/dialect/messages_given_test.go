package dialect

import "testing"

// Messages begin if none of an assistant or a tool was given. A user's text cannot imitate a role.
func TestWhereMessagesBegin(t *testing.T) {
	const role, schema = "llm.input_messages.0.message.role", "llm.tools.0.tool.json_schema"
	for _, tc := range []struct {
		name            string
		shape           Messages
		attributes      map[string]any
		begins, offered bool
		reason          string
	}{
		{"a user who writes of roles", GenAIMessages, map[string]any{genAIInput: `[{"role":"user","content":"{\"role\":\"assistant\"}"}]`}, true, false,
			"quotes in a text have backslashes"},
		{"a text that is the name of a role", GenAIMessages, map[string]any{genAIInput: `[{"role":"user","content":"assistant"}]`}, true, false, "it is no role"},
		{"a text that ends like a role", GenAIMessages, map[string]any{genAIInput: `[{"role":"user","content":"\"role\": \"tool\""}]`}, true, false, "quotes in a text have backslashes"},
		{"messages with spaces", GenAIMessages, map[string]any{genAIInput: `[ { "role" : "assistant" } ]`}, false, false, "encoders may write spaces"},
		{"a role in a user's content", GenAIMessages, map[string]any{genAIInput: `[{"parts":[{"type":"data","content":{"role":"assistant"}}],"role":"user"}]`}, true, false,
			"content is no message, whatever comes first"},
		{"a role behind a message's", GenAIMessages, map[string]any{genAIInput: `[{"role":"user","parts":[{"type":"data","content":{"role":"tool"}}]}]`}, true, false, "it is in more brackets"},
		{"an assistant behind a role in content", GenAIMessages, map[string]any{genAIInput: `[{"role":"user","parts":[{"content":{"role":"tool"}}]},{"role":"assistant"}]`}, false, false,
			"the loop is under way"},
		{"brackets in a text", GenAIMessages, map[string]any{genAIInput: `[{"role":"user","content":"}]\\"},{"role":"assistant"}]`}, false, false, "they are no structure"},
		{"messages with a version", GenAIMessages, map[string]any{genAIInput: `{"version":"1","messages":[{"role":"user","parts":[{"content":{"role":"tool"}}]}]}`}, true, false, "likewise"},
		{"an assistant with a version", GenAIMessages, map[string]any{genAIInput: `{"version":"1","messages":[{"role":"user"},{"role":"assistant"}]}`}, false, false, "the loop is under way"},
		{"messages in a list", GenAIMessages, map[string]any{genAIInput: []any{map[string]any{"role": "user"}}}, true, false, "structured values are messages, too"},
		{"an assistant in a list", GenAIMessages, map[string]any{genAIInput: []any{map[string]any{"role": "user"}, map[string]any{"role": "assistant"}}}, false, false, "the loop is under way"},
		{"prose that quotes messages", GenAIMessages, map[string]any{genAIInput: `say [{"role":"user"}]`}, false, false, "it is no JSON, so where they begin is not known"},
		{"messages behind spaces", GenAIMessages, map[string]any{genAIInput: "\n [{\"role\":\"user\"}]"}, true, false, "encoders may write spaces"},
		{"no messages", GenAIMessages, map[string]any{}, false, false, "where they begin is not known"},
		{"tools", GenAIMessages, map[string]any{genAIDefinitions: `[{"name":"a"}]`}, false, true, "the model could request one"},
		{"an empty list of tools", GenAIMessages, map[string]any{genAIDefinitions: `[]`}, false, false, "there was none"},
		{"OpenInference's tools", OpenInferenceMessages, map[string]any{schema: `{"name":"a"}`}, false, true, "the model could request one"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := tc.shape.Response(newSpan("chat", tc.attributes), everything, new(Scratch))
			if got.Begins != tc.begins || got.Offered != tc.offered {
				t.Errorf("begins %t and offered %t, want %t and %t: %s", got.Begins, got.Offered, tc.begins, tc.offered, tc.reason)
			}
		})
	}
}
