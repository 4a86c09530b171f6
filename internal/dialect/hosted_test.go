package dialect

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A response proves calls by their results, or by what only a provider does.
func TestCallsThatAResponseProves(t *testing.T) {
	const given = `[{"role":"user","parts":[{"type":"text","content":"x"}]}]`
	conventional := func(output string) map[string]any { return map[string]any{genAIOutput: output, genAIInput: given} }
	search := ToolRequest{ID: "c1", Name: "search", Arguments: scoring.JSON(`{"q":1}`)}
	with := func(change func(*ToolRequest)) ModelResponse {
		q := search
		change(&q)
		return asks(q)
	}
	hosted := func(q *ToolRequest) { q.Hosted = true }
	checkResponses(t, []responseRow{
		{
			name: "a tool of the provider", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1},"builtin":true},` +
				`{"type":"tool_call_response","id":"c1","result":"r","builtin":true}]}]`),
			want:   with(func(q *ToolRequest) { q.Hosted, q.Answered, q.Output = true, true, scoring.JSON("r") }),
			reason: "the message has the result",
		},
		{
			name: "tools of Pydantic AI's provider", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"tool_call","id":"c0","name":"mcp_server:docs","arguments":{"action":"list_tools"},"builtin":true},` +
				`{"type":"tool_call","id":"c1","name":"mcp_server:docs","arguments":{"action":"call_tool","tool_name":"search","tool_args":{"q":1}},"builtin":true},` +
				`{"type":"tool_call","id":"c2","name":"web_search","arguments":"{\"type\":\"search\",\"query\":\"b\"}","builtin":true}]}]`),
			want: asks(
				ToolRequest{ID: "c1", Name: "search", Arguments: scoring.JSON(`{"q":1}`), Hosted: true},
				ToolRequest{ID: "c2", Name: "web_search", Arguments: scoring.JSON(`{"query":"b"}`), Hosted: true},
			),
			reason: "a server's tool is inside of a call of the server, whose list of tools is no call",
		},
		{
			name: "Logfire", shape: GenAIMessages,
			attributes: map[string]any{"events": `[{"event.name":"gen_ai.user.message","content":"x"},{"event.name":"gen_ai.unknown","role":"assistant","data":` +
				`{"type":"mcp_call","id":"c1","name":"search","arguments":"{\"q\":1}","output":"r","error":null}},{"event.name":"gen_ai.assistant.message","content":"so"}]`},
			want:   with(func(q *ToolRequest) { q.Hosted, q.Answered, q.Output = true, true, scoring.JSON("r") }),
			reason: "what it does not know is in the list of events as the provider wrote it",
		},
		{
			name: "a loop in one span", shape: GenAIMessages,
			attributes: conventional(`[{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1}}]},` +
				`{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"r"}]}]`),
			want:   with(func(q *ToolRequest) { q.Answered, q.Output = true, scoring.JSON("r") }),
			reason: "the client ran the tool: the result is another message",
		},
		{
			name: "the conventions' tool of a server", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"server_tool_call","id":"c1","name":"search","server_tool_call":{"type":"search","q":1}}]}]`),
			want:       with(hosted), reason: "the details are the arguments",
		},
		{
			name: "a text behind a request", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1}},{"type":"text","content":"so"}],"finish_reason":"stop"}]`),
			want:       with(hosted), reason: "the model went on, so its provider ran the tool",
		},
		{
			name: "a text in front of a request", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"text","content":"so"},{"type":"tool_call","id":"c1","name":"search","arguments":{"q":1}}],"finish_reason":"stop"}]`),
			want:       asks(search), reason: "Gemini's reason for the end is always that",
		},
		{
			name: "Anthropic", shape: LangSmithMessages,
			attributes: map[string]any{langSmithOutput: `{"content":[{"type":"server_tool_use","id":"c1","name":"search","input":{"q":1}},` +
				`{"type":"web_search_tool_result","tool_use_id":"c1","content":{"type":"web_search_tool_result_error","error_code":"unavailable"}}]}`},
			want: with(func(q *ToolRequest) {
				q.Hosted, q.Answered, q.Failed = true, true, true
				q.Output = scoring.JSON(`{"type":"web_search_tool_result_error","error_code":"unavailable"}`)
			}),
			reason: "it also says that the call failed",
		},
		{
			name: "OpenAI", shape: LangfuseMessages,
			attributes: map[string]any{langfuseOutput: `{"output":[{"type":"mcp_call","id":"c1","name":"search","arguments":"{\"q\":1}","output":"r"},` +
				`{"type":"file_search_call","id":"c2","queries":["a"]},{"type":"web_search_call","id":"c3","action":{"type":"search","query":"b"}}]}`},
			want: asks(
				ToolRequest{ID: "c1", Name: "search", Arguments: scoring.JSON(`{"q":1}`), Hosted: true, Answered: true, Output: scoring.JSON("r")},
				ToolRequest{ID: "c2", Name: "file_search", Arguments: scoring.JSON(`{"queries":["a"]}`), Hosted: true},
				ToolRequest{ID: "c3", Name: "web_search", Arguments: scoring.JSON(`{"query":"b"}`), Hosted: true},
			),
			reason: "each kind of item has its own fields",
		},
		{
			name: "the AI SDK", shape: VercelMessages,
			attributes: map[string]any{
				"ai.response.toolCalls":    `[{"toolCallId":"c1","toolName":"search","input":{"q":1}}]`,
				"ai.response.finishReason": "stop",
			},
			want: with(hosted), reason: "the reason is tool-calls if the SDK is to run one",
		},
		{
			name: "OpenLIT", shape: GenAIMessages,
			attributes: map[string]any{genAIToolName: "search, other", genAICallID: "c1, c2", "gen_ai.tool.args": `{"q":1}, {"p":[2,3]}`},
			want:       asks(search, ToolRequest{ID: "c2", Name: "other", Arguments: scoring.JSON(`{"p":[2,3]}`)}),
			reason:     "the attributes of a tool are on the model's span",
		},
		{
			name: "a request that was cut", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"tool_call","id":"c1","name":"search","arguments":"{\"q\":"}],"finish_reason":"length"}]`),
			want:       ModelResponse{}, reason: "nobody ran it",
		},
		{
			name: "a flat request that was cut", shape: GenAIMessages,
			attributes: map[string]any{
				"gen_ai.completion.0.finish_reason": "length", "gen_ai.completion.0.tool_calls.0.name": "search",
				"gen_ai.completion.0.tool_calls.0.arguments": `{"q":`,
			},
			want: ModelResponse{}, reason: "nobody ran it",
		},
		{
			name: "arguments that were cut", shape: GenAIMessages,
			attributes: conventional(`[{"parts":[{"type":"tool_call","id":"c1","name":"search","arguments":"{\"q\": 1, ..."}],"finish_reason":"tool_call"}]`),
			want:       asks(ToolRequest{ID: "c1", Name: "search", Arguments: scoring.TooLarge()}), reason: "the model wrote all of them",
		},
	})
}

