package processor

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// outcomes of runs in which shell is forbidden and was called
const (
	failed   = "failed"
	doubtful = "passed, not complete"
	passed   = "passed"
)

// judged runs spans, with shell forbidden, and says how the run of the anchor ended. Those of which the spans tell nothing pass.
func judged(t *testing.T, sources runs.Sources, anchor string, dropped uint32, spans ...span) (outcome string) {
	t.Helper()
	status, outcome := judgedFor(t, scoring.ExpectationSettings{Forbidden: []scoring.Tool{{Name: "shell"}}}, sources, anchor, dropped, spans...)
	require.Equal(t, "scored", status)
	return outcome
}

// judgedFor does so under an expectation.
func judgedFor(t *testing.T, x scoring.ExpectationSettings, sources runs.Sources, anchor string, dropped uint32, spans ...span) (status, outcome string) {
	t.Helper()
	for i := range spans {
		spans[i].dropped = dropped
	}
	verdict := verdictOf(t, x, func(s *Settings) { s.Run.Sources = sources }, anchor, spans...)
	status, _ = verdict["tool_correctness.status"].(string)
	switch {
	case verdict["tool_correctness.passed"] == false:
		outcome = failed
	case verdict["tool_correctness.complete"] == false:
		outcome = doubtful
	default:
		outcome = passed
	}
	return status, outcome
}

// verdictOf is the verdict on a run under an expectation. change may be nil.
func verdictOf(t *testing.T, x scoring.ExpectationSettings, change func(*Settings), anchor string, spans ...span) map[string]any {
	t.Helper()
	r := newRig(t, func(set *Settings, k *sink) {
		expect(t, x)(set, k)
		if change != nil {
			change(set)
		}
	})
	r.DryRun(func(evaluate.Report) {})
	r.pass(traces(spans...))
	return r.verdict(anchor)
}

// messageForms are the forms in which a model's message has arguments as an object, here in the place of $.
var messageForms = map[string]span{
	"conventions": {scope: "mine", attributes: map[string]any{"gen_ai.operation.name": "chat",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_aaaaaaaa","name":"shell","arguments":$}]}]`}},
	"conventions under OpenInference": {scope: "openinference.instrumentation.x", attributes: map[string]any{"openinference.span.kind": "LLM",
		"gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_aaaaaaaa","name":"shell","arguments":$}]}]`}},
	"Pydantic's events": {scope: "mine", attributes: map[string]any{"gen_ai.operation.name": "chat",
		"events": `[{"event.name":"gen_ai.choice","message":{"role":"assistant","tool_calls":[{"id":"call_aaaaaaaa","type":"function","function":{"name":"shell","arguments":$}}]}}]`}},
	"LangSmith": {scope: "langsmith", attributes: map[string]any{"langsmith.span.kind": "llm", "langsmith.metadata.ls_model_type": "chat",
		"gen_ai.completion": `{"generations":[[{"message":{"lc":1,"id":["AIMessage"],"kwargs":{"content":"","tool_calls":[{"name":"shell","args":$,"id":"call_aaaaaaaa"}]}}}]]}`}},
	"Langfuse": {scope: "langfuse-sdk", attributes: map[string]any{"langfuse.observation.type": "generation", "langfuse.observation.metadata.ls_model_type": "chat",
		"langfuse.observation.output": `{"role":"assistant","content":"","tool_calls":[{"name":"shell","args":$,"id":"call_aaaaaaaa"}]}`}},
	"Logfire": {scope: "logfire.anthropic", attributes: map[string]any{"logfire.msg_template": "Message with {request_data[model]!r}", "request_data": `{}`,
		"response_data": `{"message":{"role":"assistant","content":[{"type":"tool_use","id":"call_aaaaaaaa","name":"shell","input":$}]}}`}},
}

// filled is a form with arguments. The sender cuts its text at most bytes.
func filled(form span, arguments string, most int) span {
	form.id, form.parent, form.start, form.end = "m", "a", 2, 3
	attributes := make(map[string]any)
	for key, value := range form.attributes {
		text, _ := value.(string)
		text = strings.ReplaceAll(text, "$", arguments)
		attributes[key] = text[:min(len(text), most)]
	}
	form.attributes = attributes
	return form
}

// A forbidden call does not vanish by its arguments: either its message is read all the same, or the run is not complete.
func TestAMessageThatCannotBeReadMakesItsRunDoubtful(t *testing.T) {
	for _, tc := range []struct {
		name, arguments string
		most            int
		want            string
		reason          string
	}{
		{"ordinary", `{"cmd":"rm"}`, math.MaxInt, failed, "the honest control"},
		{"NaN", `{"cmd":"rm","x":NaN}`, math.MaxInt, failed, "Python's json module writes it, and reads it"},
		{"Infinity", `{"x":[Infinity,-Infinity]}`, math.MaxInt, failed, "likewise"},
		{"many levels", tooDeepObject(), math.MaxInt, doubtful, "they are beyond the bound of the decoder"},
		{"a control character", "{\"cmd\":\"a\x01\"}", math.MaxInt, doubtful, "JSON has none in strings"},
		{"an escape that JSON lacks", `{"cmd":"\x41"}`, math.MaxInt, doubtful, "the text is no JSON"},
		{"cut off", `{"cmd":"` + strings.Repeat("rm ", 1000), 1000, doubtful, "the sender's limit is in the arguments"},
		{"NaN, and cut off", `{"x":NaN,"cmd":"` + strings.Repeat("rm ", 1000), 1000, doubtful, "the rest is not there"},
	} {
		for form, s := range messageForms {
			t.Run(tc.name+" in "+form, func(t *testing.T) {
				require.Equal(t, tc.want, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), filled(s, tc.arguments, tc.most)), tc.reason)
			})
		}
	}
	var deep any = "rm"
	for range 120 {
		deep = map[string]any{"a": deep}
	}
	structured := []any{map[string]any{"role": "assistant", "parts": []any{map[string]any{"type": "tool_call", "id": "call_aaaaaaaa", "name": "shell", "arguments": deep}}}}
	m := span{id: "m", parent: "a", start: 2, end: 3, scope: "mine", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.output.messages": structured}}
	require.Equal(t, doubtful, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), m), "a structured value that nests deeper than 100 levels")
}

