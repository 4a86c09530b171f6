package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestVoltAgent(t *testing.T) {
	const scope = "@voltagent/core"
	checkRows(t, []row{
		{
			name: "a call", scope: scope, span: "tool.execution:search",
			attributes: map[string]any{
				"span.type": "tool", "tool.name": "search", "tool.call.id": "call_1", "conversation.id": "c1",
				"input": `{"q":"a"}`, "output": `[1]`, "tool.parameters": `{"def":{}}`,
				"entity.name": "support", "entity.type": "agent",
			},
			status: ptrace.StatusCodeOk,
			want: Reading{
				Role: ToolCall, Conversation: "c1", CallID: "call_1",
				Call: scoring.Call{
					Name: "search", Arguments: scoring.JSON(`{"q":"a"}`), Output: scoring.JSON(`[1]`), Status: scoring.StatusOK,
				},
			},
			reason: "the parameters are the tool's schema, the input is what it got",
		},
		{
			name: "a failed call without content", scope: scope, span: "tool.execution:search",
			attributes: map[string]any{"span.type": "tool", errorType: "Error"},
			status:     ptrace.StatusCodeError,
			want:       call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the tool's name is in the span's name as well",
		},
		{
			name: "an agent", scope: scope, span: "generateText",
			attributes: map[string]any{"entity.type": "agent", "entity.name": "support", "agent.state": "completed"},
			want:       Reading{Role: Agent, Agent: "support"},
			reason:     "the run's own span has no type, and alone has a state",
		},
		{
			name: "a subagent", scope: scope, span: "subagent:researcher",
			attributes: map[string]any{
				"entity.type": "agent", "entity.name": "support", "subagent.name": "researcher", "agent.state": "completed",
			},
			want:   Reading{Role: Agent, Agent: "researcher"},
			reason: "the entity is the agent above it",
		},
		{
			name: "a workflow", scope: scope, span: "nightly",
			attributes: map[string]any{"entity.type": "workflow", "entity.name": "nightly"},
			want:       Reading{Role: Workflow, Agent: "nightly"},
			reason:     "it runs agents",
		},
		{
			name: "a model call", scope: scope, span: "llm:streamText",
			attributes: map[string]any{"span.type": "llm", "entity.type": "agent", "entity.name": "support"},
			reason:     "one span represents all responses and has no calls in it",
		},
		{
			name: "wrong types", scope: scope, span: "span",
			attributes: map[string]any{"span.type": []any{"tool"}, "entity.type": 1, "agent.state": []any{}},
			reason:     "none of it says what the span is",
		},
	})
}
