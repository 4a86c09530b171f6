package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestSpringAI(t *testing.T) {
	checkRows(t, []row{
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