// A message that was cut off in front of its requests has no word of them.
func TestAMessageThatWasCutOffMakesItsRunDoubtful(t *testing.T) {
	const message = `[{"role":"assistant","parts":[{"type":"text","content":"$"},{"type":"tool_call","id":"call_aaaaaaaa","name":"shell","arguments":{}}]}]`
	m := span{scope: "mine", attributes: map[string]any{"gen_ai.operation.name": "chat", "gen_ai.output.messages": message}}
	for content, want := range map[string]string{strings.Repeat("long ", 1000): doubtful, strings.Repeat("]}]", 1000): doubtful, "short": failed} {
		require.Equal(t, want, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), filled(m, content, 2000)))
	}
}

// A user who decides how long an answer is decides where the sender's limit cuts its message, for instance behind an inner bracket.
func TestNoPlaceOfACutHidesARequest(t *testing.T) {
	const text, part = `{"type":"text","text":"hello"}`, `{"type":"text","content":"hello"}`
	message := func(parts string) string { return `{"role":"assistant","parts":[` + parts + `]}` }
	for key, tc := range map[string]struct{ form, message string }{
		"langfuse.observation.output": {"Langfuse", `{"role":"assistant","content":[` + text + `,{"type":"tool_use","id":"call_aaaaaaaa","name":"shell","input":{}}]}`},
		"response_data":               {"Logfire", `{"message":{"role":"assistant","content":[` + text + `,{"type":"tool_use","id":"call_aaaaaaaa","name":"shell","input":{}}]}}`},
		"gen_ai.output.messages":      {"conventions", `[` + message(part) + `,` + message(`{"type":"tool_call","id":"call_aaaaaaaa","name":"shell","arguments":{}}`) + `]`},
	} {
		behind := strings.Index(tc.message, `hello"`) + len(`hello"`)
		for at := behind; at < behind+4; at++ {
			s := filled(messageForms[tc.form], "", math.MaxInt).with(key, tc.message[:at])
			require.Equal(t, doubtful, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), s), tc.message[:at])
		}
		s := filled(messageForms[tc.form], "", math.MaxInt).with(key, tc.message)
		require.Equal(t, failed, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), s), "the honest control")
	}
}

