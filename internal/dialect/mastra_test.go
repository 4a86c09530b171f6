package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestMastra(t *testing.T) {
	tool := func(kind string) map[string]any {
		return map[string]any{
			"mastra.span.type": kind, genAIOperation: executeTool, genAIToolName: "search", genAICallID: "call_1",
			genAIArguments: `{"q":"a"}`, genAIResult: "found",
		}
	}
	read := call("search").with(func(r *Reading) {
		r.CallID = "call_1"
		r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON("found")
	})
	checkRows(t, []row{
		{name: "a provider's tool", attributes: tool("provider_tool_call"), want: read, reason: "executed, if not here"},
		{
			name: "a call that is left to the client", span: "client_tool_call search",
			attributes: map[string]any{
				"mastra.span.type": "client_tool_call", genAIOperation: "client_tool_call", "mastra.metadata.args": `{"q":"a"}`,
			},
			reason: "a tool that there is not is written so as well; nothing was executed here",
		},
		{
			name: "a workflow", span: "invoke_workflow nightly",
			attributes: map[string]any{"mastra.span.type": "workflow_run", genAIOperation: invokeWorkflow},
			want:       Reading{Role: Workflow, Agent: "nightly"},
			reason:     "it runs agents",
		},
		{
			name: "wrong types", attributes: map[string]any{"mastra.span.type": []any{"tool_call"}, "mastra.metadata.threadId": 1},
			reason: "a marker counts only as a string",
		},
	})
}