func TestRequestsOfToolsThatWereNotOffered(t *testing.T) {
	span := newSpan("chat", map[string]any{
		genAIOutput:      `[{"parts":[{"type":"tool_call","id":"c1","name":"search"},{"type":"tool_call","id":"c2","name":"teleport"}]}]`,
		genAIDefinitions: `[{"name":"search"}]`,
	})
	got := GenAIMessages.Response(span, everything, new(Scratch))
	if len(got.Requests) != 1 || len(got.NotOffered) != 1 || got.NotOffered[0].ID != "c2" || got.NotOffered[0].Name != "teleport" {
		t.Errorf("read %+v", got)
	}
}

// A framework's own tool is no call where the framework wrote the span, and one elsewhere.
func TestOwnTools(t *testing.T) {
	for tool, all := range ownTools {
		for _, own := range all {
			scope := own.scope
			if scope[0] == '*' {
				scope = scope[1:]
			}
			attributes := map[string]any{
				genAIOperation: executeTool, genAIToolName: tool, genAIToolDescription: own.description, "gen_ai.tool.call_id": "c1",
				openInferenceKind: "TOOL", genAIArguments: `{"a":1}`,
			}
			if scope == "gemini-cli" {
				attributes[genAIOperation] = "tool_call"
			}
			span := newSpan("execute_tool "+tool, attributes)
			if r, is := ScopeOf(scope).Read(span); is {
				t.Errorf("%s of %s is read as %+v", tool, scope, r)
			}
			attributes[genAIOperation] = executeTool
			if r, _ := ScopeOf("app").Read(newSpan("execute_tool "+tool, attributes)); r.Role != ToolCall || r.Call.Name != tool {
				t.Errorf("%s of an application is read as %+v", tool, r)
			}
		}
	}
}

// Content that was cut is known to be unknown, and its marks differ.
func TestContentThatWasCut(t *testing.T) {
	for text, cut := range map[string]bool{
		`{"a": "yyy`: true, `{"a": "yyy...`: true, `{"a": 1, ... [truncated, 90 chars total]`: true, `[{"a":1},`: true, `"{\"a\": 1`: true,
		`{"_truncated": true, "value": "{"}`: true, `{"a": 1}`: false, `a plain text {`: false, `{name}, hello`: false, `{`: false,
	} {
		span := newSpan("", map[string]any{genAIOperation: executeTool, genAIToolName: "x", genAIArguments: text, genAIResult: text})
		r, _ := ScopeOf("").Read(span)
		if diff := cmp.Diff(cut, r.Call.Arguments == scoring.TooLarge()); diff != "" || cut != (r.Call.Output == scoring.TooLarge()) {
			t.Errorf("%s: %s, output %s", text, r.Call.Arguments, r.Call.Output)
		}
	}
}

// The result of a protocol or a framework says how its call ended, where the span shows whose it is.
func TestResultsThatSayThatTheyFailed(t *testing.T) {
	for _, tc := range []struct {
		scope, result string
		more          map[string]any
		want          scoring.CallStatus
	}{
		{"opentelemetry.instrumentation.agentscope", `{"content":[{"type":"text","text":"no"}],"state":"error"}`, nil, scoring.StatusFailed},
		{"opentelemetry.instrumentation.agentscope", `{"content":[{"type":"text","text":"no"}],"state":"success"}`, nil, scoring.StatusUnset},
		{"app", `{"content":[{"type":"text","text":"no"}],"isError":true}`, map[string]any{mcpMethod: mcpCallTool}, scoring.StatusFailed},
		{"app", `{"content":[{"type":"text","text":"no"}],"isError":true}`, nil, scoring.StatusUnset},
		{"app", `{"status":"error"}`, map[string]any{mcpMethod: mcpCallTool}, scoring.StatusUnset},
	} {
		attributes := map[string]any{genAIOperation: executeTool, genAIToolName: "x", genAIResult: tc.result}
		maps.Copy(attributes, tc.more)
		if r, _ := ScopeOf(tc.scope).Read(newSpan("", attributes)); r.Call.Status != tc.want {
			t.Errorf("%s of %s is read as %s", tc.result, tc.scope, r.Call.Status)
		}
	}
}