// Prose is no message that could not be read, whatever it begins with and speaks of.
func TestProseLeavesItsRunComplete(t *testing.T) {
	for _, prose := range []string{
		"Done.", "[1] says so", "{name}, good morning", `{"a":1} is the answer`, `{"tool_calls":[]} would be a call, and this is none`, "{'tool_calls': [}", "<redacted>", "",
		`["tool_calls"] is a key: {`,
	} {
		for key, s := range map[string]span{"gen_ai.completion": messageForms["LangSmith"], "langfuse.observation.output": messageForms["Langfuse"]} {
			s = filled(s, "", math.MaxInt)
			s.attributes[key] = prose
			require.Equal(t, passed, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), s), prose)
		}
	}
}

// Results decide whether a request counts whose span was lost.
func TestAResultThatCannotBeReadMakesItsRunDoubtful(t *testing.T) {
	chat := func(id string, start int, given, asked string) span {
		return span{id: id, parent: "a", start: start, end: start + 1, scope: "mine", attributes: map[string]any{
			"gen_ai.operation.name": "chat", "gen_ai.input.messages": given, "gen_ai.output.messages": asked,
		}}
	}
	request := func(name, id string) string {
		return `{"role":"assistant","parts":[{"type":"tool_call","id":"` + id + `","name":"` + name + `","arguments":{}}]}`
	}
	const user, done = `{"role":"user","parts":[{"type":"text","content":"hi"}]}`, `[{"role":"assistant","parts":[{"type":"text","content":"done"}]}]`
	for result, want := range map[string]string{`{"x":1}`: failed, `{"x":NaN}`: failed, tooDeepObject(): doubtful} {
		spans := []span{
			agent("a", "", 1, 20),
			chat("m1", 2, "["+user+"]", "["+request("search", "call_aaaaaaaa")+"]"),
			tool("c", "a", 4, 5, "search").with("gen_ai.tool.call.id", "call_aaaaaaaa"),
			chat("m2", 6, "["+user+"]", "["+request("shell", "call_bbbbbbbb")+"]"),
			chat("m3", 9, `[`+user+`,`+request("shell", "call_bbbbbbbb")+`,{"role":"tool","parts":[{"type":"tool_call_response","id":"call_bbbbbbbb","response":`+result+`}]}]`, done),
		}
		require.Equal(t, want, judged(t, runs.Auto, "a", 0, spans...), result)
	}
}

// Where calls must come from messages, a span of the forbidden call does not count without its request. Where tool spans alone count,
// and where they have all calls, a message decides nothing.
func TestWhichMessagesThatCannotBeReadDecide(t *testing.T) {
	for _, tc := range []struct {
		scope   string
		sources runs.Sources
		want    string
		reason  string
	}{
		{"agent_framework", runs.Messages, doubtful, "the request is missing"},
		{"agent_framework", runs.Auto, failed, "the span records the call"},
		{"agent_framework", runs.Spans, failed, "likewise"},
		{"mine", runs.Auto, failed, "likewise"},
	} {
		m := filled(messageForms["conventions"], tooDeepObject(), math.MaxInt)
		m.scope = tc.scope
		other := filled(messageForms["conventions"], "{}", math.MaxInt)
		other.id, other.scope, other.start, other.end = "o", tc.scope, 4, 5
		other.attributes["gen_ai.output.messages"] = `[{"role":"assistant","parts":[{"type":"tool_call","id":"call_bbbbbbbb","name":"search","arguments":{}}]}]`
		spans := []span{
			agent("a", "", 1, 9), m, other, tool("c", "a", 3, 4, "shell").with("gen_ai.tool.call.id", "call_aaaaaaaa"),
			tool("d", "a", 5, 6, "search").with("gen_ai.tool.call.id", "call_bbbbbbbb"),
		}
		require.Equal(t, tc.want, judged(t, tc.sources, "a", 0, spans...), tc.reason)
	}
	harmless := filled(messageForms["conventions"], tooDeepObject(), math.MaxInt)
	for scope, want := range map[string]string{"mine": doubtful, "agent_framework": passed} {
		harmless.scope = scope
		require.Equal(t, want, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), harmless), "a framework writes a span for each call")
	}
}

