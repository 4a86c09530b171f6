package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestPydantic(t *testing.T) {
	rows := []row{
		{
			name: "version 2",
			span: "running tool",
			attributes: map[string]any{
				genAIToolName: "search", genAICallID: "call_1", "tool_arguments": `{"q":"a"}`, "tool_response": `[1]`,
				genAIConversation: "c1", "logfire.msg": "running tool: search",
			},
			want: Reading{
				Role: ToolCall, Conversation: "c1", CallID: "call_1",
				Call: scoring.Call{Name: "search", Arguments: scoring.JSON(`{"q":"a"}`), Output: scoring.JSON(`[1]`)},
			},
			reason: "the span carries no marker of its own; its scope is one",
		},
		{
			name: "version 2, as newer releases write it",
			span: "running tool",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", "tool_arguments": `{}`, "tool_response": "sunny",
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{}`), scoring.JSON("sunny")
			}),
			reason: "the conventions' operation does not bring their keys for content",
		},
		{
			name: "a call that waits for approval",
			span: "execute_tool pay",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "pay", "pydantic_ai.tool.deferral.name": "ApprovalRequired",
			},
			status: ptrace.StatusCodeError,
			want:   call("pay"),
			reason: "it is an error's status before version 5, but nothing has failed",
		},
		{
			name:       "an output function",
			span:       "running output function",
			attributes: map[string]any{genAIToolName: "final_result", "tool_arguments": `{}`},
			reason:     "the model answered; it called no tool",
		},
		{
			name: "an output function from version 3 on",
			span: "execute_tool final_result",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "final_result", "logfire.msg": "running output function: final_result",
			},
			reason: "only the message distinguishes it from a tool; no later dialect is tried",
		},
		{
			name:       "an agent of version 2",
			span:       "agent run",
			attributes: map[string]any{"agent_name": "support", genAIConversation: "c1"},
			want:       Reading{Role: Agent, Agent: "support", Conversation: "c1"},
			reason:     "the old key for its name",
		},
		{
			name: "hidden content",
			span: "execute_tool search",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search",
				genAIArguments: "[Scrubbed due to 'password']", genAIResult: "[Scrubbed due to 'auth']",
			},
			want:   call("search"),
			reason: "Logfire's placeholder is no content",
		},
		{
			name: "wrong types",
			span: "running tool",
			attributes: map[string]any{
				genAIToolName: []any{"search"}, genAICallID: map[string]any{}, "tool_arguments": []byte{}, "logfire.msg": 1,
				"pydantic_ai.tool.deferral.name": []any{"x"},
			},
			want:   call("running tool").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`""`) }),
			reason: "what is no name is absent; bytes are content, if odd",
		},
	}
	for i := range rows {
		rows[i].scope = "pydantic-ai"
	}
	checkRows(t, rows)
}
