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
			name: "Gemini CLI: a call that failed", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{genAIOperation: "tool_call", genAIToolName: "lookup", genAIOutput: `{"status":"error","response":"y"}`},
			want: call("lookup").with(func(r *Reading) {
				r.Call.Output, r.Call.Status = scoring.JSON("y"), scoring.StatusFailed
			}),
			reason: "the span's own status is OK",
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
			name: "Gemini CLI: without content", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{genAIOperation: "tool_call", genAIToolName: "lookup", genAIInput: 7, genAIOutput: true},
			want:       call("lookup"), reason: "values of other types say nothing",
		},
		{
			name: "Gemini CLI: a server's tool of that name", scope: "gemini-cli", span: "tool_call",
			attributes: map[string]any{genAIOperation: "tool_call", genAIToolName: "complete_task", genAIToolDescription: "Closes a ticket"},
			want:       call("complete_task"), reason: "a name alone proves nothing",
		},
		{
			name: "Codex: an outcome of nothing", scope: "codex_exec", span: "dispatch_tool_call_with_state", reason: "without an ID it is of no call",
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
			want: call("ask_weather").with(func(r *Reading) { r.Of = "desk" }), reason: "a transfer by a tool is a call of the tool; the target's own span is its run",
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

// writers are spans in the exact words of the sources that testdata/frameworks.tsv names, and how they are read. A row's name begins with
// the framework's.
var writers = []row{
	{
		name: "Microsoft Agent Framework for .NET: a tool", scope: "Experimental.Microsoft.Agents.AI", span: "execute_tool lookup",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "call_1", "gen_ai.tool.name": "lookup",
			"gen_ai.tool.description": "Looks up.", "gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup("call_1"), reason: "its source of spans is the agent's",
	},
	{
		name: "Microsoft Agent Framework for .NET: an agent", scope: "Experimental.Microsoft.Agents.AI", span: "invoke_agent support(a1)",
		attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.id": "a1", "gen_ai.agent.name": "support"},
		want:       Reading{Role: Agent, Agent: "support"}, reason: "the span's name has the ID behind the agent's",
	},
	{
		name: "Microsoft.Extensions.AI: a tool that threw", scope: "Experimental.Microsoft.Extensions.AI", span: "execute_tool lookup", status: ptrace.StatusCodeError,
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function", "gen_ai.tool.call.id": "call_1", "gen_ai.tool.name": "lookup",
			"error.type": "System.InvalidOperationException",
		},
		want:   call("lookup").with(func(r *Reading) { r.CallID, r.Call.Status = "call_1", scoring.StatusFailed }),
		reason: "content is off unless the application turns it on",
	},
	{
		name: "Microsoft.Extensions.AI: the loop", scope: "Experimental.Microsoft.Extensions.AI", span: "orchestrate_tools", reason: "it has no attributes",
	},
	{
		name: "Semantic Kernel for .NET: a function", scope: "Microsoft.SemanticKernel", span: "execute_tool lookup",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup(""), reason: "it has neither the plugin's name nor an ID",
	},
	{
		name: "Qwen Code: a tool", scope: "qwen-code", span: "qwen-code.tool", status: ptrace.StatusCodeError,
		attributes: map[string]any{
			"session.id": "s1", "tool.call_id": "1", "gen_ai.tool.call.id": "call_1", "call_id": "1", "tool_name": "lookup",
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.type": "function", "gen_ai.agent.name": "qwen-code",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "error.type": "tool_error", "success": false,
		},
		want: lookup("call_1").with(func(r *Reading) {
			r.Conversation, r.Of, r.Call.Output, r.Call.Status = "s1", "qwen-code", scoring.Payload{}, scoring.StatusFailed
		}),
		reason: "the conventions' keys, under a name of its own",
	},
	{
		name: "Qwen Code: the execution below it", scope: "qwen-code", span: "qwen-code.tool.execution",
		attributes: map[string]any{"session.id": "s1", "gen_ai.tool.name": "lookup", "tool.call_id": "1"}, reason: "the span above is the call",
	},
	{
		name: "Qwen Code: a sub-agent", scope: "qwen-code", span: "qwen-code.subagent",
		attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "researcher", "gen_ai.conversation.id": "s1"},
		want:       Reading{Role: Agent, Agent: "researcher", Conversation: "s1"}, reason: "the agent above is qwen-code",
	},
	{
		name: "OpenCode: a tool", span: "ai.toolCall",
		attributes: map[string]any{
			"operation.name": "ai.toolCall session.llm", "resource.name": "session.llm", "ai.operationId": "ai.toolCall", "ai.telemetry.functionId": "session.llm",
			"ai.toolCall.name": "lookup", "ai.toolCall.id": "call_1", "ai.toolCall.args": `{"q":"x"}`, "ai.toolCall.result": `"y"`, "session.id": "s1",
		},
		want: lookup("call_1").with(func(r *Reading) { r.Conversation, r.Of = "s1", "session.llm" }), reason: "the AI SDK's spans, each with the session's ID",
	},
	{
		name: "Cline: a model's response", scope: "ai", span: "ai.streamText.doStream",
		attributes: map[string]any{"ai.operationId": "ai.streamText.doStream", "ai.response.toolCalls": `[]`},
		want:       Reading{Role: ModelCall, Messages: VercelMessages}, reason: "Cline calls the tools itself, without spans",
	},
	{
		name: "GitHub Copilot Chat: a tool", scope: "copilot-chat", span: "execute_tool lookup", status: ptrace.StatusCodeOk,
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.type": "extension", "gen_ai.tool.call.id": "call_1",
			"copilot_chat.chat_session_id": "s1", "gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup("call_1").with(func(r *Reading) { r.Call.Status = scoring.StatusOK }), reason: "the conventions",
	},
	{
		name: "Mistral Vibe: a tool", scope: "mistral_vibe", span: "execute_tool lookup", status: ptrace.StatusCodeOk,
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.id": "call_1", "gen_ai.tool.type": "function",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`, "gen_ai.conversation.id": "s1",
		},
		want: lookup("call_1").with(func(r *Reading) { r.Conversation, r.Call.Status = "s1", scoring.StatusOK }), reason: "the conventions",
	},
	{
		name: "Mistral Vibe: a hook", scope: "mistral_vibe", span: "hook pre_tool check",
		attributes: map[string]any{"vibe.hook.name": "check", "vibe.hook.type": "pre_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.id": "call_1"},
		reason:     "it runs beside the call",
	},
	{
		name: "OpenClaw: a tool", span: "openclaw.tool.execution",
		attributes: map[string]any{
			"openclaw.toolName": "lookup", "openclaw.tool.source": "core", "gen_ai.tool.name": "lookup", "gen_ai.operation.name": "execute_tool",
			"gen_ai.tool.call.id": "call_1", "gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup("call_1"), reason: "the conventions' keys, under a name of its own",
	},
	{
		name: "OpenClaw: a tool that a policy blocked", span: "openclaw.tool.execution",
		attributes: map[string]any{
			"openclaw.toolName": "lookup", "gen_ai.tool.name": "lookup", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "call_1",
			"openclaw.outcome": "blocked", "openclaw.deniedReason": "policy",
		},
		want: call("lookup").with(func(r *Reading) { r.CallID, r.Traits = "call_1", NotMade }), reason: "no tool ran",
	},
	{
		name: "Genkit for Python: a tool", scope: "genkit-tracer", span: "lookup",
		attributes: map[string]any{
			"genkit:type": "action", "genkit:metadata:subtype": "tool", "genkit:name": "lookup", "genkit:input": `{"q":"x"}`, "genkit:output": `"y"`,
			"genkit:state": "success",
		},
		want: lookup(""), reason: "as in JavaScript",
	},
	{
		name: "TanStack AI: a tool that failed, with another name for the span", span: "tool: lookup", status: ptrace.StatusCodeError,
		attributes: map[string]any{"gen_ai.tool.name": "lookup", "tanstack.ai.tool.outcome": "error", "gen_ai.input.messages": "[]", "gen_ai.output.messages": 7},
		want:       call("lookup").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }), reason: "spanNameFormatter names spans; no message has content",
	},
	{
		name: "Cloudflare Agents: a tool", span: "execute_tool lookup",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.id": "call_1",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup("call_1"), reason: "the conventions",
	},
	{
		name: "Flowise: a tool", scope: "phoenix-tracer-6f1c", span: "lookup", status: ptrace.StatusCodeOk,
		attributes: map[string]any{
			"openinference.span.kind": "TOOL", "input.value": `{"q":"x"}`, "input.mime_type": "application/json", "output.value": `"y"`, "output.mime_type": "application/json",
		},
		want: lookup("").with(func(r *Reading) { r.Call.Status = scoring.StatusOK }), reason: "OpenInference's keys, in scopes of its own",
	},
	{
		name: "OpenHands: a tool", span: "lookup",
		attributes: map[string]any{
			"lmnr.span.type": "TOOL", "lmnr.span.input": `{"action":{"q":"x","kind":"LookupAction"}}`, "lmnr.span.output": `"y"`,
			"lmnr.association.properties.metadata.tool_call_id": "call_1", "lmnr.association.properties.session_id": "s1",
		},
		want: lookup("call_1").with(func(r *Reading) {
			r.Conversation, r.Call.Arguments = "s1", scoring.JSON(`{"action":{"q":"x","kind":"LookupAction"}}`)
		}),
		reason: "through Laminar's decorator; arguments are of a function with an action",
	},
	{
		name: "Browser Use: a tool of the beta", span: "rust_core.tool.click",
		attributes: map[string]any{
			"lmnr.span.type": "TOOL", "lmnr.span.input": `[{"role":"assistant","tool_calls":[{"id":"call_1","name":"click","arguments":{"index":3}}]}]`,
			"tool_name": "click", "tool_call_id": "call_1",
		},
		want: call("click").with(func(r *Reading) { r.CallID = "call_1" }), reason: "through Laminar; the input is a message",
	},
	{
		name: "Azure AI Agents: a tool", span: "execute_tool lookup",
		attributes: map[string]any{
			"az.namespace": "Microsoft.CognitiveServices", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.id": "call_1", "gen_ai.tool.name": "lookup",
		},
		want: call("lookup").with(func(r *Reading) { r.CallID = "call_1" }), reason: "its spans have no content",
	},
	{
		name: "Azure AI Agents: a run", span: "process_thread_run",
		attributes: map[string]any{
			"gen_ai.system": "az.ai.agents", "gen_ai.operation.name": "process_thread_run", "gen_ai.thread.id": "t1", "gen_ai.agent.id": "a1", "gen_ai.thread.run.id": "r1",
		},
		want: Reading{Role: Agent, Conversation: "t1"}, reason: "the operation in which the SDK calls the functions",
	},
	{
		name: "Azure AI Projects: a response", span: "chat gpt-5",
		attributes: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.conversation.id": "c1",
			"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_1","name":"lookup","arguments":"{\"q\":\"x\"}"}]}]`,
		},
		want: Reading{Role: ModelCall, Conversation: "c1", Messages: GenAIMessages, Traits: MessagesOnly}, reason: "the form of the conventions",
	},
	{
		name: "Embabel: an agent", scope: "org.springframework.boot", span: "agent Travel",
		attributes: map[string]any{
			"gen_ai.operation.name": "agent", "embabel.event.type": "agent_process", "embabel.agent.name": "Travel", "embabel.agent.is_subagent": "false",
			"embabel.agent.status": "COMPLETED", "embabel.run.id": "r1", "gen_ai.conversation.id": "c1",
		},
		want: Reading{Role: Agent, Agent: "Travel", Conversation: "c1"}, reason: "an operation of its own",
	},
	{
		name: "Embabel: a tool", scope: "org.springframework.boot", span: "execute_tool lookup",
		attributes: map[string]any{
			"embabel.event.type": "tool_call", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.type": "function",
			"embabel.tool.name": "lookup", "embabel.tool.correlation_id": "1", "embabel.tool.status": "success",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup(""), reason: "the conventions",
	},
	{
		name: "Embabel: an action", scope: "org.springframework.boot", span: "action plan",
		attributes: map[string]any{"embabel.event.type": "action", "gen_ai.operation.name": "action", "embabel.agent.name": "Travel"}, reason: "a step of the agent",
	},
	{
		name: "Eino: a tool", scope: "github.com/cloudwego/eino-ext/callbacks/apmplus", span: "lookup",
		attributes: map[string]any{
			"gen_ai.span.kind": "tool", "gen_ai.system": "eino", "runinfo.name": "lookup", "runinfo.type": "", "runinfo.component": "Tool", "gen_ai.session.id": "s1",
			"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": `{"ArgumentsInJSON":"{\"q\":\"x\"}","Extra":null}`,
			"gen_ai.completion.0.content": `{"Response":"\"y\"","ToolOutput":null,"Extra":null}`,
		},
		want: lookup("").with(func(r *Reading) { r.Conversation = "s1" }), reason: "what the callback got",
	},
	{
		name: "Eino: the root", scope: "github.com/cloudwego/eino-ext/callbacks/apmplus", span: "support",
		attributes: map[string]any{"gen_ai.span.kind": "workflow", "gen_ai.system": "eino", "runinfo.name": "support", "runinfo.component": "Graph"},
		want:       Reading{Role: Workflow, Agent: "support"}, reason: "its component is not in the kind",
	},
	{
		name: "Eino: another's kind", span: "lookup", attributes: map[string]any{"gen_ai.span.kind": "tool", "gen_ai.system": 7}, reason: "Eino says that it is",
	},
	{
		name: "tRPC-Agent-Go: a tool", scope: "trpc.agent.go", span: "execute_tool lookup",
		attributes: map[string]any{
			"gen_ai.system": "trpc.go.agent", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.description": "Looks up.",
			"trpc.go.agent.event_id": "e1", "gen_ai.conversation.id": "s1", "gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.id": "call_1",
			"gen_ai.tool.call.result": `"y"`,
		},
		want: lookup("call_1").with(func(r *Reading) { r.Conversation = "s1" }), reason: "the conventions; the result is the whole event",
	},
	{
		name: "tRPC-Agent-Go: parallel calls", scope: "trpc.agent.go", span: "execute_tool (merged tools)",
		attributes: map[string]any{
			"gen_ai.system": "trpc.go.agent", "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "(merged tools)",
			"gen_ai.tool.description": "(merged tools)", "gen_ai.tool.call.arguments": "N/A", "gen_ai.tool.call.id": "call_1", "trpc.go.agent.event_id": "e1",
		},
		reason: "each of the calls has a span",
	},
	{
		name: "Rig: a tool that failed", span: "execute_tool",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.type": "function", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.id": "call_1",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`, "gen_ai.tool.call.outcome": "error", "gen_ai.tool.error.type": "execution",
		},
		want: lookup("call_1").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }), reason: "the span has no status",
	},
	{
		name: "Rig: a tool that was denied", span: "execute_tool",
		attributes: map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.call.outcome": "denied"},
		want:       call("lookup").with(func(r *Reading) { r.Traits = NotMade }), reason: "no tool ran",
	},
	{
		name: "goose: a tool", scope: "goose", span: "dispatch_tool_call",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "developer__shell", "gen_ai.tool.call.id": "call_1",
			"gen_ai.tool.call.arguments": `{"command":"ls"}`, "gen_ai.conversation.id": "s1",
		},
		want: call("developer__shell").with(func(r *Reading) {
			r.CallID, r.Conversation, r.Call.Arguments = "call_1", "s1", scoring.JSON(`{"command":"ls"}`)
		}),
		reason: "the conventions' keys on a function's span",
	},
	{
		name: "goose: a run", scope: "goose", span: "reply_stream",
		attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "session.id": "s1"},
		want:       Reading{Role: Agent, Conversation: "s1"}, reason: "it has no name",
	},
	{
		name: "OpenLIT: a tool", scope: "openlit.instrumentation.openai_agents", span: "execute_tool lookup",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.tool.type": "function",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup(""), reason: "the conventions",
	},
	{
		name: "OpenLIT: the list of a server's tools", scope: "openlit.instrumentation.openai_agents", span: "execute_tool travel",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "mcp_list_tools", "gen_ai.mcp.server": "travel", "gen_ai.tool.call.result": `["lookup"]`,
		},
		reason: "the SDK asked, and no model",
	},
	{
		name: "OpenLIT: a handoff", scope: "openlit.instrumentation.openai_agents", span: "invoke_agent researcher",
		attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "researcher", "gen_ai.agent.source": "triage"},
		reason:     "the agent has a span of its own",
	},
	{
		name: "OpenLIT: a guardrail", scope: "openlit.instrumentation.openai_agents", span: "invoke_agent polite",
		attributes: map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "polite", "gen_ai.guardrail.triggered": false},
		reason:     "it is no agent",
	},
	{
		name: "Weave: a tool", scope: "weave.openai_agents", span: "execute_tool lookup",
		attributes: map[string]any{
			"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "lookup", "gen_ai.conversation.id": "c1", "gen_ai.tool.call.id": "call_1",
			"gen_ai.tool.call.arguments": `{"q":"x"}`, "gen_ai.tool.call.result": `"y"`,
		},
		want: lookup("call_1").with(func(r *Reading) { r.Conversation = "c1" }), reason: "the conventions",
	},
	{
		name: "MCP SDK for C#: a call", scope: "Experimental.ModelContextProtocol", span: "tools/call lookup", status: ptrace.StatusCodeError,
		attributes: map[string]any{
			"mcp.method.name": "tools/call", "network.transport": "pipe", "mcp.session.id": "m1", "jsonrpc.request.id": "2",
			"gen_ai.tool.name": "lookup", "gen_ai.operation.name": "execute_tool", "error.type": "tool_error",
		},
		want:   call("lookup").with(func(r *Reading) { r.Call.Status, r.Traits = scoring.StatusFailed, MCP }),
		reason: "MCP's conventions: it completes the agent's call",
	},
	{
		name: "FastMCP: a call", scope: "fastmcp", span: "tools/call lookup",
		attributes: map[string]any{
			"mcp.method.name": "tools/call", "fastmcp.component.key": "tool:lookup", "mcp.session.id": "m1", "gen_ai.tool.name": "lookup",
		},
		want: call("lookup").with(func(r *Reading) { r.Traits = MCP }), reason: "MCP's conventions, without an operation",
	},
	{
		name: "FastMCP: another request", scope: "fastmcp", span: "prompts/get",
		attributes: map[string]any{"fastmcp.span.seam": true, "mcp.method.name": "prompts/get", "fastmcp.server.name": "travel"}, reason: "it calls no tool",
	},
	{
		name: "CrewAI by OpenInference: a delegation", scope: "openinference.instrumentation.crewai", span: "Delegate work to coworker.run",
		attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.name": "Delegate work to coworker",
			"tool.description": "Tool Name: delegate_work_to_coworker\nTool Arguments: {}", "input.value": `{"task":"x"}`,
		},
		want:   call("delegate_work_to_coworker").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"task":"x"}`) }),
		reason: "the name that the model saw",
	},
}

func TestWriters(t *testing.T) { checkRows(t, writers) }

// lookup is the call that the writers' spans have.
func lookup(id string) Reading {
	return call("lookup").with(func(r *Reading) {
		r.CallID, r.Call.Arguments, r.Call.Output = id, scoring.JSON(`{"q":"x"}`), scoring.JSON(`"y"`)
	})
}
