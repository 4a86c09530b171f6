package dialect

import (
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestMLflow(t *testing.T) {
	const toolMessage = `{"content": "no such city", "type": "tool", "tool_call_id": "call_1", "status": "error"}`
	checkRows(t, []row{
		{
			name: "a tool",
			span: "search",
			attributes: map[string]any{
				mlflowType: `"TOOL"`, "mlflow.spanFunctionName": `"run_search"`, "mlflow.spanInputs": `{"q": "a"}`, mlflowOutputs: `"sunny"`,
				sessionID: `"s1"`,
			},
			status: ptrace.StatusCodeOk,
			want: call("search").with(func(r *Reading) {
				r.Conversation, r.Call.Status = "s1", scoring.StatusOK
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q": "a"}`), scoring.JSON(`"sunny"`)
			}),
			reason: "every value is JSON, names and types too",
		},
		{
			name:       "arguments in a string",
			span:       "search",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `"{\"q\": 1.0}"`, mlflowOutputs: `"[1]"`},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q": 1.0}`), scoring.JSON(`[1]`)
			}),
			reason: "the OpenAI Agents SDK has them as text, and MLflow encodes that once more",
		},
		{
			name:       "arguments as Python shows them",
			span:       "search",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `"{'q': None}"`},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"q":null}`) }),
			reason:     "LangChain hands its callbacks a text",
		},
		{
			name: "LangChain's message",
			span: "search",
			attributes: map[string]any{
				mlflowType: `"TOOL"`, mlflowOutputs: toolMessage, mlflowCallID: `"call_1"`,
			},
			status: ptrace.StatusCodeOk,
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Status, r.Call.Output = "call_1", scoring.StatusFailed, scoring.JSON("no such city")
			}),
			reason: "the span has the id, so the message is LangChain's, and says that the tool failed",
		},
		{
			name:       "LangChain's message without the call's id beside",
			span:       "search",
			attributes: map[string]any{mlflowType: `"TOOL"`, mlflowOutputs: toolMessage, "metadata": `{"langgraph_node": "tools"}`},
			want:       call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON("no such city") }),
			reason:     "its content is the result; id and status could be the tool's words",
		},
		{
			name:       "a function that returns the form of a message",
			span:       "search",
			attributes: map[string]any{mlflowType: `"TOOL"`, mlflowOutputs: toolMessage},
			want:       call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(toolMessage) }),
			reason:     "nothing says that LangChain called it",
		},
		{
			name:       "a text in the form of LangChain's message",
			span:       "search",
			attributes: map[string]any{mlflowType: `"TOOL"`, mlflowOutputs: strconv.Quote(toolMessage), mlflowCallID: `"call_1"`},
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Output = "call_1", scoring.JSON(toolMessage)
			}),
			reason: "MLflow quotes texts, and a message is none",
		},
		{
			name:       "a type encoded twice",
			span:       "search",
			attributes: map[string]any{mlflowType: `"\"TOOL\""`},
			want:       call("search"),
			reason:     "some exporters encode attributes again; no content is captured",
		},
		{
			name:       "named by its function",
			attributes: map[string]any{mlflowType: "TOOL", "mlflow.spanFunctionName": `"search"`},
			want:       call("search"),
			reason:     "the span has no name",
		},
		{
			name: "a method of Pydantic AI that calls tools", span: "ToolManager.execute_tool_call",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `"{'validated': {'call': ToolCallPart(tool_name='search', ` +
				`args={'q': 1}, tool_call_id='call_1'), 'tool': _CombinedToolsetTool(max_retries=1, args_validator=SchemaValidator(title=\"search\", validator=Dict(\n"`},
			want: call("search").with(func(r *Reading) { r.CallID, r.Call.Arguments = "call_1", scoring.JSON(`{"q":1}`) }), reason: "the request is the first of its arguments",
		},
		{
			name: "a method of Pydantic AI that finds no tool", span: "ToolManager.execute_tool_call",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `"{'validated': {'call': ToolCallPart(tool_name='search', ` +
				`args='{\"q\": 1}', tool_call_id='call_1'), 'tool': None, 'ctx': RunContext(deps=None"`},
			want: call("search").with(func(r *Reading) {
				r.CallID, r.Call.Arguments, r.Traits = "call_1", scoring.JSON(`{"q": 1}`), NotMade
			}),
			reason: "there is none",
		},
		{
			name: "a method of Pydantic AI without its arguments", span: "ToolManager.execute_tool_call", attributes: map[string]any{mlflowType: `"TOOL"`},
			want: call("ToolManager.execute_tool_call").with(func(r *Reading) { r.Traits = LostName }), reason: "some tool was called",
		},
		{
			name: "an older method of Pydantic AI that calls tools", span: "ToolManager.handle_call",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `{"call": {"tool_name": "search", "args": {"q": 1}, "tool_call_id": "call_1"}}`},
			want:       call("search").with(func(r *Reading) { r.CallID, r.Call.Arguments = "call_1", scoring.JSON(`{"q":1}`) }), reason: "the input is JSON",
		},
		{
			name: "a method of Pydantic AI that calls a server", span: "MCPServerStdio.call_tool",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `"{'name': 'search', 'tool_args': {'q': 1}, 'ctx': {'model': FunctionModel(f=<f>"`},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments, r.Traits = scoring.JSON(`{"q":1}`), MCP }), reason: "the call is one of the manager's above",
		},
		{
			name: "a method of Pydantic AI that lists the tools of a server", span: "MCPServerStdio.list_tools",
			attributes: map[string]any{mlflowType: `"TOOL"`, "mlflow.spanInputs": `{}`}, reason: "a model knows nothing of it",
		},
		{
			name: "an agent of Pydantic AI", span: "Agent.run", attributes: map[string]any{mlflowType: `"AGENT"`, "name": `"support"`},
			want: Reading{Role: Agent, Agent: "support"}, reason: "the span is named after the method",
		},
		{
			name:       "an agent",
			span:       "support",
			attributes: map[string]any{mlflowType: `"AGENT"`},
			want:       Reading{Role: Agent, Agent: "support"},
			reason:     "one execution of an agent",
		},
		{
			name: "wrong types",
			span: "search",
			attributes: map[string]any{
				mlflowType: `"TOOL"`, "mlflow.spanInputs": map[string]any{"q": 1}, mlflowOutputs: []any{"a"}, sessionID: []any{"s1"},
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":1}`), scoring.JSON(`["a"]`)
			}),
			reason: "values that are no text are content all the same; a list is no id",
		},
	})
	t.Run("a chain with a parent", func(t *testing.T) {
		span := newSpan("tools", map[string]any{mlflowType: `"CHAIN"`})
		span.SetParentSpanID(pcommon.SpanID{1})
		checkReading(t, "", span, Reading{}, "it is one node of a graph")
	})
}