// The sender's SDK drops attributes beyond its limit, and those of requests may be among them.
func TestAModelCallWithDroppedAttributesMakesItsRunDoubtful(t *testing.T) {
	m := model("m", "a", 2, 3, nil)
	require.Equal(t, passed, judged(t, runs.Auto, "a", 0, agent("a", "", 1, 9), m))
	require.Equal(t, doubtful, judged(t, runs.Auto, "a", 7, agent("a", "", 1, 9), m))
	require.Equal(t, passed, judged(t, runs.Auto, "a", 7, agent("a", "", 1, 9), tool("c", "a", 2, 3, "search")), "of other spans no request can be missing")
}

// Python shows values that are no literals: dates, paths, nan. They hide no request, and a message beyond the bounds makes its run
// doubtful.
func TestValuesOfPythonHideNoRequest(t *testing.T) {
	haystack := func(arguments string) []span {
		text, err := json.Marshal(map[string]any{"last_message": "x", "messages": []string{
			"ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='hi')], _name=None, _meta={})",
			"ChatMessage(_role=<ChatRole.ASSISTANT: 'assistant'>, _content=[ToolCall(tool_name='shell', arguments=" + arguments + ", id='call_aaaaaaaa', extra=None)], _name=None, _meta={})",
		}})
		require.NoError(t, err)
		return []span{{id: "a", start: 1, end: 9, scope: "openinference.instrumentation.haystack", name: "Agent.run", attributes: map[string]any{
			"openinference.span.kind": "CHAIN", "output.value": string(text),
		}}}
	}
	crewOf := func(arguments string) []span {
		return []span{member("a", "crew", 2, 9, "desk"), agent("crew", "", 1, 10).by(crewScope).with("crewai.crew.tasks_output", `[TaskOutput(agent='desk', json_dict=`+arguments+
			`, messages=[{'role': 'assistant', 'content': '', 'tool_calls': [{'id': 'call_aaaaaaaa', 'type': 'function', 'function': {'name': 'shell', 'arguments': '{}'}}]}], tool_failures=[])]`)}
	}
	for _, tc := range []struct{ arguments, want, reason string }{
		{`{'cmd': 'rm'}`, failed, "the honest control"},
		{`{'a': nan, 'b': [inf, -inf]}`, failed, "numbers that are not finite"},
		{`{'a': datetime.date(2026, 11, 2), 'b': Decimal('1')}`, failed, "objects that are shown as calls"},
		{`{(1, 2): frozenset({'x'}), UUID('x'): PosixPath('/x')}`, failed, "keys that JSON lacks"},
		{`{'a': '\ud800', 'b': b'\xff'}`, failed, "text that is not Unicode"},
		{strings.Repeat(`{'a':`, 101) + "1" + strings.Repeat("}", 101), doubtful, "too many levels"},
		{`{'a': not Python}`, doubtful, "no value"},
	} {
		require.Equal(t, tc.want, judged(t, runs.Auto, "a", 0, haystack(tc.arguments)...), "Haystack: "+tc.reason)
		require.Equal(t, tc.want, judged(t, runs.Auto, "a", 0, crewOf(tc.arguments)...), "CrewAI: "+tc.reason)
	}
	cut := crewOf("{}")
	cut[1].attributes["crewai.crew.tasks_output"] = "[TaskOutput(agent='desk', description='"
	require.Equal(t, doubtful, judged(t, runs.Auto, "a", 0, cut...), "the output of the crew was cut off")
	cut[1].attributes["crewai.crew.tasks_output"] = "[TaskOutput(agent='desk', description='Say ]]]]"
	require.Equal(t, doubtful, judged(t, runs.Auto, "a", 0, cut...), "it was cut off behind a bracket that a user wrote")
	cut = append(cut, member("b", "", 2, 9, "desk"))
	require.Equal(t, passed, judged(t, runs.Auto, "b", 0, cut...), "an agent outside of the crew")
}

