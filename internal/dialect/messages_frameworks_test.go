package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestFrameworkResponses(t *testing.T) {
	checkResponses(t, []responseRow{
		{
			name: "Vercel 4", shape: VercelMessages,
			attributes: map[string]any{
				"ai.response.toolCalls": `[{"toolCallType":"function","toolCallId":"c1","toolName":"search","args":"{\"q\":\"a\"}"}]`,
				"ai.prompt.tools":       []any{`{"type":"function","name":"search"}`},
				"ai.prompt.messages":    `[{"role":"user","content":[]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c0","result":3,"isError":true}]}]`,
			},
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3"), Failed: true}}},
			reason: "args, and a bare result",
		},
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
			name: "Genkit", shape: GenkitMessages,
			attributes: map[string]any{
				genkitOutput: `{"message":{"content":[{"toolRequest":{"name":"search","ref":"c1","input":{"q":"a"}}}]},"raw":{"tool_calls":[]}}`,
				genkitInput:  `{"messages":[{"role":"user","content":[]},{"role":"tool","content":[{"toolResponse":{"ref":"c0","output":3}}]}],"tools":[{"name":"search"}]}`,
			},
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3")}}},
			reason: "ref is the call's id",
		},
		{
			name: "Strands", shape: StrandsMessages,
			events: []eventRow{
				{genAIUser, map[string]any{"content": `[{"text":"hi"}]`}},
				{"gen_ai.assistant.message", map[string]any{"content": `[{"toolUse":{"name":"search","toolUseId":"c0","input":{}}}]`}},
				{genAITool, map[string]any{"content": `[{"toolResult":{"toolUseId":"c0","status":"error","content":[{"json":{"n":1}}]}}]`}},
				{genAIChoice, map[string]any{"message": `[{"text":"hm"},{"type":"toolUse","name":"search","toolUseId":"c1","input":{"q":"a"}},{"toolUse":{"name":"b","toolUseId":"c2","input":{}}}]`}},
			},
			want: ModelResponse{
				Requests: append(search.Requests[:1:1], ToolRequest{ID: "c2", Name: "b", Arguments: scoring.JSON("{}")}),
				Results:  []ToolResult{{ID: "c0", Output: scoring.JSON(`{"n":1}`), Failed: true}},
			},
			reason: "both ways to write a use",
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
		{
			name: "BeeAI", shape: BeeAIMessages,
			attributes: map[string]any{openInferenceOutput: `[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"search","args":{"q":"a"}}]}]`},
			want:       search, reason: "the framework's own messages; the flattened ones have no calls",
		},
	})
}
