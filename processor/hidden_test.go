package processor

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// removing forbids the tool shell with the command rm.
var removing = []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"cmd":"rm"}`)}}

// hiddenCall is a run that makes a forbidden call, or an honest one that makes none.
type hiddenCall struct {
	name      string
	forbidden []scoring.Tool
	spans     []span
	judged    []string // the spans with verdicts
	honest    bool     // the verdicts pass and are complete; else none does both
	reason    string
}

// shellOf is a call of shell with that command.
func shellOf(id, parent string, start, end int, command string) span {
	return tool(id, parent, start, end, "shell").with("gen_ai.tool.call.id", callID).with("gen_ai.tool.call.arguments", `{"cmd":"`+command+`"}`)
}

// shellIn is a protocol's span of a call of shell, by another instrumentation.
func shellIn(id, parent string, start, end int, arguments string) span {
	return protocol(id, parent, start, end, "shell").with("gen_ai.tool.call.id", callID).with("gen_ai.tool.call.arguments", arguments).by("two")
}

// bareShell is a call of shell as an instrumentation of LangChain writes it, without the name of its argument.
func bareShell(id, parent string, start, end int, command string) span {
	return span{id: id, parent: parent, start: start, end: end, scope: "@arizeai/openinference-instrumentation-langchain", attributes: map[string]any{
		"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": command, "input.mime_type": "text/plain",
		"output.value": `{"type":"tool","content":"ok","tool_call_id":"` + callID + `"}`, "output.mime_type": "application/json",
	}}
}

// askedShell is a model's request for shell with that command.
func askedShell(id, parent string, start, end int, command string) span {
	return model(id, parent, start, end, nil, "shell "+callID).with("llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments", `{"cmd":"`+command+`"}`)
}

// hiddenInOtherTraces has calls that a model gives the ID of a call in another trace.
func hiddenInOtherTraces() []hiddenCall {
	run := func() []span {
		return []span{agent("a", "", 1, 50).in(1).by("x"), shellOf("c", "a", 3, 4, "ls").in(1).by("x")}
	}
	return []hiddenCall{
		{"a request before the call", removing, append(run(), askedShell("n", "", 2, 3, "rm").in(2)), []string{"a", "n"}, false, "its arguments are not those of the call"},
		{"a request after the call", removing, append(run(), askedShell("n", "", 30, 31, "rm").in(2)), []string{"a", "n"}, false, "it was made when the call had ended"},
		{"the request of the call", removing, append(run(), askedShell("n", "", 2, 3, "ls").in(2)), []string{"a"}, true, "another instrumentation records the model"},
		{"a run of another instrumentation", removing, append(run(), agent("n", "", 2, 49).in(2).by("y"), shellOf("d", "n", 3, 4, "rm").in(2).by("y")), []string{"a"}, false, "a call has one command"},
		{"the run of another instrumentation", removing, append(run(), agent("n", "", 2, 49).in(2).by("y"), shellOf("d", "n", 3, 4, "ls").in(2).by("y")), []string{"a"}, true, "both record one run"},
	}
}

// hiddenBesideSpans has calls of tools without spans, in runs that have spans of other tools.
func hiddenBesideSpans() []hiddenCall {
	shell := []scoring.Tool{{Name: "shell"}}
	run := func(arguments string, results []string, asked ...string) []span {
		return []span{
			agent("a", "", 1, 20), model("m", "a", 2, 3, nil, "search "+callID), tool("s", "a", 4, 5, "search").with("gen_ai.tool.call.arguments", arguments),
			model("n", "a", 6, 7, []string{callID}, asked...), model("o", "a", 8, 9, results),
		}
	}
	return []hiddenCall{
		{"a span with other arguments than its request", shell, run(`{"limit":10}`, []string{callID, otherCallID}, "shell "+otherCallID), []string{"a"}, false, "the span of shell may be lost"},
		{"no result", shell, run(`{}`, []string{callID}, "shell "+otherCallID), []string{"a"}, false, "likewise"},
		{"a result", shell, run(`{}`, []string{callID, otherCallID}, "shell "+otherCallID), []string{"a"}, false, "the request is the call"},
		{"a protocol's span with other arguments", removing, []span{
			agent("a", "", 1, 9), shellOf("c", "a", 2, 5, "ls"), protocol("p", "c", 3, 4, "shell").with("gen_ai.tool.call.arguments", `{"cmd":"rm"}`),
		}, []string{"a"}, false, "the tool called another one of that name"},
		{"a protocol's span with the ID and other arguments", removing, []span{
			agent("a", "", 1, 9).by("one"), shellOf("c", "a", 2, 5, "ls").by("one"), shellIn("p", "c", 3, 4, `{"cmd":"rm"}`),
		}, []string{"a"}, false, "a model gave two calls one ID"},
		{"a protocol's span with the ID before the call, and other arguments", removing, []span{
			agent("a", "", 1, 9).by("one"), shellIn("p", "a", 2, 3, `{"cmd":"ls"}`), shellOf("c", "a", 4, 5, "rm").by("one"),
		}, []string{"a"}, false, "likewise"},
		{"a protocol's span with the ID", removing, []span{
			agent("a", "", 1, 9).by("one"), shellOf("c", "a", 2, 5, "ls").by("one"), shellIn("p", "a", 3, 4, `{"cmd":"ls","timeout":5}`),
		}, []string{"a"}, true, "a framework adds defaults"},
		{"a span without the argument's name, and another value", removing, []span{
			agent("a", "", 1, 9).by("one"), shellOf("c", "a", 1, 5, "ls").by("one"), bareShell("d", "a", 2, 3, "rm"),
		}, []string{"a"}, false, "a model gave two calls one ID"},
		{"a span without the argument's name", removing, []span{
			agent("a", "", 1, 9).by("one"), shellOf("c", "a", 1, 5, "ls").by("one"), bareShell("d", "a", 2, 3, "ls"),
		}, []string{"a"}, true, "LangChain's instrumentation leaves it out"},
		{"a protocol's span", removing, []span{
			agent("a", "", 1, 9), shellOf("c", "a", 2, 5, "ls"), protocol("p", "c", 3, 4, "shell").with("gen_ai.tool.call.arguments", `{"cmd":"ls","timeout":5}`),
		}, []string{"a"}, true, "a framework adds defaults"},
		{"a span with other arguments, and no other request", shell, run(`{"limit":10}`, []string{callID}), []string{"a"}, true, "a framework may add defaults"},
	}
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
	protocol := func(input string) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: "opentelemetry.instrumentation.mcp", name: "shell.tool",
			attributes: map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.name": "shell", "traceloop.entity.input": input}}}
	}
	inOptions := []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"options":{"cmd":"rm"}}`)}}
	return []hiddenCall{
		{"an object by position, smolagents", inOptions, smolagents(`{"args": [{"cmd": "rm"}], "sanitize_inputs_outputs": true, "kwargs": {}}`), []string{"a"}, false, "it may be the argument options"},
		{"named arguments, smolagents", inOptions, smolagents(`{"args": [], "sanitize_inputs_outputs": true, "kwargs": {"cmd": "rm"}}`), []string{"a"}, true, "they are known"},
		{"a text in a request of MCP", removing, protocol(`{"tool_name":"shell","arguments":"{\"cmd\":\"rm\"}"}`), []string{"a"}, false, "a request with arguments is none without"},
		{"no arguments in a request of MCP", removing, protocol(`{"tool_name":"shell","arguments":null}`), []string{"a"}, true, "it has none"},
		{"a tool in another spelling", deleting, offer("Delete-File", "delete_file"), []string{"a"}, false, "a framework may find the tool"},
		{"a tool in a spelling of two tools", []scoring.Tool{{Name: "Delete-File"}}, offer("Delete-File", "delete_file", "deleteFile"), []string{"a"}, false, "nothing says which of them is meant"},
		{"a tool that does not exist", deleting, offer("remove_file", "delete_file"), []string{"a"}, true, "the model invented it"},
		{"deep arguments of BeeAI", mail, beeAIMail(nested(1001)), []string{"a"}, false, "the tool's name does not depend on them"},
		{"a tool of BeeAI in the arguments", mail, beeAIMail(`{"toolCallMsg":{"toolName":"sendEmail"},"x":` + nested(1001) + `}`), []string{"a"}, false, "the arguments are the model's"},
		{"another tool of BeeAI", []scoring.Tool{{Name: "sendEmail"}}, beeAIMail(`{}`), []string{"a"}, true, "the metadata has the tool's own name"},
		{"an object as the text of a function, LangSmith", inText, langSmith(`{"input":"{\"x\": \"rm\"}"}`), []string{"a"}, false, "the function's parameter is input"},
		{"a text of a function, LangSmith", inText, langSmith(`{"input":"ls"}`), []string{"a"}, true, "it has no rm"},
		{"an object as the text of a function, Langfuse", byPlace, langfuse(`{"args":["{\"x\": \"rm\"}"],"kwargs":{}}`), []string{"a"}, false, "the function was called with a text"},
		{"named arguments of a function, Langfuse", removing, langfuse(`{"args":[],"kwargs":{"cmd":"ls"}}`), []string{"a"}, true, "they are known"},
		{"deep arguments of a server's finish", finish, dspyFinishing(nested(1001)), []string{"a"}, false, "DSPy's own has no arguments"},
		{"DSPy's finish", finish, dspyFinishing(`{}`), []string{"a"}, true, "it ends the run"},
		{"arguments that are None", removing, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "shell").with("gen_ai.tool.call.arguments", "None")}, []string{"a"}, false, "one instrumentation alone writes None for no arguments"},
		{"no arguments of Microsoft's framework", removing, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "shell").with("gen_ai.tool.call.arguments", "None").by("agent_framework")}, []string{"a"}, true, "it writes None for no arguments"},
	}
}

func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

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

// A call that is forbidden does not vanish from a complete verdict by what a model writes.
func TestNoModelHidesAForbiddenCall(t *testing.T) {
	for _, tc := range slices.Concat(hiddenInOtherTraces(), hiddenInSpans(t), hiddenBesideSpans()) {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, expect(t, scoring.ExpectationSettings{Forbidden: tc.forbidden}), func(t *testing.T, r *rig) {
				time.Sleep(100 * time.Second)
				now := int(time.Now().Unix())
				for _, s := range tc.spans {
					s.start, s.end = s.start+now, s.end+now
					require.NoError(t, r.send(s))
				}
				r.after(3*time.Minute, len(tc.spans))
				for _, name := range tc.judged {
					got := r.verdict(name)
					passed := got["tool_correctness.passed"] == true && got["tool_correctness.complete"] == true
					if passed != tc.honest || got["tool_correctness.status"] == nil {
						t.Errorf("%s: %s: %v", name, tc.reason, got)
					}
				}
			})
		})
	}
}
