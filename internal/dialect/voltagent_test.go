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
			name: "a workflow", scope: scope, span: "nightly",
			attributes: map[string]any{"entity.type": "workflow", "entity.name": "nightly"},
			want:       Reading{Role: Workflow, Agent: "nightly"},
			reason:     "it runs agents",
		},
		{
			name: "wrong types", scope: scope, span: "span",
			attributes: map[string]any{"span.type": []any{"tool"}, "entity.type": 1, "agent.state": []any{}},
			reason:     "none of it says what the span is",
		},
	})
}