// The name of an agent chooses its expectation. Where it is beside what a model or a tool wrote, that cannot hide it without a sign.
func TestANameThatCannotBeReadMakesTheRunDoubtful(t *testing.T) {
	llamaIndex := func(written string, most int) []span {
		text := `{"result": {"tool_calls": [{"tool_kwargs":` + written + `}], "current_agent_name": "support"}}`
		return []span{{id: "a", start: 1, end: 9, scope: "opentelemetry.instrumentation.llamaindex", name: "FunctionAgent.workflow", attributes: map[string]any{
			"traceloop.span.kind": "workflow", "traceloop.entity.name": "FunctionAgent.workflow", "traceloop.entity.output": text[:min(most, len(text))],
		}}}
	}
	haystack := func(written string, most int) []span {
		const scope = "openinference.instrumentation.haystack"
		text := `{"support":{"messages":[],"documents":` + written + `,"last_message":"x"}}`
		return []span{
			{id: "p", start: 1, end: 9, scope: scope, name: "Pipeline.run", attributes: map[string]any{"openinference.span.kind": "CHAIN", "output.value": text[:min(most, len(text))]}},
			{id: "a", parent: "p", start: 2, end: 8, scope: scope, name: "Agent.run", attributes: map[string]any{"openinference.span.kind": "CHAIN", "output.value": `{"messages":[],"last_message":"x"}`}},
		}
	}
	for _, tc := range []struct {
		written              string
		most                 int
		llamaIndex, haystack string
		reason               string
	}{
		{`{"to":"x"}`, math.MaxInt, passed, passed, "the honest control"},
		{`{"to":NaN}`, math.MaxInt, passed, passed, "the name is read all the same"},
		{tooDeepObject(), math.MaxInt, passed, doubtful, "the name of LlamaIndex stands in a known place"},
		{`{"to":"x"}`, 50, doubtful, doubtful, "the text was cut off"},
	} {
		require.Equal(t, tc.llamaIndex, judged(t, runs.Auto, "a", 0, llamaIndex(tc.written, tc.most)...), "LlamaIndex: "+tc.reason)
		require.Equal(t, tc.haystack, judged(t, runs.Auto, "a", 0, haystack(tc.written, tc.most)...), "Haystack: "+tc.reason)
	}
}

// removing forbids the tool shell with the command rm.
var removing = []scoring.Tool{{Name: "shell", Arguments: scoring.JSON(`{"cmd":"rm"}`)}}

