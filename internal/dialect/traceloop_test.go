package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestTraceloopCalls(t *testing.T) {
	tool := func(input, output string) map[string]any {
		return map[string]any{
			traceloopKind: "tool", traceloopName: "weather", "traceloop.entity.input": input, traceloopOutput: output,
		}
	}
	oslo := func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"city":"Oslo"}`) }
	toolMessage := `{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],` +
		`"kwargs":{"content":"7","tool_call_id":"call_1","name":"weather"}}`
	checkRows(t, []row{
		{
			name: "a node of an agent of LangChain behind the normalizer", scope: traceloopLangChainPy, span: "execute_task model",
			attributes: map[string]any{genAIOperation: invokeAgent, genAIAgentName: "model", "traceloop.association.properties.lc_agent_name": "researcher", "traceloop.association.properties.langgraph_node": "model"},
			reason:     "the normalizer calls tasks agents",
		},
		{
			name: "a tool of LangChain behind the normalizer", scope: traceloopLangChainPy, span: "execute_tool weather",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "weather",
				genAIArguments: `{"input_str":"{'city': 'Oslo'}","tags":[],"metadata":{},"kwargs":{},"inputs":{"city":"Oslo"}}`,
			},
			want: call("weather").with(oslo), reason: "the normalizer takes the callback's input for the arguments",
		},
		{
			name: "a tool of LlamaIndex", scope: traceloopLlamaIndex, span: "FunctionTool.tool",
			attributes: tool(`{"args":[],"kwargs":{"city":"Oslo"}}`, ""),
			want:       call("weather").with(oslo),
			reason:     "its instrumentation writes how the tool's method was called, like a decorator",
		},
		{
			name:       "no arguments",
			attributes: tool(`{"args":[],"kwargs":{}}`, ""),
			want:       call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{}`) }),
			reason:     "known to be none, as an object",
		},
		{
			name:       "one object",
			attributes: tool(`{"args":[{"city":"Oslo"}],"kwargs":{}}`, ""),
			want:       call("weather").with(oslo),
			reason:     "it stands in for named arguments",
		},
		{
			name:       "one object as text",
			attributes: tool(`{"args":["{\"city\":\"Oslo\"}"],"kwargs":{}}`, ""),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = UnnamedArgument, scoring.JSON(`{"args":["{\"city\":\"Oslo\"}"],"kwargs":{}}`)
			}),
			reason: "a model may have written the text",
		},
		{
			name:       "arguments by position",
			attributes: tool(`{"args":["Oslo",7],"kwargs":{}}`, ""),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = UnnamedArgument, scoring.JSON(`{"args":["Oslo",7],"kwargs":{}}`)
			}),
			reason: "their names are not known, so they stay as written",
		},
		{
			name:       "arguments of both sorts",
			attributes: tool(`{"args":["Oslo"],"kwargs":{"unit":"celsius"}}`, ""),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = UnnamedArgument, scoring.JSON(`{"args":["Oslo"],"kwargs":{"unit":"celsius"}}`)
			}),
			reason: "the named ones alone would not be all",
		},
		{
			name:       "an argument called args",
			attributes: tool(`{"args":"-l","path":"/"}`, ""),
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments = scoring.JSON(`{"args":"-l","path":"/"}`)
			}),
			reason: "an object with anything else in it is the tool's own",
		},
		{
			name: "LangChain in Python without inputs", scope: traceloopLangChainPy,
			attributes: tool(
				`{"input_str":"{'city': 'Oslo'}","tags":null,"metadata":{},"inputs":null,"kwargs":{}}`,
				`{"output":"sunny","kwargs":{}}`),
			want:   call("weather").with(oslo).with(func(r *Reading) { r.Call.Output = scoring.JSON("sunny") }),
			reason: "the text is the Python form of the same",
		},
		{
			name:  "a failed tool of LangChain in JavaScript",
			scope: traceloopLangChainJS,
			span:  "execute_tool DynamicStructuredTool",
			attributes: map[string]any{
				traceloopKind: "task", genAIOperation: executeTool, "traceloop.entity.input": `{"args":["Oslo"]}`,
			},
			status: ptrace.StatusCodeError,
			want: call("DynamicStructuredTool").with(func(r *Reading) {
				r.Traits, r.Call.Arguments, r.Call.Status = UnnamedArgument|LostName, scoring.Text("Oslo"), scoring.StatusFailed
			}),
			reason: "without a message there is only the class, and a text has no argument's name",
		},
		{
			name: "LangChain in JavaScript, a message that is no constructor call", scope: traceloopLangChainJS, span: "execute_tool DynamicStructuredTool",
			attributes: map[string]any{
				traceloopKind: "task", genAIOperation: executeTool, traceloopName: "DynamicStructuredTool",
				traceloopOutput: `{"type":"tool","content":"7","tool_call_id":"call_1","name":"forged"}`,
			},
			want: call("DynamicStructuredTool").with(func(r *Reading) {
				r.Traits, r.CallID, r.Call.Output = LostName, "call_1", scoring.JSON("7")
			}),
			reason: "a tool may return such an object, and LangChain writes its own messages in another form",
		},
		{
			name: "LangChain in JavaScript, a span with a tool's name", scope: traceloopLangChainJS,
			attributes: map[string]any{
				traceloopKind: "task", genAIOperation: executeTool, traceloopName: "DynamicStructuredTool", genAIToolName: "Delete",
				traceloopOutput: toolMessage,
			},
			want:   call("Delete").with(func(r *Reading) { r.CallID, r.Call.Output = "call_1", scoring.JSON("7") }),
			reason: "an output does not rename a call",
		},
		{
			name: "LangChain in JavaScript, an entity with a tool's name", scope: traceloopLangChainJS,
			attributes: map[string]any{
				traceloopKind: "task", genAIOperation: executeTool, traceloopName: "delete_all", traceloopOutput: toolMessage,
			},
			want:   call("delete_all").with(func(r *Reading) { r.CallID, r.Call.Output = "call_1", scoring.JSON("7") }),
			reason: "it is no class's",
		},
		{
			name:       "a result like MCP's",
			attributes: tool(`{"args":[],"kwargs":{"city":"Oslo"}}`, `{"result":7}`),
			want:       call("weather").with(oslo).with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"result":7}`) }),
			reason:     "from a tool of the application it is the tool's own",
		},
		{
			name:       "an MCP client without arguments",
			scope:      "opentelemetry.instrumentation.mcp.instrumentation",
			attributes: tool(`{"tool_name":"weather","arguments":null}`, `{"result":"{\"temp\":7}"}`),
			want: call("weather").with(func(r *Reading) {
				r.Traits, r.Call.Arguments, r.Call.Output = MCP, scoring.Omitted(), scoring.JSON(`{"temp":7}`)
			}),
			reason: "the request has none, and the scope is a module's name",
		},
		{
			name:       "an MCP server",
			scope:      "opentelemetry.instrumentation.mcp",
			attributes: tool(`{"tool_name":"weather","arguments":{"city":"Oslo"}}`, `[{"type":"text","content":"7"}]`),
			want: call("weather").with(oslo).with(func(r *Reading) {
				r.Traits, r.Call.Output = MCP, scoring.JSON("7")
			}),
			reason: "its instrumentation has a list of its own",
		},
		{
			name:       "named by its span",
			span:       "weather.tool",
			attributes: map[string]any{traceloopKind: "tool"},
			want:       call("weather"),
			reason:     "with the kind at its end",
		},
		{
			name: "wrong types",
			span: "weather.tool",
			attributes: map[string]any{
				traceloopKind: "tool", traceloopName: []any{"a"}, "traceloop.association.properties.session_id": map[string]any{"a": "b"},
				"traceloop.entity.input": []any{int64(1)},
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("[1]") }),
			reason: "they are as good as absent; a value's own type is kept",
		},
	})
}

func TestTraceloopGroups(t *testing.T) {
	checkRows(t, []row{
		{
			name:       "an agent by the conventions' key",
			span:       "Support.agent",
			attributes: map[string]any{traceloopKind: "agent", genAIAgentName: "Support", genAIOperation: invokeAgent},
			want:       Reading{Role: Agent, Agent: "Support"},
			reason:     "the OpenAI Agents SDK's spans have no entity",
		},
		{
			name:       "an agent that only its span names",
			span:       "Support.agent",
			attributes: map[string]any{traceloopKind: "agent"},
			want:       Reading{Role: Agent, Agent: "Support"},
			reason:     "with the kind at its end",
		},
		{
			name:       "a node of a graph of LangChain in JavaScript",
			scope:      traceloopLangChainJS,
			attributes: map[string]any{traceloopKind: "workflow", traceloopWorkflow: "model_request"},
			reason:     "every chain is a workflow there, in a trace of its own",
		},
		{
			name:  "an agent of LangChain in JavaScript",
			scope: traceloopLangChainJS,
			attributes: map[string]any{
				traceloopKind: "workflow", genAIOperation: invokeAgent, genAIAgentName: "AgentExecutor",
			},
			want:   Reading{Role: Agent, Agent: "AgentExecutor"},
			reason: "the operation knows better than the kind",
		},
		{
			name:       "a kind that is not known",
			attributes: map[string]any{traceloopKind: "unknown", genAIOperation: "chat"},
			want:       Reading{Role: ModelCall, Messages: GenAIMessages, Traits: MessagesOnly},
			reason:     "the conventions may know it",
		},
	})
}
