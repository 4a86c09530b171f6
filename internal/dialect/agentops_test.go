package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestAgentOps(t *testing.T) {
	checkRows(t, []row{
		{
			name: "a decorated tool",
			span: "search.tool",
			attributes: map[string]any{
				"agentops.span.kind": "tool", "operation.name": "search",
				"agentops.tool.input": `{"args": [], "kwargs": {"q": "a"}}`, "agentops.tool.output": `{"n": 1}`,
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON(`{"n": 1}`)
			}),
			reason: "how a Python function was called; the named arguments are the tool's",
		},
		{
			name: "a tool decorated by an older version",
			span: "search.tool",
			attributes: map[string]any{
				"agentops.span.kind": "tool", "agentops.operation.name": "search",
				"agentops.entity.input": `{"args": [], "kwargs": {}}`, "agentops.entity.output": `"sunny"`,
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{}`), scoring.JSON(`"sunny"`)
			}),
			reason: "the keys changed, not what they hold",
		},
		{
			name: "a framework's tool",
			span: "agents.function",
			attributes: map[string]any{
				"agentops.span.kind": "tool", openInferenceToolName: "search", "tool.id": "call_1",
				openInferenceParameters: `{"q":"a"}`, "tool.result": "sunny", "tool.status": "failed",
			},
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Status = "call_1", scoring.StatusFailed
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON("sunny")
			}),
			reason: "here tool.parameters are the arguments, and never the schema",
		},
		{
			name:       "content switched off",
			span:       "search.tool",
			attributes: map[string]any{"agentops.span.kind": "tool"},
			want:       call("search"),
			reason:     "the span's name is left, with the kind behind it",
		},
		{
			name:       "an agent",
			span:       "support.agent",
			attributes: map[string]any{"agentops.span.kind": "agent"},
			want:       Reading{Role: Agent, Agent: "support"},
			reason:     "one execution of an agent",
		},
		{
			name:       "a session",
			span:       "checkout.session",
			attributes: map[string]any{"agentops.span.kind": "session", "operation.name": "checkout"},
			want:       Reading{Role: Workflow, Agent: "checkout"},
			reason:     "the span of the whole trace",
		},
		{
			name:       "a model call",
			span:       "openai.chat",
			attributes: map[string]any{"agentops.span.kind": "llm", genAIOperation: chat},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Traits: MessagesOnly},
			reason:     "as the conventions have it",
		},
		{
			name:       "a task",
			span:       "plan.task",
			attributes: map[string]any{"agentops.span.kind": "task"},
			reason:     "a part of an agent's work",
		},
		{
			name: "wrong types",
			span: "search.tool",
			attributes: map[string]any{
				"agentops.span.kind": "tool", openInferenceToolName: []any{}, "operation.name": map[string]any{}, "agentops.tool.input": true,
				"tool.status": []any{"failed"},
			},
			want:   call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("true") }),
			reason: "what is no name is as good as absent",
		},
	})
}
