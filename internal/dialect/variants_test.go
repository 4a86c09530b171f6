package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestVariantsOfCalls(t *testing.T) {
	weather := func(change ...func(*Reading)) Reading {
		r := call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) })
		for _, c := range change {
			c(&r)
		}
		return r
	}
	const arguments = `{"city":"Oslo"}`
	checkRows(t, []row{
		{
			name: "content under OpenInference's keys", attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "weather", openInferenceInput: arguments},
			want: weather(), reason: "ZeroClaw and others write no kind beside them",
		},
		{
			name: "arguments in OpenInference, encoded twice", attributes: map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceInput: `"{\"city\":\"Oslo\"}"`},
			want: weather(), reason: "an SDK encoded them once more",
		},
		{
			name: "smolagents without its scope", attributes: map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceInput: `{"args":[],"sanitize_inputs_outputs":true,"kwargs":{"city":"Oslo"}}`,
			},
			want: weather(), reason: "a backend's export has no scopes",
		},
		{
			name: "LangChain without its scope", attributes: map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "weather", openInferenceInput: `{'city': 'Oslo'}`},
			want: weather(func(r *Reading) { r.Traits = UnnamedArgument }), reason: "as with it",
		},
		{
			name: "OpenLLMetry's callback without its scope", span: "weather.tool", attributes: map[string]any{
				traceloopKind: "tool", traceloopName: "weather", "traceloop.entity.input": `{"input_str":"","tags":[],"metadata":{},"inputs":{"city":"Oslo"},"kwargs":{}}`,
			},
			want: weather(), reason: "its form is unmistakable",
		},
		{
			name: "Pydantic AI 1 without its scope", span: "running tool", attributes: map[string]any{genAIToolName: "weather", "tool_arguments": arguments},
			want: weather(), reason: "the attribute marks it",
		},
		{
			name: "Claude Code without its scope", span: "claude_code.tool", attributes: map[string]any{claudeType: "tool", genAIToolName: "weather"},
			want: call("weather"), reason: "its spans' names begin alike",
		},
		{
			name: "another's type of a span", span: "GET", attributes: map[string]any{claudeType: "tool", genAIToolName: "weather"},
			reason: "many write such a key",
		},
		{
			name: "AgentOps, a request", span: "tool_call.weather", attributes: map[string]any{"agentops.span.kind": "tool", "tool.name": "weather", "tool.call.id": "c1"},
			reason: "another span is of the call",
		},
		{
			name: "AgentOps, the conventions' name", span: "x.tool", attributes: map[string]any{"agentops.span.kind": "tool", agentOpsEntity: "x", genAIToolName: "weather"},
			want: call("weather"), reason: "the entity is a function",
		},
		{
			name: "MLflow, the name of a tool", span: "tool_weather", attributes: map[string]any{mlflowType: `"TOOL"`, "tool_name": `"weather"`, "tool_id": `"c1"`},
			want: call("weather").with(func(r *Reading) { r.CallID = "c1" }), reason: "its integrations of command lines name spans so",
		},
		{
			name: "ADK, arguments encoded twice", scope: adkScope, span: "execute_tool weather", attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "weather", adkArguments: `"{\"city\":\"Oslo\"}"`,
			},
			want: weather(), reason: "an SDK encoded them once more",
		},
		{
			name: "a call without a name and an ID", span: executeTool, attributes: map[string]any{genAIOperation: executeTool},
			want: call(executeTool).with(func(r *Reading) { r.Traits = LostName }), reason: "nothing has the tool's name",
		},
	})
}

func TestVariantsOfResponses(t *testing.T) {
	requests := ModelResponse{Requests: []ToolRequest{{Name: "weather", Arguments: scoring.JSON(`{"city":"Oslo"}`)}}}
	checkResponses(t, []responseRow{
		{
			name: "one function in OpenInference", shape: OpenInferenceMessages,
			attributes: map[string]any{
				"llm.output_messages.0.message.function_call_name": "weather", "llm.output_messages.0.message.function_call_arguments_json": `{"city":"Oslo"}`,
			},
			want: requests, reason: "OpenAI's form before there were tools",
		},
		{
			name: "numbered functions", shape: GenAIMessages,
			attributes: map[string]any{"gen_ai.completion.0.function_call.0.name": "weather", "gen_ai.completion.0.function_call.0.arguments": `"{\"city\":\"Oslo\"}"`},
			want:       requests, reason: "and arguments that are encoded twice",
		},
		{
			name: "an agent's transcript", shape: AgentMessages,
			attributes: map[string]any{genAIOutput: `[{"role":"assistant","parts":[{"type":"tool_call","name":"old"}]},{"role":"user","parts":[{"type":"text"}]},
				{"role":"assistant","parts":[{"type":"tool_call","name":"weather","arguments":"\"{\\\"city\\\":\\\"Oslo\\\"}\""}]},
				{"role":"tool","parts":[{"type":"tool_call_response","id":"","result":"4"}]}]`},
			want: requests, reason: "since the user's last message",
		},
		{
			name: "a response that a limit ended", shape: GenAIMessages,
			attributes: map[string]any{
				"gen_ai.response.finish_reasons": []any{"FinishReason.MAX_TOKENS"},
				genAIOutput:                      `[{"role":"assistant","parts":[{"type":"tool_call","name":"weather","arguments":"{\"city\":"}]}]`,
			},
			reason: "nobody ran it, whatever the provider calls the limit",
		},
	})
}
