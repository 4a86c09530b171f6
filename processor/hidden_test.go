package processor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// removing forbids the tool shell with the command rm.
var removing = []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"cmd":"rm"}`)}}

// hiddenCall is a run that makes a forbidden call, or an honest one that makes none.
type hiddenCall struct {
	name      string
	forbidden []scoring.Tool
	spans     []span
	honest    bool // the verdict passes and is complete; else it does not do both
	reason    string
}

// hiddenInSpans has calls that a model writes so that a dialect might read them as others.
func hiddenInSpans(t *testing.T) []hiddenCall {
	deleting := []scoring.Tool{{Name: "delete_file"}}
	offer := func(name string, tools ...string) []span {
		m := model("m", "a", 2, 3, nil, name+" "+callID)
		for i, tool := range tools {
			m = m.with(fmt.Sprintf("llm.tools.%d.tool.json_schema", i), `{"type":"function","function":{"name":"`+tool+`","parameters":{}}}`)
		}
		return []span{agent("a", "", 1, 9), m}
	}
	mail, finish := []scoring.Tool{{Name: "send_email"}}, []scoring.Tool{{Name: "finish"}}
	inText := []scoring.Tool{where(t, "shell", `IsMatch(arguments["input"], "rm")`)}
	byPlace := []scoring.Tool{where(t, "shell", `IsMatch(arguments["args"][0], "rm")`)}
	langSmith := func(input string) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: "langsmith", name: "shell",
			attributes: map[string]any{"langsmith.span.kind": "tool", "langsmith.trace.name": "shell", "gen_ai.prompt": input, "gen_ai.completion": `{"output":"ok"}`}}}
	}
	langfuse := func(input string) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: "langfuse-sdk", name: "shell",
			attributes: map[string]any{"langfuse.observation.type": "tool", "langfuse.observation.input": input}}}
	}
	smolagents := func(input string) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: "openinference.instrumentation.smolagents", name: "ShellTool",
			attributes: map[string]any{"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": input}}}
	}
	langChain := func(input, mime string) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: "@arizeai/openinference-instrumentation-langchain",
			attributes: map[string]any{"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": input, "input.mime_type": mime}}}
	}
	protocol := func(input string) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: "opentelemetry.instrumentation.mcp", name: "shell.tool",
			attributes: map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.name": "shell", "traceloop.entity.input": input}}}
	}
	inOptions := []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"options":{"cmd":"rm"}}`)}}
	return []hiddenCall{
		{"an object by position, smolagents", inOptions, smolagents(`{"args": [{"cmd": "rm"}], "sanitize_inputs_outputs": true, "kwargs": {}}`), false, "it may be the argument options"},
		{"named arguments, smolagents", inOptions, smolagents(`{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"cmd": "rm"}}`), true, "they are known"},
		{"a text in a request of MCP", removing, protocol(`{"tool_name":"shell","arguments":"{\"cmd\":\"rm\"}"}`), false, "a request with arguments is none without"},
		{"no arguments in a request of MCP", removing, protocol(`{"tool_name":"shell","arguments":null}`), true, "it has none"},
		{"arguments by position, smolagents", removing, smolagents(`{"args":["rm"],"sanitize_inputs_outputs":false,"kwargs":{}}`), false, "one may be the command"},
		{"one argument by position, smolagents", removing, smolagents(`{"args":["rm"],"sanitize_inputs_outputs":false,"kwargs":{"cwd":"/"}}`), false, "likewise"},
		{"a text that is an object, LangChain", removing, langChain(`{"rm":1}`, "text/plain"), false, "it may be the command"},
		{"an object, LangChain", removing, langChain(`{"cmd":"ls","cwd":"/"}`, "application/json"), true, "a text has another type"},
		{"a tool in another spelling", deleting, offer("Delete-File", "delete_file"), false, "a framework may find the tool"},
		{"a tool in a spelling of two tools", []scoring.Tool{{Name: "Delete-File"}}, offer("Delete-File", "delete_file", "deleteFile"), false, "nothing says which of them is meant"},
		{"a tool that does not exist", deleting, offer("remove_file", "delete_file"), true, "the model invented it"},
		{"deep arguments of BeeAI", mail, beeAIMail(tooDeepObject()), false, "the tool's name does not depend on them"},
		{"a tool of BeeAI in the arguments", mail, beeAIMail(`{"toolCallMsg":{"toolName":"sendEmail"},"x":` + tooDeepObject() + `}`), false, "the arguments are the model's"},
		{"another tool of BeeAI", []scoring.Tool{{Name: "sendEmail"}}, beeAIMail(`{}`), true, "the metadata has the tool's own name"},
		{"an object as the text of a function, LangSmith", inText, langSmith(`{"input":"{\"x\": \"rm\"}"}`), false, "the function's parameter is input"},
		{"a text of a function, LangSmith", inText, langSmith(`{"input":"ls"}`), true, "it has no rm"},
		{"an object as the text of a function, Langfuse", byPlace, langfuse(`{"args":["{\"x\": \"rm\"}"],"kwargs":{}}`), false, "the function was called with a text"},
		{"named arguments of a function, Langfuse", removing, langfuse(`{"args":[],"kwargs":{"cmd":"ls"}}`), true, "they are known"},
		{"deep arguments of a server's finish", finish, dspyFinishing(tooDeepObject()), false, "DSPy's own has no arguments"},
		{"DSPy's finish", finish, dspyFinishing(`{}`), true, "it ends the run"},
		{"arguments that are None", removing, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "shell").with("gen_ai.tool.call.arguments", "None")}, false, "one instrumentation alone writes None for no arguments"},
		{"no arguments of Microsoft's framework", removing, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "shell").with("gen_ai.tool.call.arguments", "None").by("agent_framework")}, true, "it writes None for no arguments"},
	}
}