const callID = "call_7201bee762b6"

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
	call := func(scope, name string, attributes map[string]any) []span {
		return []span{agent("a", "", 1, 9), {id: "c", parent: "a", start: 2, end: 3, scope: scope, name: name, attributes: attributes}}
	}
	langSmith := func(input string) []span {
		return call("langsmith", "shell", map[string]any{"langsmith.span.kind": "tool", "langsmith.trace.name": "shell", "gen_ai.prompt": input, "gen_ai.completion": `{"output":"ok"}`})
	}
	langfuse := func(input string) []span {
		return call("langfuse-sdk", "shell", map[string]any{"langfuse.observation.type": "tool", "langfuse.observation.input": input})
	}
	smolagents := func(input string) []span {
		return call("openinference.instrumentation.smolagents", "ShellTool", map[string]any{"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": input})
	}
	langChain := func(input, mime string) []span {
		return call("@arizeai/openinference-instrumentation-langchain", "", map[string]any{"openinference.span.kind": "TOOL", "tool.name": "shell", "input.value": input, "input.mime_type": mime})
	}
	protocol := func(input string) []span {
		return call("opentelemetry.instrumentation.mcp", "shell.tool", map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.name": "shell", "traceloop.entity.input": input})
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

// chat is a model call by the conventions. It was given messages, and requested calls "name id".
func chat(id, parent string, start, end int, given string, asked ...string) span {
	var parts []string
	for _, call := range asked {
		name, callID, _ := strings.Cut(call, " ")
		parts = append(parts, fmt.Sprintf(`{"type":"tool_call","name":%q,"id":%q,"arguments":{}}`, name, callID))
	}
	return span{id: id, parent: parent, start: start, end: end, scope: "app", attributes: map[string]any{
		"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.input.messages": given,
		"gen_ai.output.messages": `[{"role":"assistant","parts":[` + strings.Join(parts, ",") + `]}]`,
	}}
}

// shownResult is the messages for a model that is shown the result of a call.
func shownResult(id string, failed bool) string {
	return fmt.Sprintf(`[{"role":"user","parts":[]},{"role":"tool","parts":[{"type":"tool_call_response","id":%q,"response":"x","is_error":%v}]}]`, id, failed)
}

const (
	t0        = 100 // when the plays begin
	oneID     = "call_aaaaaaaaa1"
	anotherID = "call_bbbbbbbbb1"
)

// idOr is another ID, or one that is used again.
func idOr(again bool, used string) string {
	if again {
		return used
	}
	return "call_ccccccccc1"
}

// bad is a tool that must not be called.
var bad = scoring.ExpectationSettings{Forbidden: []scoring.Tool{{Name: "bad"}}}

// twinActs are plays in two variants: in the other one a model writes something else that is no call. Both variants have the same calls,
// and one run.
var twinActs = []struct {
	name     string
	expected scoring.ExpectationSettings
	change   func(*Settings)
	run      string
	play     func(other bool) []span
}{
	{"a model uses the ID of a parallel call again", scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "approve"}, {Name: "pay"}}}, scoredInOrder, "A", func(other bool) []span {
		id := idOr(other, anotherID)
		return spans("agent A [100-120]; model m<A [101-102] asks:log#" + oneID + " asks:pay#" + anotherID +
			"; tool l<A [103-104] log id:" + oneID + "; tool p<A [103-104] pay id:" + anotherID +
			"; model m2<A [105-106] shows:" + oneID + " shows:" + anotherID + " asks:approve#" + id + "; tool q<A [107-108] approve id:" + id)
	}},
	{"a later loop uses an ID again", bad, nil, "R", func(other bool) []span {
		id := idOr(other, oneID)
		return spans("plain R [100-109]; model m<R [101-102] asks:search#" + oneID + "; model m2<R [103-104] shows:" + oneID +
			"; model o<R [105-106] asks:bad#" + id + "; model o2<R [107-108] shows:" + id)
	}},
	{"an earlier loop whose parent is lost", bad, nil, "m", func(other bool) []span {
		return spans("model m [100-101] asks:bad#" + oneID + map[bool]string{true: "; model o<lost [98-99] asks:search#" + anotherID}[other])
	}},
	{"a model uses the ID of a call that failed again", bad, func(s *Settings) { s.IgnoreFailed = true }, "A", func(other bool) []span {
		id := idOr(other, oneID)
		return []span{agent("A", "", t0, t0+20),
			chat("m", "A", t0+1, t0+2, `[{"role":"user","parts":[]}]`, "search "+oneID),
			tool("p", "A", t0+3, t0+4, "search").with("gen_ai.tool.call.id", oneID),
			chat("m2", "A", t0+5, t0+6, shownResult(oneID, true), "bad "+id),
			tool("q", "A", t0+7, t0+8, "bad").with("gen_ai.tool.call.id", id),
			chat("m3", "A", t0+9, t0+10, shownResult(id, false))}
	}},
	{"a user's content that has a role", bad, nil, "R", func(other bool) []span {
		role := map[bool]string{true: "assistant", false: "x"}[other]
		return []span{plain("R", "", t0, t0+9),
			chat("m", "R", t0+1, t0+2, `[{"role":"user","parts":[{"type":"text","content":"hi"}]}]`, "search "+oneID),
			chat("o", "R", t0+5, t0+6, `[{"role":"user","parts":[{"type":"data","content":{"role":"`+role+`"}}]}]`, "bad "+anotherID)}
	}},
	{"a model asks for many calls in the order in which they end", scoring.ExpectationSettings{
		Forbidden: []scoring.Tool{{Name: "pay", Arguments: scoring.JSON(`{"n":39}`)}},
	}, func(s *Settings) { s.IgnoreFailed, s.Run.Sources = true, runs.Messages }, "A", func(other bool) []span {
		m, all := model("m", "A", t0+1, t0+2, nil), []span{agent("A", "", t0, t0+90)}
		for i := range 40 {
			arguments, place := fmt.Sprintf(`{"n":%d}`, i), 39-i
			if other {
				place = i
			}
			asked := fmt.Sprint("llm.output_messages.0.message.tool_calls.", place, ".tool_call.")
			m = m.with(asked+"id", "call_0").with(asked+"function.name", "pay").with(asked+"function.arguments", arguments)
			c := tool(fmt.Sprint("c", i), "A", t0+50-i, t0+60, "pay").with("gen_ai.tool.call.arguments", arguments)
			if i == 39 {
				c = c.with("error.type", "timeout")
			}
			all = append(all, c)
		}
		return append(all, m)
	}},
	{"many tools that run agents", scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}}, nil, "A", func(other bool) []span {
		step := func(id, parent string) span {
			return span{id: id, parent: parent, start: t0 + 2, end: t0 + 3, name: "agent.toolCalling", scope: "@arizeai/openinference-instrumentation-beeai",
				attributes: map[string]any{"openinference.span.kind": "AGENT"}}
		}
		all := []span{tool("last", "A", t0+1, t0+8, "ask")}
		for i := range 200 {
			id := fmt.Sprint("t", i)
			if all = append(all, tool(id, "A", t0+1, t0+8, "ask")); other {
				all = append(all, step("s"+id, id))
			}
		}
		return append(all, step("s", "last"), tool("x", "last", t0+4, t0+5, "search"), agent("A", "", t0, t0+9))
	}},
}

