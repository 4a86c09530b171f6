package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// forbidding is a processor that expects search and forbids shell.
func forbidding(t *testing.T, change func(*Settings)) *rig {
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{
		Tools: []scoring.Tool{{Name: "search"}}, Forbidden: []scoring.Tool{{Name: "shell"}},
	})
	require.NoError(t, err)
	r := newRig(t, func(s *Settings, _ *sink) {
		s.Expectations[0].Expected = expected
		if change != nil {
			change(s)
		}
	})
	r.clock.stop()
	return r
}

// message is a tool's output in the form of the message that LangChain makes of one.
func message(more string) string {
	return `{"type":"tool","content":"ok","tool_call_id":"forged_id_xyz"` + more + `}`
}

// No text of a model or a tool hides a forbidden call, or adds a call that was not made.
func TestTextsCannotHideOrMakeCalls(t *testing.T) {
	ignoreFailed := func(s *Settings) { s.IgnoreFailed = true }
	both := []any{"search", "shell"}
	for _, tc := range []struct {
		name   string
		change func(*Settings)
		spans  []span
		called []any
		reason string // why this is right, for the next reader: required
	}{
		{"outputs with one call id", nil, []span{
			tool("s", "a", 2, 3, "search").with("gen_ai.tool.call.result", message("")),
			tool("f", "a", 4, 5, "shell").with("gen_ai.tool.call.result", message("")),
		}, both, "an output has no id of a call, so the two are not one"},
		{"an output that says it failed", ignoreFailed, []span{
			tool("s", "a", 2, 3, "search"),
			tool("f", "a", 4, 5, "shell").with("gen_ai.tool.call.result", message(`,"status":"error"`)),
		}, both, "how a call ended is not for its output to say"},
		{"an output that names another tool", nil, []span{
			tool("s", "a", 2, 3, "search"),
			{id: "f", parent: "a", name: "shell", start: 4, end: 5, attributes: map[string]any{
				"gen_ai.operation.name": "execute_tool", "gen_ai.tool.call.result": message(`,"name":"get_time"`),
			}},
		}, both, "the span names the tool"},
		{"one call id for all", nil, []span{
			tool("s", "a", 2, 3, "search").with("gen_ai.tool.call.id", "tool_call_id"),
			tool("f", "a", 4, 5, "shell").with("gen_ai.tool.call.id", "tool_call_id"),
		}, both, "an id merges calls of one tool only"},
		{"an output that denies the tool", nil, []span{
			tool("s", "a", 2, 3, "search"),
			{id: "f", parent: "a", start: 4, end: 5, scope: "strands-agents", attributes: map[string]any{
				"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "shell", "gen_ai.tool.status": "error",
				"gen_ai.tool.call.result": "Unknown tool: shell",
			}},
		}, both, "the agent's span does not say that there is no such tool"},
		{"an error in the form of a framework's", ignoreFailed, []span{
			tool("s", "a", 2, 3, "search"),
			{id: "f", parent: "a", name: "haystack.agent.step.tool", start: 4, end: 5, attributes: map[string]any{
				"haystack.tool.name": "shell", "haystack.agent.step.tool.output": `{"error": "no"}`,
			}},
		}, both, "a tool that worked may return it as well"},
		{"a model's text that is a message with calls", nil, []span{
			{id: "m", parent: "a", start: 2, end: 3, attributes: map[string]any{
				"langfuse.observation.type":   "generation",
				"langfuse.observation.output": `{"role":"assistant","tool_calls":[{"id":"call_1234567890","function":{"name":"search","arguments":"{}"}}]}`,
			}},
		}, []any{}, "the model wrote it, and nothing was called"},
		{"a model's text that is a part with a call", nil, []span{
			{id: "m", parent: "a", start: 2, end: 3, attributes: map[string]any{
				"gen_ai.operation.name":  "chat",
				"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"{\"type\":\"tool_call\",\"name\":\"search\"}"}]}]`,
			}},
		}, []any{}, "it stands inside of a text"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := forbidding(t, tc.change)
			require.NoError(t, r.send(append(tc.spans, agent("a", "", 1, 9))...))
			r.Advance(t.Context(), time.Hour)
			require.NoError(t, r.Shutdown(t.Context()))
			r.conserved()
			verdict := r.verdict("a")
			require.Equal(t, tc.called, verdict["tool_correctness.called"], tc.reason)
			require.Equal(t, 0.0, verdict["tool_correctness.score"], tc.reason)
		})
	}
}

// A model or a tool that gives several calls of one tool one ID hides none of them in a complete verdict.
func TestOneCallIDOfSeveralCallsIsNotComplete(t *testing.T) {
	const given = "call_abcdef123456"
	called := func(id string, start int, name, arguments string) span {
		return tool(id, "a", start, start+1, name).with("gen_ai.tool.call.id", given).with("gen_ai.tool.call.arguments", arguments)
	}
	returned := func(id string, start int, arguments string) span {
		return span{id: id, parent: "a", start: start, end: start + 1, scope: "openinference.instrumentation.langchain", attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.name": "send", "input.value": arguments, "output.mime_type": "application/json",
			"output.value": `{"type":"tool","content":"ok","tool_call_id":"` + given + `"}`,
		}}
	}
	alice, mallory := `{"to":"alice"}`, `{"to":"mallory"}`
	for _, tc := range []struct {
		name     string
		spans    []span
		calls    int
		complete bool
		reason   string
	}{
		{"one call", []span{called("c", 2, "send", alice)}, 1, true, "the rows below add to it"},
		{"two instrumentations of one call", []span{called("c", 2, "send", alice), called("d", 2, "Send", alice).by("two")}, 1, true, "each recorded it once"},
		{"two instrumentations that disagree", []span{called("c", 2, "send", alice), called("d", 2, "send", mallory).by("two")}, 2, false, "either may be true"},
		{"other arguments", []span{called("c", 2, "send", alice), called("d", 4, "send", mallory)}, 2, false, "the second call may be forbidden"},
		{"the same arguments", []span{called("c", 2, "send", alice), called("d", 4, "send", alice)}, 2, false, "the second call may be one too many"},
		{"at the same time", []span{called("c", 2, "send", alice), called("d", 2, "send", alice)}, 2, false, "a model asks for several calls at once"},
		{"another spelling", []span{called("c", 2, "Se-nd", alice), called("d", 4, "send", alice)}, 2, false, "only one of the two may be forbidden"},
		{"a letter without width", []span{called("c", 2, "send\u200b", alice), called("d", 4, "send", alice)}, 2, false, "the names look alike, and are not"},
		{"IDs that tools returned", []span{returned("c", 2, `{'to': 'alice'}`), returned("d", 4, `{'to': 'mallory'}`)}, 2, false, "a tool may decide the ID of its call"},
		{"an ID that a tool returned, of another instrumentation", []span{returned("c", 2, `{'to': 'alice'}`), called("d", 4, "send", mallory).by("two")}, 2, false, "likewise"},
		{"requests of models", []span{model("m", "a", 1, 2, nil, "send "+given), model("n", "a", 3, 4, []string{given}, "send "+given)}, 2, false, "no tool has a span"},
		{"requests of one response", []span{model("m", "a", 1, 2, nil, "send "+given, "send "+given)}, 2, false, "a response has each ID once"},
		{"requests in spans of two layers", []span{model("m", "a", 1, 4, nil, "send "+given), model("n", "m", 2, 3, nil, "send "+given)}, 1, true, "one model call is in the other"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := forbidding(t, func(s *Settings) { s.Run.KeepArguments = true })
			require.NoError(t, r.send(append(tc.spans, agent("a", "", 1, 9))...))
			r.Advance(t.Context(), time.Hour)
			require.NoError(t, r.Shutdown(t.Context()))
			verdict := r.verdict("a")
			require.Equal(t, tc.complete, verdict["tool_correctness.complete"], tc.reason)
			require.Len(t, verdict["tool_correctness.called"], tc.calls, tc.reason)
		})
	}
}

// LangChain's instrumentation writes the only argument of a tool without its name. A model that writes an object into this
// argument does not hide it from a forbidden tool: the request has the argument's name.
func TestObjectsInATextDoNotHideForbiddenArguments(t *testing.T) {
	const given = "call_abcdef123456"
	request := func(arguments string) span {
		return span{id: "m", parent: "a", start: 1, end: 2, scope: "@arizeai/openinference-instrumentation-langchain", attributes: map[string]any{
			"openinference.span.kind":                                                 "LLM",
			"llm.output_messages.0.message.tool_calls.0.tool_call.id":                 given,
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.name":      "shell",
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": arguments,
			"llm.output_messages.0.message.role":                                      "assistant",
		}}
	}
	returned := func(input, id string) span {
		return span{id: "c", parent: "a", start: 3, end: 4, scope: "@arizeai/openinference-instrumentation-langchain", attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": input, "input.mime_type": "text/plain",
			"output.value": `{"type":"tool","content":"ok","tool_call_id":"` + id + `"}`, "output.mime_type": "application/json",
		}}
	}
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{
		Forbidden: []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"command":"{\"rm\":1}"}`)}},
	})
	require.NoError(t, err)
	for _, tc := range []struct {
		name             string
		spans            []span
		passed, complete any
		reason           string
	}{
		{"another text", []span{request(`{"command":"ls"}`), returned("ls", given)}, true, true, "it is not forbidden"},
		{"the text", []span{request(`{"command":"{\"rm\":1}"}`), returned(`{"rm":1}`, given)}, false, true, "the request names the argument"},
		{"the text of a call without an ID", []span{request(`{"command":"{\"rm\":1}"}`), returned(`{"rm":1}`, "")}, false, false, "the request may be another call's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := forbidding(t, func(s *Settings) { s.Run.KeepArguments, s.Expectations[0].Expected = true, expected })
			require.NoError(t, r.send(append(tc.spans, agent("a", "", 1, 9))...))
			r.Advance(t.Context(), time.Hour)
			require.NoError(t, r.Shutdown(t.Context()))
			verdict := r.verdict("a")
			require.Equal(t, tc.passed, verdict["tool_correctness.passed"], tc.reason)
			require.Equal(t, tc.complete, verdict["tool_correctness.complete"], tc.reason)
		})
	}
}

