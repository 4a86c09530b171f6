package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestGenAIResponses(t *testing.T) {
	const output = `[{"role":"assistant","parts":[{"type":"text","content":"hm"},` +
		`{"type":"tool_call","id":"c1","name":"search","arguments":{"q":"a"}}],"finish_reason":"tool_call"}]`
	checkResponses(t, []responseRow{
		{
			name: "structured", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: []any{map[string]any{"role": "assistant", "parts": []any{
				map[string]any{"type": "tool_call", "id": "c1", "name": "search", "arguments": map[string]any{"q": "a"}},
			}}}},
			want: search, reason: "an SDK that can may write a structured value",
		},
		{
			name: "wrapped with a version", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: `{"version":"0.1.0","messages":` + output + `}`},
			want:       search, reason: "Microsoft's agents write so",
		},
		{
			name: "no arguments", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: `[{"parts":[{"type":"tool_call","id":7,"name":"a"},{"type":"tool_call","name":"b","arguments":null},{"type":"tool_call","name":"c","arguments":""}]}]`},
			want:       asks(ToolRequest{ID: "7", Name: "a"}, ToolRequest{Name: "b", Arguments: scoring.Omitted()}, ToolRequest{Name: "c"}),
			reason:     "what is left out or blank is not captured, null is None; an id may be a number",
		},
		{
			name: "no name", shape: GenAIMessages, attributes: map[string]any{genAIOutput: `[{"parts":[{"type":"tool_call","id":"c1"}]}]`},
			reason: "a tool without a name cannot be executed",
		},
		{
			name: "smolagents' final answer", shape: GenAIMessages,
			attributes: map[string]any{
				genAIOutput:      `[{"parts":[{"type":"tool_call","id":"c1","name":"final_answer","arguments":{"answer":"x"}}]}]`,
				genAIDefinitions: `[{"name":"final_answer","description":"Provides a final answer to the given problem."}]`,
			},
			reason: "the framework offers it, and takes the answer from it",
		},
		{
			name: "an application's final answer", shape: GenAIMessages,
			attributes: map[string]any{
				genAIOutput:      `[{"parts":[{"type":"tool_call","id":"c1","name":"final_answer","arguments":{}}]}]`,
				genAIDefinitions: `[{"name":"final_answer","description":"Sends the answer by mail"}]`,
			},
			want: asks(ToolRequest{ID: "c1", Name: "final_answer", Arguments: scoring.JSON("{}")}), reason: "it does something",
		},
		{
			name: "a list of names", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: output, genAIDefinitions: []any{"search", "other"}}, want: search,
			reason: "Mastra lists names alone",
		},
		{
			name: "a tool without a name among the offered", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: output, genAIDefinitions: `[{"type":"web_search"},{"name":"other"}]`}, want: search,
			reason: "a list that is not wholly understood excludes nothing",
		},
		{
			name: "a definition cut off", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: output, genAIDefinitions: `[{"name":"other"},{"na`}, want: search,
			reason: "the SDK's limit on attributes cuts long texts, and half a list excludes nothing",
		},
		{
			name: "Pydantic AI's final answer", shape: GenAIMessages,
			attributes: map[string]any{
				genAIOutput:        `[{"parts":[{"type":"tool_call","id":"c0","name":"final_result"},{"type":"tool_call","id":"c1","name":"search","arguments":{"q":"a"}}]}]`,
				pydanticParameters: `{"function_tools":[{"name":"search"}],"output_tools":[{"name":"final_result"}]}`,
				genAIDefinitions:   `[{"name":"search"},{"name":"final_result"}]`,
			},
			want: search, reason: "an output tool is offered to the model, but nothing executes it",
		},
		{
			name: "events", shape: GenAIMessages,
			events: []eventRow{
				{genAIUser, map[string]any{"gen_ai.event.content": `{"role":"user","content":"hi"}`}},
				{"gen_ai.assistant.message", map[string]any{"gen_ai.event.content": `{"tool_calls":[{"id":"c0","type":"function","function":{"name":"search","arguments":"{}"}}]}`}},
				{genAITool, map[string]any{"gen_ai.event.content": `{"role":"tool","id":"c0","content":"3"}`}},
				{genAIChoice, map[string]any{"gen_ai.event.content": `{"index":0,"message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":\"a\"}"}}]}}`}},
			},
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3")}}},
			reason: "1.31 to 1.36 as span events; the assistant's message is history",
		},
		{
			name: "events in members", shape: GenAIMessages,
			events: []eventRow{{genAIChoice, map[string]any{"message": map[string]any{"tool_calls": []any{
				map[string]any{"id": "c1", "function": map[string]any{"name": "search", "arguments": `{"q":"a"}`}},
			}}}}},
			want: search, reason: "a body whose members are the event's attributes",
		},
		{
			name: "an assistant's message without an answer", shape: GenAIMessages,
			events: []eventRow{
				{genAIUser, nil},
				{"gen_ai.assistant.message", map[string]any{"tool_calls": `[{"id":"c1","function":{"name":"search","arguments":"{\"q\":\"a\"}"}}]`}},
			},
			want: search, reason: "without a choice it is the answer",
		},
		{
			name: "an event with the attributes of a span", shape: GenAIMessages,
			events: []eventRow{{genAIDetails, map[string]any{genAIOutput: output}}}, want: search,
			reason: "the conventions' event from 1.37 on",
		},
		{
			name: "Pydantic AI's list of events", shape: GenAIMessages,
			attributes: map[string]any{"events": `[{"event.name":"gen_ai.user.message","content":"hi"},` +
				`{"event.name":"gen_ai.choice","message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":{"q":"a"}}}]}}]`},
			want: search, reason: "its first version",
		},
		{
			name: "flattened", shape: GenAIMessages,
			attributes: map[string]any{
				"gen_ai.completion.0.role":                   "assistant",
				"gen_ai.completion.0.tool_calls.10.name":     "late",
				"gen_ai.completion.0.tool_calls.9.id":        "c1",
				"gen_ai.completion.0.tool_calls.9.name":      "search",
				"gen_ai.completion.0.tool_calls.9.arguments": `{"q":"a"}`,
				"gen_ai.completion.0.tool_calls.99999.name":  "over the limit",
				"gen_ai.completion.0.tool_calls.-1.name":     "no index",
				"gen_ai.completion.x.tool_calls.0.name":      "no index",
				"gen_ai.prompt.0.role":                       "user",
				"gen_ai.prompt.1.tool_calls.0.name":          "history",
				"gen_ai.prompt.2.role":                       "tool",
				"gen_ai.prompt.2.tool_call_id":               "c0",
				"gen_ai.prompt.2.content":                    "3",
				"llm.request.functions.0.name":               "search",
				"llm.request.functions.1.name":               "late",
			},
			want: ModelResponse{
				Requests: append(search.Requests[:1:1], ToolRequest{Name: "late"}),
				Results:  []ToolResult{{ID: "c0", Output: scoring.JSON("3")}},
			},
			reason: "OpenLLMetry before the messages; 10 comes after 9",
		},
		{
			name: "wrong types", shape: GenAIMessages,
			attributes: map[string]any{genAIOutput: 7, genAIInput: true, "gen_ai.completion.0.tool_calls.0.name": map[string]any{"a": 1}},
			events:     []eventRow{{genAIChoice, map[string]any{"message": 7}}, {genAITool, map[string]any{"id": []any{1}}}},
			reason:     "as good as absent",
		},
	})
}