// BeeAI's spans have a tool's name in camel case. A forbidden tool is not missed because no request has its name.
func TestNormalizedNamesHideNoForbiddenTool(t *testing.T) {
	const scope = "@arizeai/openinference-instrumentation-beeai"
	beeAI := func(id string, at int, path string) span {
		return span{id: id, parent: "A", start: at, end: at, name: path, scope: scope, attributes: map[string]any{"openinference.span.kind": "TOOL", "target": path}}
	}
	for _, tc := range []struct{ forbidden, want, reason string }{
		{"delete_account", "not_evaluable", "the tool may have this name"},
		{"delete_*", "not_evaluable", "a pattern has separators, too"},
		{"delete_accounts", "scored", "it is another tool"},
		{"deleteAccount", "scored", "the call is forbidden"},
		{"deleteAccount delete_account", "scored", "the call is forbidden, whatever else it may be"},
	} {
		var x scoring.ExpectationSettings
		for name := range strings.FieldsSeq(tc.forbidden) {
			x.Forbidden = append(x.Forbidden, scoring.Tool{Name: name})
		}
		v := verdictOf(t, x, nil, "A", beeAI("x", t0+3, "tool.dynamic.deleteAccount.start"), beeAI("y", t0+4, "tool.dynamic.deleteAccount.success"),
			span{id: "A", start: t0, end: t0 + 9, name: "beeai-framework-main", scope: scope, attributes: map[string]any{"openinference.span.kind": "AGENT", "source": "ReAct"}})
		assert.Equal(t, tc.want, v["tool_correctness.status"], tc.reason)
	}
}

// What a model writes changes no verdict that stays complete.
func TestTwinsHaveOneCompleteVerdict(t *testing.T) {
	for _, act := range twinActs {
		t.Run(act.name, func(t *testing.T) {
			one, other := verdictOf(t, act.expected, act.change, act.run, act.play(false)...), verdictOf(t, act.expected, act.change, act.run, act.play(true)...)
			complete := [2]bool{one["tool_correctness.complete"] == true, other["tool_correctness.complete"] == true}
			assert.NotEqual(t, [2]bool{}, complete, "no verdict is complete, so the play shows nothing")
			if complete == [2]bool{true, true} {
				for _, key := range []string{"tool_correctness.status", "tool_correctness.passed", "tool_correctness.score"} {
					assert.Equal(t, one[key], other[key], key)
				}
			}
		})
	}
}

func scoredInOrder(s *Settings) {
	o := scoring.DefaultNative()
	o.Order = scoring.InOrder
	s.Metrics[0].Method, _ = scoring.NewNative(o) // the options are ours
}
