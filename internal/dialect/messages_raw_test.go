package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestRawResponses(t *testing.T) {
	raw := func(output, input string) map[string]any {
		return map[string]any{langSmithOutput: output, langSmithInput: input, langfuseOutput: output, langfuseInput: input, logfireResponse: output, logfireGiven: input}
	}
	rows := []responseRow{
		{
			name: "OpenAI",
			attributes: raw(
				`{"choices":[{"message":{"tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":\"a\"}"}}]}},{"message":{"tool_calls":[{"id":"c9","function":{"name":"search"}}]}}]}`,
				`{"tools":[{"type":"function","function":{"name":"search"}}],"messages":[{"role":"user","content":"hi"},{"role":"tool","tool_call_id":"c0","content":"3"}]}`),
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3")}}},
			reason: "the first choice; a second is an alternative",
		},
		{
			name: "OpenAI responses",
			attributes: raw(
				`{"output":[{"type":"function_call","call_id":"c1","id":"fc","name":"search","arguments":"{\"q\":\"a\"}"}]}`,
				`{"input":[{"role":"user","content":"hi"},{"type":"function_call_output","call_id":"c0","output":"3"}],"tools":[{"type":"function","name":"search"}]}`),
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3")}}},
			reason: "call_id is the call's, id the item's",
		},
		// Custom tools and function_call are as OpenAI's API reference has them: https://platform.openai.com/docs/api-reference.
		{
			name: "OpenAI responses with a custom tool",
			attributes: raw(
				`{"output":[{"type":"custom_tool_call","call_id":"c1","id":"ctc","name":"search","input":"{\"q\":\"a\"}"}]}`,
				`{"input":[{"role":"user","content":"hi"},{"type":"custom_tool_call_output","call_id":"c0","output":"3"}],"tools":[{"type":"custom","name":"search"}]}`),
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3")}}},
			reason: "its input is a text, which may be JSON",
		},
		{
			name: "OpenAI with a custom tool",
			attributes: raw(
				`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"search","input":"a"}}]}}]}`,
				`{"tools":[{"type":"custom","custom":{"name":"search"}}],"messages":[{"role":"user","content":"hi"}]}`),
			want: asks(ToolRequest{ID: "c1", Name: "search", Arguments: scoring.JSON("a")}), reason: "the object is named after the type",
		},
		{
			name: "a custom tool that was not offered",
			attributes: raw(
				`{"choices":[{"message":{"role":"assistant","tool_calls":[{"id":"c1","type":"custom","custom":{"name":"shell","input":"a"}}]}}]}`,
				`{"tools":[{"type":"custom","custom":{"name":"search"}}],"messages":[{"role":"user","content":"hi"}]}`),
			reason: "the list names its tool, so the model invented the other one",
		},
		{
			name: "the result of a custom tool alone",
			attributes: raw(
				`{"output":[{"type":"message","role":"assistant","content":"done"}]}`,
				`{"input":[{"role":"user","content":"hi"},{"type":"custom_tool_call_output","call_id":"c0","output":"3"}]}`),
			want: tells(ToolResult{ID: "c0", Output: scoring.JSON("3")}), reason: "a request without tools has results too",
		},
		{
			name:       "OpenAI with functions",
			attributes: raw(`{"choices":[{"message":{"role":"assistant","content":null,"function_call":{"name":"search","arguments":"{\"q\":\"a\"}"}}}]}`, ""),
			want:       asks(ToolRequest{Name: "search", Arguments: scoring.JSON(`{"q":"a"}`)}), reason: "before tools there was one function, without an ID",
		},
		{
			name:       "LangChain with functions",
			attributes: raw(`{"generations":[[{"message":{"lc":1,"kwargs":{"content":"","additional_kwargs":{"function_call":{"name":"search","arguments":"{\"q\":\"a\"}"}}}}}]]}`, ""),
			want:       asks(ToolRequest{Name: "search", Arguments: scoring.JSON(`{"q":"a"}`)}), reason: "LangChain keeps OpenAI's form",
		},
		{
			name:       "no function",
			attributes: raw(`{"choices":[{"message":{"role":"assistant","content":"done","function_call":null}}]}`, ""),
			reason:     "OpenAI writes null if the model requests none",
		},
		{
			name: "Anthropic",
			attributes: raw(
				`{"role":"assistant","content":[{"type":"text","text":"hm"},{"type":"tool_use","id":"c1","name":"search","input":{"q":"a"}}]}`,
				`{"messages":[{"role":"user","content":"hi"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c0","is_error":true,"content":[{"type":"text","text":"no"}]}]}],"tools":[{"name":"search","input_schema":{}}]}`),
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: contentList(scoring.JSON(`[{"type":"text","text":"no"}]`)), Failed: true}}},
			reason: "results are in messages of the user",
		},
		{
			name: "LangChain",
			attributes: raw(
				`{"generations":[[{"message":{"lc":1,"type":"constructor","id":["AIMessage"],"kwargs":{"content":[{"type":"tool_use","id":"c1","name":"search","input":{}}],"additional_kwargs":{"tool_calls":[{"id":"c1","function":{"name":"search"}}]},"tool_calls":[{"name":"search","args":{"q":"a"},"id":"c1"}]}}}]]}`,
				`{"messages":[[{"lc":1,"kwargs":{"type":"human","content":"hi"}},{"lc":1,"kwargs":{"type":"tool","tool_call_id":"c0","content":"3","status":"error"}}]]}`),
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3"), Failed: true}}},
			reason: "the same call up to three times is one",
		},
		{
			name: "Gemini",
			attributes: raw(
				`{"candidates":[{"content":{"parts":[{"functionCall":{"id":"c1","name":"search","args":{"q":"a"}}}]}}]}`, ""),
			want: search, reason: "LangSmith wraps its client too",
		},
		{
			name: "one message",
			attributes: raw(
				`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"search","arguments":"{\"q\":\"a\"}"}}]}`, ""),
			want: search, reason: "Langfuse writes the message alone",
		},
		{
			name: "a conversation",
			attributes: raw(
				`[{"role":"assistant","tool_calls":[{"id":"c0","function":{"name":"old"}}]},{"role":"tool","tool_call_id":"c0","content":""},{"message":0,"tool_calls":[{"id":"c1","function":{"name":"search","arguments":"{\"q\":\"a\"}"}}]}]`, ""),
			want: search, reason: "only what comes last is the answer",
		},
		{
			name: "fields in the wrong places",
			attributes: raw(
				`{"tool_calls":[{"id":"c1","name":"search"},{"function":"search","id":"c1"},7],"content":[{"type":"text","name":"search"}]}`,
				`{"messages":{"role":"tool"},"tools":7}`),
			reason: "a shape that is not known is not guessed at",
		},
		{name: "content switched off", attributes: raw("", ""), reason: "there is no content"},
		{
			name:       "wrong types",
			attributes: map[string]any{langSmithOutput: 7, langfuseOutput: true, logfireResponse: 1.5},
			reason:     "as good as absent",
		},
	}
	for _, shape := range []Messages{LangSmithMessages, LangfuseMessages, LogfireMessages} {
		for i := range rows {
			rows[i].shape = shape
		}
		checkResponses(t, rows)
	}
	const wrapped = `{"message":{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"search","arguments":"{\"input\":{\"q\":\"a\"}}"}}]}}`
	checkResponses(t, []responseRow{
		{
			name: "Logfire's Anthropic", shape: LogfireMessages,
			attributes: map[string]any{genAISystem: "anthropic", logfireResponse: wrapped},
			want:       search, reason: "it leaves the block's field name around the arguments",
		},
		{
			name: "Logfire's Anthropic without a provider", shape: LogfireMessages,
			attributes: map[string]any{logfireTemplate: "Message with {request_data[model]!r}", logfireResponse: wrapped},
			want:       search, reason: "its first versions do not name it; the template is Anthropic's",
		},
	})
}
