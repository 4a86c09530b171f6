package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const claudeScope = "com.anthropic.claude_code.tracing"

func TestClaude(t *testing.T) {
	tool := map[string]any{
		claudeType: "tool", genAIOperation: executeTool, genAIToolName: "search", "tool_name": "mcp__shop__search",
		genAICallID: "toolu_1", genAIConversation: "s1",
	}
	search := call("search").with(func(r *Reading) { r.CallID, r.Conversation = "toolu_1", "s1" })
	execution := func(more map[string]any) map[string]any {
		more[claudeType], more[genAICallID] = "tool.execution", "toolu_1"
		return more
	}
	outcome := func(status scoring.CallStatus) Reading {
		return Reading{
			Role: ToolCall, CallID: "toolu_1", Traits: ResultOnly,
			Call: scoring.Call{Status: status},
		}
	}
	const executionName = "claude_code.tool.execution"
	checkRows(t, []row{
		{
			name: "a call", scope: claudeScope, span: "claude_code.tool", attributes: tool,
			events: []happened{{"tool.output", map[string]any{"output": `{"n":1}`}}},
			want:   search.with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"n":1}`) }),
			reason: "the server's name for the tool, without the prefix that the model saw; the output is in an event",
		},
		{
			name: "without content", scope: claudeScope, span: "claude_code.tool", attributes: tool,
			want:   search,
			reason: "the event is there only if it was asked for, arguments never are",
		},
		{
			name: "a subagent", scope: claudeScope, span: "claude_code.tool",
			attributes: map[string]any{
				claudeType: "tool", genAIOperation: executeTool, genAIToolName: "Agent", "subagent_type": "researcher",
			},
			want:   call("Agent").with(func(r *Reading) { r.Agent = "researcher" }),
			reason: "no other span represents the subagent",
		},
		{
			name: "a success", scope: claudeScope, span: executionName, attributes: execution(map[string]any{claudeSuccess: true}),
			want:   outcome(scoring.StatusOK),
			reason: "only this span knows how the call ended, and it does not name the tool",
		},
		{
			name: "a failure", scope: claudeScope, span: executionName, attributes: execution(map[string]any{claudeSuccess: false}),
			status: ptrace.StatusCodeError,
			want:   outcome(scoring.StatusFailed),
			reason: "the tool's own span has no status",
		},
		{
			name: "neither", scope: claudeScope, span: executionName, attributes: execution(map[string]any{claudeSuccess: "no"}),
			want:   outcome(scoring.StatusUnset),
			reason: "a flag that is no boolean is as good as absent",
		},
		{
			name: "a run", scope: claudeScope, span: "claude_code.interaction",
			attributes: map[string]any{claudeType: "interaction", genAIOperation: invokeAgent, sessionID: "s1"},
			want:       Reading{Role: Agent, Conversation: "s1"},
			reason:     "the traces do not name the agent",
		},
		{
			name: "the wait for the user", scope: claudeScope, span: "claude_code.tool.blocked_on_user",
			attributes: map[string]any{claudeType: "tool.blocked_on_user", "decision": "accept"},
			reason:     "no call of its own",
		},
		{
			name: "a model call", scope: claudeScope, span: "claude_code.llm_request",
			attributes: map[string]any{claudeType: "llm_request"},
			reason:     "its messages are not recorded",
		},
		{
			name: "wrong types", scope: claudeScope, span: "claude_code.tool",
			attributes: map[string]any{claudeType: []any{"tool"}, genAIOperation: executeTool},
			reason:     "a marker counts only as a string",
		},
	})
}
