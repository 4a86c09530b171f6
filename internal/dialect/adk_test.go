package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestADKCalls(t *testing.T) {
	tool := func(arguments, response any) map[string]any {
		return map[string]any{
			genAIOperation: executeTool, genAIToolName: "search", genAICallID: "call_1",
			adkArguments: arguments, adkResponse: response,
		}
	}
	found := call("search").with(func(r *Reading) { r.CallID = "call_1" })
	read := func(arguments, output string) Reading {
		return found.with(func(r *Reading) { r.Call.Arguments, r.Call.Output = scoring.JSON(arguments), scoring.JSON(output) })
	}
	checkRows(t, []row{
		{
			name: "the joined answer under another scope", scope: "openinference.instrumentation.google_adk",
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "(merged tools)", genAICallID: "e1", "gcp.vertex.agent.event_id": "e1", openInferenceKind: "TOOL",
			},
			reason: "the id of its event shows that it is no call",
		},
		{
			name: "a tool with the name of the joined answer", scope: "openinference.instrumentation.google_adk", span: "x",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "(merged tools)", genAICallID: "c1", "gcp.vertex.agent.event_id": "e1"},
			want:       call("(merged tools)").with(func(r *Reading) { r.CallID = "c1" }),
			reason:     "a server may name its tools anything, and the ids are ADK's",
		},
		{
			name: "a tool that there is not", scope: adkScope,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "teleport", genAIToolType: adkNoTool, genAIToolDescription: "Tool not found",
			},
			want:   call("teleport").with(func(r *Reading) { r.Traits = NotMade }),
			reason: "ADK writes a span for a name that the model made up, and executes nothing",
		},
		{
			name: "a tool that there is not, in Go", scope: adkScope, status: ptrace.StatusCodeError,
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "teleport", genAIToolDescription: "Tool not found"},
			want:       call("teleport").with(func(r *Reading) { r.Traits, r.Call.Status = NotMade, scoring.StatusFailed }),
			reason:     "it writes no type, and the call failed",
		},
		{
			name: "a server's tool that says so of itself", scope: adkScope,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "delete", genAIToolType: "McpTool", genAIToolDescription: "Tool not found",
			},
			want:   call("delete"),
			reason: "the server writes the description, and ADK the type",
		},
		{
			name: "a result that was no object", scope: adkScope, attributes: tool(`{"q":"a"}`, `{"result":["b"]}`),
			want:   read(`{"q":"a"}`, `["b"]`),
			reason: "ADK wraps what is no object",
		},
		{
			name: "a tool's own result", scope: adkScope, attributes: tool(`{"q":"a"}`, `{"result":{"n":1}}`),
			want:   read(`{"q":"a"}`, `{"result":{"n":1}}`),
			reason: "an object is not wrapped, so the tool itself named its answer so",
		},
		{
			name: "no content as values", scope: adkScope, attributes: tool(map[string]any{}, map[string]any{}),
			want:   found,
			reason: "Python writes an empty dictionary, which newer SDKs send as such",
		},
		{
			name: "nothing specified", scope: adkScope,
			attributes: map[string]any{
				genAIOperation: executeTool, genAIToolName: "search", genAICallID: adkNotSpecified,
				adkArguments: `{"q":"a"}`, adkResponse: `{"result": "<not specified>"}`, errorType: "ValueError",
			},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Status = scoring.JSON(`{"q":"a"}`), scoring.StatusFailed
			}),
			reason: "newer versions for Python describe a failed call too; as an id the words would make all such calls one",
		},
		{
			name: "arguments that could not be written", scope: adkScope, attributes: tool("<not serializable>", `{"n":1}`),
			want:   found.with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"n":1}`) }),
			reason: "it says what went wrong with the span, not what the tool got",
		},
		{
			name: "a tool of ADK with the name of the joined answer", scope: adkScope,
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: "(merged tools)", genAICallID: "c1", "gcp.vertex.agent.event_id": "e1", adkArguments: `{"a":1}`},
			want: call("(merged tools)").with(func(r *Reading) {
				r.CallID, r.Call.Arguments = "c1", scoring.JSON(`{"a":1}`)
			}),
			reason: "a server may name its tools anything, also for ADK's own spans",
		},
		{
			name: "a failed call of a tool with the name of the joined answer", scope: adkScope, span: "execute_tool (merged)",
			want:   call(adkMerged).with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason: "the joined answer always has its attributes",
		},
		{
			name: "wrong types", scope: adkScope, span: "execute_tool search",
			attributes: map[string]any{genAIOperation: executeTool, genAIToolName: []any{}, adkArguments: "", adkResponse: nil},
			want:       call("search"),
			reason:     "the name is in the span's name; the rest is as good as absent",
		},
	})
}

func TestADKRuns(t *testing.T) {
	checkRows(t, []row{
		{
			name: "an agent of 2025", scope: adkScope, span: "agent_run [support]",
			want:   Reading{Role: Agent, Agent: "support"},
			reason: "older versions name the span alone",
		},
		{
			name: "an agent without a name", scope: adkScope, span: "agent_run []",
			reason: "such a span is not ADK's",
		},
		{
			name: "its newer name", scope: adkScope, span: "invoke_workflow support",
			attributes: map[string]any{genAIOperation: invokeWorkflow},
			want:       Reading{Role: Workflow, Agent: "support"},
			reason:     "the second version of its schema follows the conventions",
		},
		{
			name: "anything else", scope: adkScope, span: "send_data",
			status: ptrace.StatusCodeOk,
			reason: "neither a call nor a run",
		},
		{
			name: "another scope", scope: "app", span: "execute_tool search",
			reason: "a span's name alone is free text",
		},
	})
}
