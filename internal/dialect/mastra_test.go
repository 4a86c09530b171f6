package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

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
		{name: "a tool", attributes: tool("tool_call"), want: read, reason: "the type decides, the conventions' keys have the rest"},
		{name: "a tool behind MCP", attributes: tool("mcp_tool_call"), want: read, reason: "the agent's own span, not the protocol's"},
		{name: "a provider's tool", attributes: tool("provider_tool_call"), want: read, reason: "executed, if not here"},
		{
			name: "a failed tool without content", span: "execute_tool search",
			attributes: map[string]any{"mastra.span.type": "tool_call", genAIOperation: executeTool, errorType: "unknown"},
			status:     ptrace.StatusCodeError,
			want:       call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "hidden input and output leave no attribute",
		},
		{
			name: "a call that is left to the client", span: "client_tool_call search",
			attributes: map[string]any{
				"mastra.span.type": "client_tool_call", genAIOperation: "client_tool_call", "mastra.metadata.args": `{"q":"a"}`,
			},
			reason: "a tool that there is not is written so as well; nothing was executed here",
		},
		{
			name: "an agent", attributes: map[string]any{
				"mastra.span.type": "agent_run", genAIOperation: invokeAgent, genAIAgentName: "support", "mastra.metadata.threadId": "t1",
			},
			want:   Reading{Role: Agent, Agent: "support", Conversation: "t1"},
			reason: "the thread is the conversation",
		},
		{
			name: "a workflow", span: "invoke_workflow nightly",
			attributes: map[string]any{"mastra.span.type": "workflow_run", genAIOperation: invokeWorkflow},
			want:       Reading{Role: Workflow, Agent: "nightly"},
			reason:     "it runs agents",
		},
		{
			name: "a model's answer", attributes: map[string]any{"mastra.span.type": "model_inference", genAIOperation: chat},
			want:   Reading{Role: ModelCall, Messages: GenAIMessages},
			reason: "in the conventions' messages",
		},
		{
			name: "the loop around it", attributes: map[string]any{"mastra.span.type": "model_generation", genAIOperation: "model_generation"},
			reason: "it repeats what its steps say",
		},
		{
			name: "a chunk of it", attributes: map[string]any{
				"mastra.span.type": "model_chunk", genAIOperation: "model_chunk", "mastra.metadata.toolName": "search",
			},
			reason: "the model requests a call; its own span shows that it was made",
		},
		{
			name: "wrong types", attributes: map[string]any{"mastra.span.type": []any{"tool_call"}, "mastra.metadata.threadId": 1},
			reason: "a marker counts only as a string",
		},
	})
}
