package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestFrameworkResponses(t *testing.T) {
	checkResponses(t, []responseRow{
		{
			name: "Vercel 5", shape: VercelMessages,
			attributes: map[string]any{
				"ai.response.toolCalls": `[{"toolCallId":"c1","toolName":"search","input":"{\"q\":\"a\"}"},{"toolCallId":"c2","toolName":"other","input":"{}"}]`,
				"ai.prompt.tools":       []any{`{"type":"function","name":"search"}`},
				"ai.prompt.messages": `[{"role":"tool","content":[{"type":"tool-result","toolCallId":"c3","output":{"type":"error-text","value":"no"}},` +
					`{"type":"tool-result","toolCallId":"c4","output":{"type":"execution-denied"}}]}]`,
			},
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c3", Output: scoring.JSON("no"), Failed: true}}},
			reason: "input; the tool that was not offered is left out, and so is the call that was not allowed",
		},
		{
			name: "ADK", shape: ADKMessages,
			attributes: map[string]any{
				"gcp.vertex.agent.llm_response": `{"content":{"role":"model","parts":[{"functionCall":{"name":"search","args":{"q":"a"},"id":"c1"}},{"function_call":{"name":"now"}},{"functionCall":{"name":"other"}}]}}`,
				"gcp.vertex.agent.llm_request": `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"user","parts":[{"functionResponse":{"id":"c0","response":{"error":"no"}}},` +
					`{"function_response":{"id":"c2","response":{"error":null,"n":1}}}]}],"config":{"tools":[{"functionDeclarations":[{"name":"search"},{"name":"now"}]}]}}`,
			},
			want: ModelResponse{
				Requests: append(search.Requests[:1:1], ToolRequest{Name: "now", Arguments: scoring.Omitted()}),
				Results: []ToolResult{
					{ID: "c0", Output: scoring.JSON(`{"error":"no"}`)}, {ID: "c2", Output: scoring.JSON(`{"error":null,"n":1}`)},
				},
			},
			reason: "Gemini leaves out args that are empty; an error alone may be the result of a tool that did not fail",
		},
		{
			name: "Strands by the latest conventions", shape: StrandsMessages,
			events: []eventRow{
				{genAIDetails, map[string]any{genAIInput: `[{"role":"user","parts":[{"type":"tool_call_response","id":"c0","response":[{"text":"3"}]}]}]`}},
				{genAIDetails, map[string]any{genAIOutput: `[{"parts":[{"type":"tool_call","id":"c1","name":"search","arguments":{"q":"a"}}]}]`}},
			},
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: contentList(scoring.JSON(`[{"text":"3"}]`))}}},
			reason: "one event for the question and one for the answer",
		},
	})
}
