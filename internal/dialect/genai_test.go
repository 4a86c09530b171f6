package dialect

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestGenAICalls(t *testing.T) {
	checkRows(t, []row{
		{
			name: "everything in place",
			span: "execute_tool search",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", genAICallID: "call_1",
				genAIArguments: `{"q": "a"}`, genAIResult: `[1]`, genAIConversation: "c1",
			},
			status: ptrace.StatusCodeOk,
			want: Reading{
				Role: ToolCall, Conversation: "c1", CallID: "call_1",
				Call: scoring.Call{
					Name: "search", Arguments: scoring.JSON(`{"q": "a"}`), Output: scoring.JSON(`[1]`), Status: scoring.StatusOK,
				},
			},
			reason: "the conventions' execute_tool span, with its opt-in attributes as JSON text",
		},
		{
			name: "arguments and result as values",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search",
				genAIArguments: map[string]any{"limit": 1.0}, genAIResult: []any{true, int64(2)},
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"limit":1.0}`), scoring.JSON(`[true,2]`)
			}),
			reason: "the conventions prefer a structured value where the SDK can record one",
		},
		{
			name:       "a result that is plain text",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIResult: "sunny"},
			want:       call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON("sunny") }),
			reason:     "whether it is JSON shows when it is read; Mastra writes text as it stands",
		},
		{
			name:       "no content captured",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: ""},
			want:       call("search"),
			reason:     "not captured is not the same as an empty object",
		},
		{
			name:       "Python's None",
			scope:      agentFramework,
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: "None"},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("{}") }),
			reason:     "Microsoft Agent Framework says by this that there were no arguments, and the model gave an empty object",
		},
		{
			name:       "a model's None",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: "None"},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("None") }),
			reason:     "other instrumentations do not write it, so it is no empty object",
		},
		{
			name:       "the id that is none",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAICallID: "unknown"},
			want:       call("search"),
			reason:     "taken as an id it would make all such calls of a run one call",
		},
		{
			name:       "an error's type without an error's status",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search", errorType: "timeout"},
			want:       call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "error.type is there only if the operation ended in an error",
		},
		{
			name:       "an error's status without its type",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "search"},
			status:     ptrace.StatusCodeError,
			want:       call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "many instrumentations set the status alone",
		},
		{
			name: "a tool behind MCP",
			span: "tools/call search",
			attributes: map[string]any{
				mcpMethod: mcpCallTool, genAIOperation: executeTool, genAIToolName: "search", errorType: "tool_error",
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Status, r.Traits = scoring.StatusFailed, MCP
			}),
			reason: "MCP's conventions are these with mcp.method.name; the agent's own span may tell of the same call",
		},
		{
			name:       "MCP without a call",
			span:       "tools/list",
			attributes: map[string]any{mcpMethod: "tools/list", genAIToolName: "search"},
			reason:     "the conventions set the operation for tools/call only",
		},
		{
			name:       "the joined answer of parallel calls",
			span:       "execute_tool (merged)",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "(merged tools)"},
			want:       call("(merged tools)"),
			reason:     "only Google ADK's own spans are known to mean it: a tool's server may name a tool anything",
		},
	})
}

func TestGenAIToolNames(t *testing.T) {
	checkRows(t, []row{
		{
			name:       "from the span's name",
			span:       "execute_tool search orders",
			attributes: map[string]any{genAIOperation: executeTool},
			want:       call("search orders"),
			reason:     "the conventions put the tool's name behind the operation; it may have spaces",
		},
		{
			name:       "from the name of an MCP span",
			span:       "tools/call search",
			attributes: map[string]any{genAIOperation: executeTool, mcpMethod: mcpCallTool},
			want:       call("search").with(func(r *Reading) { r.Traits = MCP }),
			reason:     "MCP puts it behind the method",
		},
		{
			name:       "the span's name as it is",
			span:       "search",
			attributes: map[string]any{genAIOperation: executeTool},
			want:       call("search"),
			reason:     "LangSmith names the span after the tool and has no other name for it",
		},
		{
			name:       "no name at all",
			attributes: map[string]any{genAIOperation: executeTool},
			want:       call(""),
			reason:     "something was called; a name is not invented",
		},
		{
			name:       "a number",
			span:       "execute_tool search",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: 42},
			want:       call("42"),
			reason:     "a scalar is taken in its text form",
		},
		{
			name:       "a map",
			span:       "execute_tool search",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: map[string]any{"name": "x"}},
			want:       call("search"),
			reason:     "what is no name is as good as absent",
		},
		{
			name:       "no UTF-8",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "a\xffb"},
			want:       call("a\uFFFDb"),
			reason:     "the name ends up in an attribute again, which must be valid",
		},
	})
}

func TestGenAIAgents(t *testing.T) {
	checkRows(t, []row{
		{
			name:       "an agent named by its span",
			span:       "invoke_agent support",
			attributes: map[string]any{genAIOperation: invokeAgent},
			want:       Reading{Role: Agent, Agent: "support"},
			reason:     "the conventions put the agent's name behind the operation",
		},
		{
			name:       "a model is no agent",
			span:       "invoke_agent gpt-4o-mini",
			attributes: map[string]any{genAIOperation: invokeAgent, "gen_ai.request.model": "gpt-4o-mini"},
			want:       Reading{Role: Agent},
			reason:     "Vercel AI SDK 7 puts the model into the name of an agent that has none",
		},
		{
			name:       "an agent without a name",
			span:       "claude_code.interaction",
			attributes: map[string]any{genAIOperation: invokeAgent, sessionID: "s1"},
			want:       Reading{Role: Agent, Conversation: "s1"},
			reason:     "the span's name is not of the conventions' form, so it says nothing about the agent",
		},
		{
			name:       "a model call of Google's",
			attributes: map[string]any{genAIOperation: "generate_content", genAIConversation: "c1"},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Conversation: "c1", Traits: MessagesOnly},
			reason:     "the conventions' other name for a chat",
		},
		{
			name:       "a model call by the model's client",
			scope:      "opentelemetry.instrumentation.openai.v1",
			attributes: map[string]any{genAIOperation: "chat"},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Traits: MessagesOnly},
			reason:     "an instrumentation of a model's client sees no tool run",
		},
		{
			name:       "a handoff",
			attributes: map[string]any{genAIOperation: "handoff", genAIToolName: "transfer_to_refunds"},
			reason:     "one agent follows another; no tool is called",
		},
		{
			name:       "an operation that is no string",
			span:       "execute_tool search",
			attributes: map[string]any{genAIOperation: []any{executeTool}, genAIToolName: "search"},
			reason:     "a marker counts only as a string",
		},
	})
}

// What frameworks and older conventions do differently, on spans that follow the conventions otherwise.
func TestGenAIContent(t *testing.T) {
	tool := func(more map[string]any) map[string]any {
		more[genAIOperation], more[genAIToolName] = executeTool, "search"
		return more
	}
	arguments := func(text string) Reading {
		return call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(text) })
	}
	output := func(text string) Reading {
		return call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(text) })
	}
	rows := []row{
		{
			name: "a message of LangChain's", scope: traceloopLangChainPy,
			attributes: tool(map[string]any{genAIResult: `{"output":{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],` +
				`"kwargs":{"content":"no such order","name":"search","tool_call_id":"call_1","status":"error"}}}`}),
			want: output("no such order").with(func(r *Reading) {
				r.CallID, r.Call.Status = "call_1", scoring.StatusFailed
			}),
			reason: "the message has the result, the call's id, and whether the tool failed",
		},
		{
			name:       "a result in the form of LangChain's message",
			attributes: tool(map[string]any{genAIResult: `{"type":"tool","content":"ok","name":"search","tool_call_id":"call_1","status":"error"}`}),
			want: call("search").with(func(r *Reading) {
				r.Call.Output = scoring.JSON(`{"type":"tool","content":"ok","name":"search","tool_call_id":"call_1","status":"error"}`)
			}),
			reason: "no instrumentation is known to write that here, so the tool did",
		},
		{
			name:       "a list of content blocks",
			attributes: tool(map[string]any{genAIResult: `[{"type":"text","text":"{\"n\":1}"}]`}),
			want:       output(`{"n":1}`),
			reason:     "MCP's way to return text",
		},
		{
			name:       "a list of content blocks as a value",
			attributes: tool(map[string]any{genAIResult: []any{map[string]any{"type": "text", "text": "sunny"}}}),
			want:       output("sunny"),
			reason:     "the same, where the SDK can record it",
		},
		{
			name:       "Sentry's keys",
			attributes: tool(map[string]any{sentryInput: `{"q":"a"}`, sentryOutput: `"b"`}),
			want:       arguments(`{"q":"a"}`).with(func(r *Reading) { r.Call.Output = scoring.JSON(`"b"`) }),
			reason:     "its SDKs had them before the conventions did",
		},
		{
			name:       "the AI SDK's keys",
			attributes: tool(map[string]any{vercelArguments: `{"q":"a"}`, vercelResult: `"b"`}),
			want:       arguments(`{"q":"a"}`).with(func(r *Reading) { r.Call.Output = scoring.JSON(`"b"`) }),
			reason:     "Sentry renames the tool's name and id only",
		},
		{
			name:       "a plugin's function",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "Weather-get_forecast"},
			want:       call("Weather-get_forecast"),
			reason:     "Semantic Kernel gives the model this name, so it is the tool's",
		},
		{
			name: "each argument by itself",
			attributes: tool(map[string]any{
				googleParameter + "city" + googleValue: "Oslo", googleParameter + "city" + googleType: "str",
				"code.function.return.value": "rainy",
			}),
			want:   arguments(`{"city":"Oslo"}`).with(func(r *Reading) { r.Call.Output = scoring.JSON("rainy") }),
			reason: "OpenTelemetry's instrumentation of Google's Gen AI SDK",
		},
		{
			name:       "an argument as Python writes it",
			attributes: tool(map[string]any{googleParameter + "city" + googleValue: "'Oslo'"}),
			want:       arguments(`{"city":"Oslo"}`),
			reason:     "its first versions wrote every value so",
		},
		{
			name:       "an argument that is a number",
			attributes: tool(map[string]any{googleParameter + "days" + googleValue: 3}),
			want:       arguments(`{"days":3}`),
			reason:     "what OpenTelemetry has a type for stays as it is",
		},
		{
			name:       "an argument without its value",
			attributes: tool(map[string]any{googleParameter + "city" + googleType: "str", "code.args.positional.count": 0, "code.args.keyword.count": 1}),
			want:       call("search"),
			reason:     "content is switched off; the type alone says nothing",
		},
		{
			name:       "no argument at all",
			attributes: tool(map[string]any{"code.args.positional.count": 0, "code.args.keyword.count": 0}),
			want:       arguments("{}"),
			reason:     "the function was called without any, and the span says so",
		},
	}
	for _, text := range []string{"N/A", "n/a", "None", "-"} {
		want := call("search")
		want.Call.Output = scoring.JSON(text)
		rows = append(rows, row{
			name:       "a tool that returned " + text,
			attributes: tool(map[string]any{genAIResult: text}),
			want:       want,
			reason:     "tools say so when they have nothing to say",
		})
	}
	rows = append(rows, row{
		name:       "arguments that are not available",
		attributes: tool(map[string]any{genAIArguments: "N/A"}),
		want:       call("search"),
		reason:     "they stand in place of content: no call has such arguments",
	})
	for _, hidden := range []string{"***", "__REDACTED__", "<REDACTED>", "[REDACTED]"} {
		rows = append(rows, row{
			name:       "hidden by " + hidden,
			attributes: tool(map[string]any{genAIArguments: hidden, genAIResult: hidden}),
			want:       call("search"),
			reason:     "it stands in place of content",
		})
	}
	checkRows(t, rows)
}

// A failed call of a tool without a description may be of a tool that does not exist. Only OpenTelemetry's own
// instrumentations describe all tools.
func TestCallsOfToolsThatNothingDescribes(t *testing.T) {
	failed := func(more map[string]any) map[string]any {
		attributes := map[string]any{genAIOperation: executeTool, genAIToolName: "search", errorType: "RuntimeError"}
		maps.Copy(attributes, more)
		return attributes
	}
	for _, tc := range []struct {
		claim, scope string
		attributes   map[string]any
		want         bool
	}{
		{"a failed call", "opentelemetry.instrumentation.genai.llama_index", failed(nil), true},
		{"of a described tool", "opentelemetry.instrumentation.genai.llama_index", failed(map[string]any{genAIToolDescription: "finds"}), false},
		{"of a tool of a type", "opentelemetry.instrumentation.genai.llama_index", failed(map[string]any{genAIToolType: "function"}), false},
		{"with a result", "opentelemetry.instrumentation.genai.llama_index", failed(map[string]any{genAIResult: "none"}), false},
		{"that succeeded", "opentelemetry.instrumentation.genai.llama_index", failed(map[string]any{errorType: ""}), false},
		{"of another instrumentation", "my.tracer", failed(nil), true},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			span := newSpan("execute_tool search", tc.attributes)
			r, _ := ScopeOf(tc.scope).Read(span)
			if r.Role != ToolCall || r.IsUndescribed(span) != tc.want {
				t.Errorf("read %+v", r)
			}
		})
	}
}

// OpenTelemetry's instrumentation of DSPy names the parameter of a function that takes any arguments.
func TestDSPyByTheConventions(t *testing.T) {
	attributes := func(arguments string) map[string]any {
		return map[string]any{genAIOperation: executeTool, genAIToolName: "search", genAIArguments: arguments}
	}
	weather := func(arguments string) Reading {
		return call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(arguments) })
	}
	checkRows(t, []row{
		{
			name: "any arguments", scope: dspyGenAIScope, attributes: attributes(`{"kwargs":{"q":"x"}}`), want: weather(`{"q":"x"}`),
			reason: "tools of MCP are such functions",
		},
		{name: "its own arguments", scope: dspyGenAIScope, attributes: attributes(`{"q":"x"}`), want: weather(`{"q":"x"}`), reason: "as they are"},
		{
			name: "another scope", attributes: attributes(`{"kwargs":{"q":"x"}}`), want: weather(`{"kwargs":{"q":"x"}}`),
			reason: "a tool may have an argument of that name",
		},
	})
}

// AgentScope for Java writes one span for the calls of a step.
func TestASpanMayListCalls(t *testing.T) {
	const name, ids = "search, book, search", "call_1,call_2,call_3"
	listed := func(count any) map[string]any {
		return map[string]any{genAIOperation: executeTool, genAIToolName: name, genAICallID: ids, "gen_ai.tool.call.count": count}
	}
	checkRows(t, []row{
		{
			name: "three calls", scope: "io.agentscope", attributes: listed(3),
			want: Reading{Role: ModelCall, Messages: ListMessages, Traits: MessagesOnly}, reason: "the span stands for what the model asked for",
		},
		{
			name: "one call", scope: "io.agentscope", attributes: listed(1),
			want: call(name).with(func(r *Reading) { r.CallID = ids }), reason: "a name may have commas",
		},
		{
			name: "another number", scope: "io.agentscope", attributes: listed(2),
			want: call(name).with(func(r *Reading) { r.CallID = ids }), reason: "nothing says where a name ends",
		},
	})
	span := newSpan("execute_tool", listed(3))
	want := ModelResponse{
		Requests: []ToolRequest{{ID: "call_1", Name: "search", Answered: true}, {ID: "call_2", Name: "book", Answered: true}, {ID: "call_3", Name: "search", Answered: true}},
		Results:  []ToolResult{{ID: "call_1"}, {ID: "call_2"}, {ID: "call_3"}},
	}
	if diff := cmp.Diff(want, ListMessages.Response(span, Want{Results: true}, new(Scratch)), cmp.AllowUnexported(scoring.Payload{})); diff != "" {
		t.Errorf("each call was made (-want +got):\n%s", diff)
	}
}