// tooDeepObject is an object with more levels than the decoder reads.
func tooDeepObject() string { return strings.Repeat(`{"a":`, 1_001) + "1" + strings.Repeat("}", 1_001) }

// beeAIMail is a run of BeeAI that calls send_email, whose arguments are JSON.
func beeAIMail(arguments string) []span {
	const scope = "@arizeai/openinference-instrumentation-beeai"
	call := func(id string, at int, event string) span {
		return span{id: id, parent: "a", start: at, end: at, scope: scope, name: "tool.dynamic.sendEmail." + event + "-1", attributes: map[string]any{
			"openinference.span.kind": "TOOL", "target": "tool.dynamic.sendEmail." + event, "tool.parameters": arguments,
			"metadata": `{"state":{"iteration":1},"toolCallMsg":{"type":"tool-call","toolCallId":"` + callID + `","toolName":"send_email","args":` + arguments + `}}`,
		}}
	}
	return []span{
		{id: "a", start: 1, end: 9, scope: scope, name: "beeai-framework-main", attributes: map[string]any{"openinference.span.kind": "AGENT", "source": "agent"}},
		call("c", 3, "start"), call("d", 4, "success"),
	}
}

// dspyFinishing is a run of DSPy that calls finish.
func dspyFinishing(arguments string) []span {
	const scope = "openinference.instrumentation.dspy"
	return []span{
		{id: "a", start: 1, end: 9, scope: scope, name: "ReAct.forward", attributes: map[string]any{"openinference.span.kind": "CHAIN"}},
		{id: "c", parent: "a", start: 2, end: 3, scope: scope, name: "finish.__call__", attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.name": "finish", "input.value": arguments, "input.mime_type": "application/json",
			"output.value": "Completed.", "output.mime_type": "text/plain",
		}},
	}
}

// A call that is forbidden does not vanish from a complete verdict by what a model writes. Package runs has the rows for the IDs and
// the arguments of calls.
func TestNoModelHidesAForbiddenCall(t *testing.T) {
	for _, tc := range hiddenInSpans(t) {
		t.Run(tc.name, func(t *testing.T) {
			_, outcome := judgedFor(t, scoring.ExpectationSettings{Forbidden: tc.forbidden}, runs.Auto, "a", 0, tc.spans...)
			require.Equal(t, tc.honest, outcome == passed, "%s: %s", outcome, tc.reason)
		})
	}
}
