package dialect

import (
	"testing"

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
