package dialect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Instrumentations of which a table says all there is to say.
func TestOthers(t *testing.T) {
	asked := func(r *Reading) { r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"x"}`), scoring.JSON(`"y"`) }
	checkRows(t, []row{
		{
			name: "Gemini CLI: a tool", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{
				genAIOperation: "tool_call", genAIToolName: "lookup", "gen_ai.tool.call_id": "lookup-1",
				genAIInput: `{"callId":"lookup-1","name":"lookup","args":{"q":"x"}}`, genAIOutput: `{"status":"success","response":"y"}`,
			},
			want: call("lookup").with(func(r *Reading) {
				r.CallID, r.Call.Arguments, r.Call.Output, r.Call.Status = "lookup-1", scoring.JSON(`{"q":"x"}`), scoring.JSON("y"), scoring.StatusOK
			}),
			reason: "the whole request is in the messages",
		},
		{
			name: "Gemini CLI: a schedule", scope: "gemini-cli", span: "schedule_tool_calls",
			attributes: map[string]any{genAIOperation: "schedule_tool_calls"}, reason: "each call has a span",
		},
		{
			name: "LangWatch: a tool", scope: "langwatch", span: "lookup",
			attributes: map[string]any{
				"langwatch.span.type": "tool", "langwatch.input": `{"type":"json","value":{"q":"x"}}`, "langwatch.output": `{"type":"text","value":"\"y\""}`,
			},
			want: call("lookup").with(asked), reason: "values are wrapped with their type",
		},
		{
			name: "Laminar: a tool", span: "lookup",
			attributes: map[string]any{"lmnr.span.type": "TOOL", "lmnr.span.input": `{"q":"x"}`, "lmnr.span.output": `"y"`},
			want:       call("lookup").with(asked), reason: "the span is named after the tool",
		},
		{
			name: "Braintrust: a tool", span: "lookup",
			attributes: map[string]any{
				braintrustSpan: `{"type":"tool","name":"lookup"}`, "braintrust.input_json": `{"q":"x"}`, "braintrust.output_json": `"y"`,
			},
			want: call("lookup").with(asked), reason: "the type is in JSON",
		},
		{
			name: "Braintrust: no JSON", span: "lookup", attributes: map[string]any{braintrustSpan: `{`}, reason: "it has no type",
		},
		{
			name: "keys that were never in the conventions", span: "tool.call",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "lookup", "gen_ai.tool.call_id": "call_1", "gen_ai.tool.args": `{"q":"x"}`, "gen_ai.tool.result": `"y"`},
			want:       call("lookup").with(func(r *Reading) { asked(r); r.CallID = "call_1" }), reason: "several frameworks write them",
		},
		{
			name: "JSON text in JSON text", span: "execute_tool lookup",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "lookup", genAIArguments: `"{\"q\":\"x\"}"`, genAIResult: `"y"`},
			want:       call("lookup").with(asked), reason: "arguments are an object",
		},
		{
			name: "a text that is no object", span: "execute_tool lookup",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "lookup", genAIArguments: `"{q"`},
			want:       call("lookup").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`"{q"`) }), reason: "it is as it was written",
		},
		{
			name: "no operation", span: "execute_tool lookup", attributes: map[string]any{genAIToolName: "lookup"},
			want: call("lookup"), reason: "the span's name says it",
		},
		{
			name: "no name", span: executeTool, attributes: map[string]any{genAIOperation: executeTool, genAICallID: "call_1"},
			want:   call("").with(func(r *Reading) { r.CallID, r.Traits = "call_1", ResultOnly }),
			reason: "the request with the ID has the name",
		},
		{
			name: "no scope", span: "execute_tool lookup",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "lookup", adkArguments: `{"q":"x"}`, adkResponse: `"y"`},
			want:       call("lookup").with(asked), reason: "some backends drop the scope of ADK's spans",
		},
		{
			name: "the status of an error", span: "execute_tool lookup", status: ptrace.StatusCodeError,
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "lookup"},
			want:       call("lookup").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }), reason: "the call failed",
		},
	})
}

// What command lines and frameworks of other languages write in words of their own.
func TestCommandLinesAndOtherLanguages(t *testing.T) {
	checkRows(t, []row{
		{
			name: "Gemini CLI: a failure", scope: "gemini-cli", span: "tool_call", status: ptrace.StatusCodeOk,
			attributes: map[string]any{
				genAIOperation: "tool_call", genAIToolName: "mcp_docs_lookup", genAIInput: `{"args":{}}`,
				genAIOutput: `{"status":"error","response":{"responseParts":[{"functionResponse":{"response":{"error":"gone"}}}]}}`,
			},
			want: call("mcp_docs_lookup").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output, r.Call.Status = scoring.JSON(`{}`), scoring.JSON(`gone`), scoring.StatusFailed
			}),
			reason: "the span is OK, and the framework's own status says more",
		},
		{
			name: "Gemini CLI: a sub-agent", scope: "gemini-cli", span: "agent_call",
			attributes: map[string]any{genAIOperation: "agent_call", genAIAgentName: "gemini-cli", genAIInput: `{"agent_name":"researcher","prompt":"x"}`},
			want:       Reading{Role: Agent, Agent: "researcher"}, reason: "all spans name the main agent",
		},
		{
			name: "Gemini CLI: without content", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{genAIOperation: "tool_call", genAIToolName: "lookup", genAIInput: 7, genAIOutput: true},
			want:       call("lookup"), reason: "values of other types say nothing",
		},
		{
			name: "Gemini CLI: an answer", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{genAIOperation: "tool_call", genAIToolName: "complete_task", genAIToolDescription: "Call this tool to submit your final findings"},
			reason:     "it is the framework's way to answer",
		},
		{
			name: "Gemini CLI: a server's tool of that name", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{genAIOperation: "tool_call", genAIToolName: "complete_task", genAIToolDescription: "Closes a ticket"},
			want:       call("complete_task"), reason: "a name alone proves nothing",
		},
		{
			name: "Codex: a turn", scope: "codex_exec", span: "run_turn", attributes: map[string]any{"conversation.id": "c1"},
			want: Reading{Role: Agent, Conversation: "c1"}, reason: "a turn is a run",
		},
		{
			name: "Codex: a call", scope: "codex_cli_rs", span: "mcp__docslookup",
			attributes: map[string]any{"codex.tool.phase": "dispatch", "tool_name": "mcp__docslookup", "call_id": "call_1", "aborted": false},
			events:     []happened{{"codex.tool_result_ready", map[string]any{"call_id": "call_1", "tool_name": "lookup", "tool_namespace": "mcp__docs"}}},
			want:       call("lookup").with(func(r *Reading) { r.CallID = "call_1" }), reason: "the event has the name apart from the server's",
		},
		{
			name: "Codex: an outcome", scope: "codex_exec", span: "dispatch_tool_call_with_state",
			events: []happened{{"event otel/src/tool_result.rs:54", map[string]any{"event.name": "codex.tool_result", "call_id": "call_1", "success": "false"}}},
			want: call("").with(func(r *Reading) {
				r.CallID, r.Call.Status, r.Traits = "call_1", scoring.StatusFailed, ResultOnly
			}),
			reason: "it says of a call whether it failed",
		},
		{
			name: "Codex: an outcome of nothing", scope: "codex_exec", span: "dispatch_tool_call_with_state", reason: "without an ID it is of no call",
		},
		{
			name: "Codex: an ordinary span", scope: "codex_exec", span: "handle_responses", attributes: map[string]any{"tool_name": "x", "call_id": "call_1"},
			reason: "it has no phase",
		},
		{
			name: "Quarkus: a service", scope: "io.quarkus.opentelemetry", span: "langchain4j.aiservices.org.acme.Desks$TravelDesk.chat",
			want: Reading{Role: Agent, Agent: "TravelDesk"}, reason: "a service is named after its class",
		},
		{
			name: "Quarkus: an ordinary span", scope: "io.quarkus.opentelemetry", span: "GET /x", reason: "all of Quarkus has the scope",
		},
		{
			name: "Koog: a tool that does not exist", scope: "shop", span: "execute_tool teleport", status: ptrace.StatusCodeOk,
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "teleport", genAIResult: "{}", koogEvent: "e1"},
			want: call("teleport").with(func(r *Reading) {
				r.Call.Output, r.Call.Status, r.Traits = scoring.JSON("{}"), scoring.StatusOK, UnknownTool
			}),
			reason: "Koog describes each tool that there is",
		},
		{
			name: "AgentScope: a failure", scope: "agentscope", span: "execute_tool lookup", status: ptrace.StatusCodeOk,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "lookup",
				genAIResult: `{"content":[{"type":"text","text":"gone"}],"state":"error","metadata":{},"id":"call_1"}`,
			},
			want:   call("lookup").with(func(r *Reading) { r.Call.Output, r.Call.Status = scoring.JSON("gone"), scoring.StatusFailed }),
			reason: "its response has a state",
		},
		{
			name: "Genkit: parts", span: "lookup",
			attributes: map[string]any{"genkit:type": "action", "genkit:metadata:subtype": "tool.v2", "genkit:name": "lookup", "genkit:output": `{"output":{"n":1},"content":[]}`},
			want:       call("lookup").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"n":1}`) }), reason: "a tool of the second form returns parts besides",
		},
		{
			name: "traceAI: a tool", scope: "traceai", span: "lookup",
			attributes: map[string]any{spanKind: "TOOL", genAIToolName: "lookup", "input.value": `{"q":"x"}`, "output.value": `"y"`},
			want:       call("lookup").with(func(r *Reading) { r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"x"}`), scoring.JSON(`"y"`) }),
			reason:     "the kind and the name say it",
		},
		{
			name: "traceAI: an agent", span: "run", attributes: map[string]any{spanKind: "AGENT", genAIAgentName: "desk"},
			want: Reading{Role: Agent, Agent: "desk"}, reason: "the kind and the name say it",
		},
		{name: "a kind alone", span: "run", attributes: map[string]any{spanKind: "TOOL"}, reason: "anyone may use such a key"},
		{
			name: "a transfer", span: "execute_tool ask_weather weather_agent",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "ask_weather", genAIAgentName: "desk",
				"gen_ai.transfer.mode": "return_to_caller", "gen_ai.transfer.target.name": "weather_agent",
			},
			want: call("ask_weather"), reason: "a transfer by a tool is a call of the tool; the target's own span is its run",
		},
		{
			name: "an agent that another calls", span: "invoke_agent refunds",
			attributes: map[string]any{genAIOperation: invokeAgent, genAIAgentName: "refunds", "gen_ai.caller.type": "agent", "gen_ai.caller.name": "support", "gen_ai.agent.id": "a-1"},
			want:       Reading{Role: Agent, Agent: "refunds"}, reason: "the caller has a span of its own",
		},
	})
}

// LiteLLM has the calls of a response by number beside empty parts, and in the span below with their IDs, as Python shows them.
func TestLiteLLMMessages(t *testing.T) {
	for _, tc := range []struct {
		name, span string
		attributes map[string]any
		want       []ToolRequest
		results    []ToolResult
		reason     string
	}{
		{
			"by number", "litellm_request",
			map[string]any{
				genAIOperation: chat, genAIOutput: `[{"role":"assistant","parts":[],"finish_reason":"tool_calls"}]`,
				genAIInput: `[{"role":"user","parts":[{"type":"text","content":"x"}]},{"role":"assistant","parts":[],"tool_calls":[{"id":"c0","function":{"name":"a","arguments":"{}"}}]},` +
					`{"role":"tool","parts":[{"type":"text","content":"7"}],"tool_call_id":"c0"}]`,
				"gen_ai.completion.1.function_call.name": "b", "gen_ai.completion.1.function_call.arguments": `{"n":2}`,
				"gen_ai.completion.0.function_call.name": "a", "gen_ai.completion.0.function_call.arguments": `{"n":1}`,
			},
			[]ToolRequest{{Name: "a", Arguments: scoring.JSON(`{"n":1}`)}, {Name: "b", Arguments: scoring.JSON(`{"n":2}`)}},
			[]ToolResult{{ID: "c0", Output: scoring.JSON("7")}}, "the parts have no calls",
		},
		{
			"of OpenAI", "raw_gen_ai_request",
			map[string]any{"llm.openai.choices": `[{'message': {'content': None, 'tool_calls': [{'id': 'c1', 'function': {'arguments': '{"n":1}', 'name': 'a'}, 'type': 'function'}]}}]`},
			[]ToolRequest{{ID: "c1", Name: "a", Arguments: scoring.JSON(`{"n":1}`)}}, nil, "the first choice is the response",
		},
		{
			"of Anthropic", "raw_gen_ai_request",
			map[string]any{"llm.anthropic.content": `[{'type': 'tool_use', 'id': 'c1', 'name': 'a', 'input': {'n': 1}}]`},
			[]ToolRequest{{ID: "c1", Name: "a", Arguments: scoring.JSON(`{"n":1}`)}}, nil, "the content is the response",
		},
		{"of another type", "raw_gen_ai_request", map[string]any{"llm.openai.choices": 7}, nil, nil, "a number is no response"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			span := newSpan(tc.span, tc.attributes)
			r, _ := ScopeOf("litellm").Read(span)
			got := r.Messages.Response(span, Want{Results: true, Arguments: true, Outputs: true}, new(Scratch))
			if diff := cmp.Diff(tc.want, got.Requests, cmp.AllowUnexported(scoring.Payload{})); r.Role != ModelCall || diff != "" {
				t.Errorf("%v: requests (-want +got):\n%s%s", r.Role, diff, tc.reason)
			}
			if diff := cmp.Diff(tc.results, got.Results, cmp.AllowUnexported(scoring.Payload{})); diff != "" {
				t.Errorf("results (-want +got):\n%s%s", diff, tc.reason)
			}
		})
	}
}

func TestAnExceptionIsAFailureUnlessTheStatusSaysMore(t *testing.T) {
	for code, want := range map[ptrace.StatusCode]scoring.CallStatus{
		ptrace.StatusCodeUnset: scoring.StatusFailed, ptrace.StatusCodeOk: scoring.StatusOK, ptrace.StatusCodeError: scoring.StatusFailed,
	} {
		span := ptrace.NewSpan()
		span.SetName("execute_tool lookup")
		span.Attributes().PutStr(genAIOperation, executeTool)
		span.Attributes().PutStr(genAIToolName, "lookup")
		span.Events().AppendEmpty().SetName("exception")
		span.Status().SetCode(code)
		r, _ := ScopeOf("x").Read(span)
		if r.Call.Status != want {
			t.Errorf("with the status %v the call is %v, want %v", code, r.Call.Status, want)
		}
	}
}
