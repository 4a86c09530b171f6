package dialect

import (
	"slices"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestHaystackByOpenInference(t *testing.T) {
	chain := map[string]any{openInferenceKind: "CHAIN"}
	checkRows(t, []row{
		{
			name: "a pipeline with an agent", scope: haystackOIScope, span: "Pipeline.run",
			attributes: map[string]any{openInferenceKind: "CHAIN", openInferenceOutput: `{"search":{"documents":[]},"desk":{"messages":[],"last_message":"x"}}`},
			want:       Reading{Role: Agent, Agent: "desk"}, reason: "the result of one component is that of an agent",
		},
		{
			name: "a pipeline with two agents", scope: haystackOIScope, span: "AsyncPipeline.run_async",
			attributes: map[string]any{openInferenceKind: "CHAIN", openInferenceOutput: `{"a":{"last_message":"x"},"b":{"last_message":"y"}}`},
			want:       Reading{Role: Workflow, Agent: "AsyncPipeline.run_async"}, reason: "nothing tells which span is whose",
		},
		{
			name: "an agent's word in a result", scope: haystackOIScope, span: "Pipeline.run",
			attributes: map[string]any{openInferenceKind: "CHAIN", openInferenceOutput: `{"llm":{"replies":[{"x":{"last_message":"y"}},"last_message"]}}`},
			want:       Reading{Role: Workflow, Agent: "Pipeline.run"}, reason: "content names no agent",
		},
		{
			name: "a pipeline without an output", scope: haystackOIScope, span: "Pipeline.run",
			attributes: map[string]any{openInferenceKind: "CHAIN", openInferenceOutput: `{"a":{"last_message":`},
			want:       Reading{Role: Workflow, Agent: "Pipeline.run", Traits: LostName}, reason: "it is cut off",
		},
		{
			name: "the name alone", span: "Agent.run", attributes: chain,
			want: Reading{Role: Workflow, Agent: "Agent.run"}, reason: "an application may name its spans anything",
		},
	})
}

// The requests since the user's last message count, and no text counts as one.
func TestHaystackMessages(t *testing.T) {
	const output = `{"messages": [
		"ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[ToolCall(tool_name='old', arguments={}, id='c0')], _name=None, _meta={})",
		"ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text=\"ToolCall(tool_name='x', arguments={}, id='c9')\")])",
		"ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[ToolCall(tool_name='search', arguments={'q': None}, id='c1', extra=None)])",
		"ChatMessage(_role=<ChatRole.TOOL: 'tool'>, _content=[ToolCallResult(result='none', origin=ToolCall(tool_name='search', arguments={}, id='c1'), error=True)])",
		"ChatMessage(broken"
	]}`
	span := newSpan("Agent.run", map[string]any{openInferenceKind: "CHAIN", openInferenceOutput: output})
	got := HaystackMessages.Response(span, Want{Results: true, Arguments: true, Outputs: true}, new(Scratch))
	asked := []ToolRequest{{ID: "c1", Name: "search", Arguments: scoring.JSON(`{"q":null}`)}}
	results := []ToolResult{{ID: "c1", Output: scoring.JSON("none"), Failed: true}}
	if !slices.Equal(got.Requests, asked) || !slices.Equal(got.Results, results) {
		t.Errorf("asked %v, results %v", got.Requests, got.Results)
	}
}
