package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestSpringAI(t *testing.T) {
	checkRows(t, []row{
		{
			name: "a tool",
			span: "tool_call search",
			attributes: map[string]any{
				"spring.ai.kind": "tool_call", genAIOperation: "framework", "spring.ai.tool.definition.name": "search", "spring.ai.tool.call.id": "call_1",
				"spring.ai.tool.call.arguments": `{"q":"a"}`, "spring.ai.tool.call.result": `"sunny"`,
			},
			status: ptrace.StatusCodeError,
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Status = "call_1", scoring.StatusFailed
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON(`"sunny"`)
			}),
			reason: "the observation of a tool call, with its content included",
		},
		{
			name:       "a tool, as newer versions write it",
			span:       "execute_tool search",
			attributes: map[string]any{"spring.ai.kind": "tool_call", genAIOperation: executeTool},
			want:       call("search"),
			reason:     "content is left out unless the application asks for it",
		},
		{
			name:       "named by its span",
			span:       "tool_call search",
			attributes: map[string]any{"spring.ai.kind": "tool_call"},
			want:       call("search"),
			reason:     "the contextual name has the tool's name behind the kind",
		},
		{
			name: "a tool behind MCP",
			attributes: map[string]any{
				"spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": "search", "spring.ai.tool.call.result": `[{"text":"{\"n\":1}"}]`,
			},
			want:   call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"n":1}`) }),
			reason: "MCP's content, without the type of its blocks",
		},
		{
			name:       "a chat client",
			span:       "spring_ai chat_client",
			attributes: map[string]any{"spring.ai.kind": "chat_client", "spring.ai.chat.client.conversation.id": "007"},
			want:       Reading{Role: Agent, Conversation: "007"},
			reason:     "it runs the tools that its model asks for; it has no name",
		},
		{
			name:       "an advisor",
			span:       "memory",
			attributes: map[string]any{"spring.ai.kind": "advisor", genAIOperation: "framework"},
			reason:     "a part of the client's work",
		},
		{
			name:       "a model call",
			scope:      "org.springframework.boot",
			span:       "chat gpt-4o-mini",
			attributes: map[string]any{"spring.ai.kind": "chat_model", genAIOperation: chat},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages},
			reason:     "as the conventions have it",
		},
		{
			name: "wrong types",
			span: "tool_call search",
			attributes: map[string]any{
				"spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": []any{"x"}, "spring.ai.tool.call.id": map[string]any{}, "spring.ai.tool.call.arguments": map[string]any{"q": true},
			},
			want:   call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"q":true}`) }),
			reason: "what is no name is as good as absent",
		},
	})
}