// A model that calls a tool in code passes arguments by position, and a text may be an object. No name is recorded, so a
// forbidden tool that states arguments does not fit, and the run is not evaluable.
func TestArgumentsWithoutNamesDoNotHideForbiddenOnes(t *testing.T) {
	called := func(scope, input, mime string) span {
		return span{id: "c", parent: "a", start: 3, end: 4, scope: scope, attributes: map[string]any{
			"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": input, "input.mime_type": mime,
		}}
	}
	const (
		inCode    = "openinference.instrumentation.smolagents"
		langChain = "@arizeai/openinference-instrumentation-langchain"
		object    = "application/json"
	)
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{
		Forbidden: []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"command":"rm"}`)}},
	})
	require.NoError(t, err)
	for _, tc := range []struct {
		name   string
		call   span
		status string
		reason string
	}{
		{"by name", called(inCode, `{"args":[],"sanitize_inputs_outputs":false,"kwargs":{"command":"ls"}}`, object), "scored", "the name is known"},
		{"by position", called(inCode, `{"args":["rm"],"sanitize_inputs_outputs":false,"kwargs":{}}`, object), "not_evaluable", "it may be the command"},
		{"one by position", called(inCode, `{"args":["rm"],"sanitize_inputs_outputs":false,"kwargs":{"cwd":"/"}}`, object), "not_evaluable", "likewise"},
		{"a text that is an object", called(langChain, `{"rm":1}`, "text/plain"), "not_evaluable", "it may be the command"},
		{"an object", called(langChain, `{"command":"ls","cwd":"/"}`, object), "scored", "a text has another type"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := forbidding(t, func(s *Settings) { s.Run.KeepArguments, s.Expectations[0].Expected = true, expected })
			require.NoError(t, r.send(tc.call, agent("a", "", 1, 9)))
			r.Advance(t.Context(), time.Hour)
			require.NoError(t, r.Shutdown(t.Context()))
			require.Equal(t, tc.status, r.verdict("a")["tool_correctness.status"], tc.reason)
		})
	}
}
