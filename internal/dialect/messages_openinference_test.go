package dialect

import (
	"strconv"
	"strings"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestOpenInferenceResponses(t *testing.T) {
	// given are messages by their roles, each with the ids of the calls that it requests. Their texts are their numbers.
	given := func(messages ...string) map[string]any {
		attributes := map[string]any{}
		for i := 0; i < len(messages); i += 2 {
			message := "llm.input_messages." + strconv.Itoa(i/2) + ".message."
			attributes[message+"role"], attributes[message+"content"] = messages[i], strconv.Itoa(i/2)
			for n, id := range strings.Fields(messages[i+1]) {
				attributes[message+"tool_calls."+strconv.Itoa(n)+".tool_call.id"] = id
			}
		}
		return attributes
	}
	with := func(attributes map[string]any, key string, value any) map[string]any {
		attributes[key] = value
		return attributes
	}
	const call = "llm.output_messages.0.message.tool_calls.0.tool_call."
	checkResponses(t, []responseRow{
		{
			name: "a result without an id", shape: OpenInferenceMessages,
			attributes: given("user", "", "assistant", "c1", "tool", "", "assistant", "c2", "tool", ""),
			want:       ModelResponse{Results: []ToolResult{{ID: "c1", Output: scoring.JSON("2")}, {ID: "c2", Output: scoring.JSON("4")}}},
			reason:     "LiteLLM's instrumentation leaves the ids of results out; a result follows the request that it answers",
		},
		{
			name: "results without ids", shape: OpenInferenceMessages,
			attributes: given("user", "", "assistant", "c1 c2", "tool", "", "tool", "", "tool", ""),
			want:       ModelResponse{Results: []ToolResult{{ID: "c1"}, {ID: "c2"}}},
			reason:     "they may stand in another order, so each call is known to be answered, and no output is known",
		},
		{
			name: "results of which one has an id", shape: OpenInferenceMessages,
			attributes: with(given("user", "", "assistant", "c1 c2", "tool", "", "tool", ""), "llm.input_messages.2.message.tool_call_id", "c2"),
			want:       ModelResponse{Results: []ToolResult{{ID: "c2", Output: scoring.JSON("2")}}},
			reason:     "the instrumentation writes ids, so nothing is guessed",
		},
		{
			name: "a result without a request", shape: OpenInferenceMessages,
			attributes: given("user", "", "assistant", "c1", "user", "", "tool", "", "assistant", "", "tool", ""),
			want:       ModelResponse{}, reason: "what was requested before the user spoke has been answered",
		},
		{
			name: "Anthropic", shape: OpenInferenceMessages,
			attributes: map[string]any{
				call + "id": "c1", call + "function.name": "search", call + "function.arguments": `{"q":"a"}`,
				"llm.output_messages.0.message.contents.1.message_content.type":         "tool_use",
				"llm.output_messages.0.message.contents.1.tool_call.id":                 "c1",
				"llm.output_messages.0.message.contents.1.tool_call.function.name":      "search",
				"llm.output_messages.0.message.contents.1.tool_call.function.arguments": `{"q":"a"}`,
				"llm.input_messages.0.message.role":                                     "user",
				"llm.input_messages.1.message.role":                                     "user",
				"llm.input_messages.1.message.tool_call_id":                             "c0",
				"llm.input_messages.1.message.content":                                  "3",
			},
			want:   ModelResponse{Requests: search.Requests, Results: []ToolResult{{ID: "c0", Output: scoring.JSON("3")}}},
			reason: "each call is written in both lists, and a result is in a message of the user",
		},
		{
			name: "ordered parts alone", shape: OpenInferenceMessages,
			attributes: map[string]any{
				"llm.output_messages.0.message.contents.1.tool_call.id":                 "c1",
				"llm.output_messages.0.message.contents.1.tool_call.function.name":      "search",
				"llm.output_messages.0.message.contents.1.tool_call.function.arguments": `{"q":"a"}`,
			},
			want: search, reason: "the form for parts whose order matters",
		},
		{
			name: "ids from LangChain", shape: LangChainMessages,
			attributes: map[string]any{
				call + "function.name": "search", call + "function.arguments": `{"q":"a"}`,
				openInferenceOutput: `{"generations":[[{"message":{"lc":1,"kwargs":{"tool_calls":[{"name":"search","args":{},"id":"c1"}]}}}]]}`,
			},
			want: search, reason: "the flattened form leaves them out",
		},
		{
			name: "ids from a text in the form of LangChain's", shape: OpenInferenceMessages,
			attributes: map[string]any{
				call + "function.name": "search", call + "function.arguments": `{"q":"a"}`,
				openInferenceOutput: `{"generations":[[{"message":{"lc":1,"kwargs":{"tool_calls":[{"name":"search","args":{},"id":"c1"}]}}}]]}`,
			},
			want:   asks(ToolRequest{Name: "search", Arguments: scoring.JSON(`{"q":"a"}`)}),
			reason: "the output of any other instrumentation may be the model's text",
		},
		{
			name: "redacted", shape: OpenInferenceMessages,
			attributes: map[string]any{call + "id": "c1", call + "function.name": "search", call + "function.arguments": "__REDACTED__"},
			want:       asks(ToolRequest{ID: "c1", Name: "search"}), reason: "hidden is not captured",
		},
		{
			name: "wrong types", shape: OpenInferenceMessages,
			attributes: map[string]any{
				call + "id": "c1", call + "function.name": []any{"search"}, "llm.input_messages.0.message.tool_call_id": map[string]any{},
			},
			reason: "a list is no name",
		},
	})
}
