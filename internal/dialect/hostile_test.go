package dialect

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// keys are all keys that any dialect reads.
var keys = []string{
	genAIOperation, genAIToolName, genAICallID, genAIArguments, genAIResult, genAIAgentName, "gen_ai.workflow.name", "gen_ai.request.model",
	genAIConversation, errorType, mcpMethod, sessionID,
	openInferenceKind, openInferenceToolName, openInferenceParameters, openInferenceInput, openInferenceInputType,
	openInferenceOutput, openInferenceOutputType, "tool_call.id", "tool.id", openInferenceAgentName,
	openInferenceNodeName, openInferenceNodeID,
	"ai.operationId", "ai.toolCall.name", "ai.toolCall.id", vercelArguments, "ai.toolCall.input", vercelResult, "ai.telemetry.functionId",
	"resource.name", "ai.telemetry.metadata.sessionId", vercelContext,
	openInferenceMetadata, openInferenceCallArguments, "tanstack.ai.tool.call.id", "target", "source",
	traceloopKind, traceloopName, "traceloop.entity.input", "tool.arguments", traceloopOutput, traceloopWorkflow, "traceloop.association.properties.session_id",
	"traceloop.association.properties.conversation_id", "traceloop.association.properties.thread_id",
	langSmithKind, "langsmith.trace.name", langSmithInput, langSmithOutput, langSmithAgentName, langSmithNode, "langsmith.metadata.session_id",
	"langsmith.metadata.conversation_id", "langsmith.metadata.thread_id",
	langfuseType, langfuseInput, langfuseOutput, "langfuse.observation.level", langfuseAgentName, langfuseNode, "langfuse.observation.metadata.thread_id", "langfuse.session.id",
	genAIInput, genAIOutput, sentryInput, sentryOutput, "code.function.return.value", "code.args.positional.count", "code.args.keyword.count",
	adkArguments, adkResponse, "gcp.vertex.agent.session_id", strandsStatus, "tool.status", "span.type", "subagent_type", claudeSuccess,
	"tool.name", "tool.call.id", "input", "output", "agent.state", "entity.name", "subagent.name",
	"entity.type", "conversation.id", "voltagent.conversation_id",
	"genkit:type", "genkit:metadata:subtype", genkitName, genkitInput, genkitOutput, "genkit:state", "genkit:sessionId",
	"mastra.span.type", "mastra.metadata.threadId", "mastra.metadata.sessionId", "mcp.tool.name", "mcp.tool.result.content", "mcp.tool.result.is_error",
	"ai.response.toolCalls", "ai.prompt.messages", "ai.prompt.tools", genAIDefinitions, "events", pydanticParameters, "gcp.vertex.agent.llm_response", "gcp.vertex.agent.llm_request",
	logfireResponse, logfireGiven, genAISystem, genAIProvider,
	"tool_arguments", "tool_response", "agent_name", "pydantic_ai.tool.deferral.name",
	logfireTemplate, "logfire.msg", "name", "input", "output", "error", logfireGroup,
	"spring.ai.kind", "spring.ai.tool.definition.name", "spring.ai.tool.call.id", "spring.ai.tool.call.arguments", "spring.ai.tool.call.result", "spring.ai.chat.client.conversation.id",
	"haystack.tool.name", "haystack.agent.max_steps", "haystack.agent.step.tool.input", "haystack.agent.step.tool.output",
	mlflowType, "mlflow.spanFunctionName", "mlflow.spanInputs", mlflowOutputs, "mlflow.trace.session",
	"agentops.span.kind", agentOpsEntity, "operation.name", "agentops.operation.name", "agentops.tool.input", "agentops.tool.output",
	"agentops.entity.input", "agentops.entity.output", "tool.result", "tool.status",
	"gen_ai.span.kind", "gen_ai.framework",
	liveKitTool, "lk.function_tool.id", "lk.pii.function_tool.arguments", "lk.function_tool.arguments", "lk.pii.function_tool.output", "lk.function_tool.output", liveKitIsError,
}

// wrongTypes are values that no key of any dialect expects.
func wrongTypes() []pcommon.Value {
	m, s, b := pcommon.NewValueMap(), pcommon.NewValueSlice(), pcommon.NewValueBytes()
	m.Map().PutStr("a", "b")
	s.Slice().AppendEmpty().SetStr("a")
	b.Bytes().FromRaw([]byte{0xff})
	return []pcommon.Value{m, s, b, pcommon.NewValueEmpty()}
}

// A marker of the wrong type marks nothing, whatever else the span has.
func TestMarkersOfWrongTypesMarkNothing(t *testing.T) {
	for _, v := range wrongTypes() {
		span := ptrace.NewSpan()
		for _, key := range keys {
			v.CopyTo(span.Attributes().PutEmpty(key))
		}
		if got, ok := ScopeOf("").Read(span); ok {
			t.Errorf("attributes of type %v are read as %v", v.Type(), got.Role)
		}
	}
}

// With valid markers and all else of the wrong type, there is still the call, without invented values.
func TestWrongTypesAreAbsent(t *testing.T) {
	for _, marker := range []struct{ key, value string }{
		{genAIOperation, executeTool}, {openInferenceKind, "TOOL"}, {"ai.operationId", "ai.toolCall"},
	} {
		for _, v := range wrongTypes() {
			span := ptrace.NewSpan()
			span.SetName("span")
			for _, key := range keys {
				v.CopyTo(span.Attributes().PutEmpty(key))
			}
			span.Attributes().PutStr(marker.key, marker.value)
			got, _ := ScopeOf("").Read(span)
			if got.Role != ToolCall || got.Call.Name != "span" || got.CallID != "" || got.Conversation != "" {
				t.Errorf("with values of type %v, %s is read as %+v", v.Type(), marker.value, got)
			}
		}
	}
}

func TestArgumentsThatAreNoJSON(t *testing.T) {
	for _, text := range []string{"{", "{'a': 1}", "n/a", "nul", "\xff", " ", "[1,]", "{\"a\":1}}"} {
		for _, span := range []ptrace.Span{
			newSpan("", map[string]any{genAIOperation: executeTool, genAIToolName: "x", genAIArguments: text}),
			newSpan("", map[string]any{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "x", vercelArguments: text}),
			newSpan("", map[string]any{
				openInferenceKind: "TOOL", openInferenceToolName: "x",
				openInferenceInput: text, openInferenceInputType: "application/json",
			}),
		} {
			got, _ := ScopeOf("").Read(span)
			v, ok := got.Call.Arguments.Value()
			if !ok || v.Kind() != scoring.String || v.Text() != text {
				t.Errorf("the arguments %q are read as %v, want the text", text, got.Call.Arguments)
			}
		}
	}
}

func TestAMillionAttributes(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n /= 10
	}
	span := ptrace.NewSpan()
	// Put looks for the key first, which a million times is too slow even for a test.
	raw := make(map[string]any, n)
	for i := range n {
		raw["key."+strconv.Itoa(i)] = int64(i)
	}
	if err := span.Attributes().FromRaw(raw); err != nil {
		t.Fatal(err)
	}
	checkReading(t, "", span, Reading{}, "none of them is a marker")
	span.Attributes().PutStr(genAIOperation, executeTool)
	span.Attributes().PutStr(genAIToolName, "search")
	checkReading(t, "", span, call("search"), "the one that is comes last")
}

// OTLP forbids a repeated attribute, and pdata cannot make one. JSON can have one.
func TestRepeatedKeys(t *testing.T) {
	var unmarshaler ptrace.JSONUnmarshaler
	request, err := unmarshaler.UnmarshalTraces([]byte(`{"resourceSpans": [{"scopeSpans": [{"spans": [{"attributes": [
		{"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
		{"key": "gen_ai.operation.name", "value": {"stringValue": "invoke_agent"}},
		{"key": "gen_ai.tool.name", "value": {"stringValue": "first"}},
		{"key": "gen_ai.tool.name", "value": {"stringValue": "second"}}
	]}]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	forSpans(request, func(scope string, span ptrace.Span) {
		checkReading(t, scope, span, call("first"), "the first stands, as everywhere in the collector")
	})
}

// checkBounded runs f and checks that it ends in time, and that it allocates at most that number of bytes in all. The bounds
// are several times what was measured.
func checkBounded(t *testing.T, d time.Duration, bytes int, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	f()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	t.Logf("%s, %d bytes allocated", took.Round(time.Millisecond), allocated)
	if took > d || allocated > uint64(bytes) {
		t.Errorf("it took %s and %d bytes, want less than %s and %d", took, allocated, d, bytes)
	}
}

// allWords are what must be in a text for any dialect to decode it.
const allWords = `"tool_calls":1,"tool_use":1,"function_call":1,"functionCall":1,"tool_call":1,"tool-call":1,"toolRequest":1,` +
	`"tools":1,"tool_call_id":1,"tool_result":1,"function_call_output":1,"functionResponse":1,"toolResponse":1,"tool_call_response":1`

// Messages may be as long and as deep as a request can carry. Every dialect reads them in time and memory that grow with
// their length.
func TestMessagesOfHostileSize(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	for name, text := range map[string]string{
		"much text":                   strings.Repeat("x", 20*n),
		"much text in a string":       `{` + allWords + `,"text":"` + strings.Repeat("x", 20*n) + `"}`,
		"a list of many numbers":      `[{` + allWords + `},` + strings.Repeat("0,", 10*n) + `0]`,
		"a list of many messages":     `[` + strings.Repeat(`{`+allWords+`,"role":"assistant"},`, n/10) + `{}]`,
		"a message of many calls":     `[{"role":"assistant","tool_calls":[` + strings.Repeat(`{"id":"a","function":{"name":"b","arguments":"{}"}},`, n) + `{}]}]`,
		"a message of many parts":     `[{"role":"assistant","parts":[` + strings.Repeat(`{"type":"tool_call","id":"a","name":"b","arguments":{}},`, n) + `{}]}]`,
		"many tools":                  `{"tools":[` + strings.Repeat(`{"function":{"name":"b"}},`, n) + `{}]}`,
		"messages that nest deep":     `{` + allWords + `,"messages":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`,
		"messages that never close":   `{` + allWords + `,"messages":` + strings.Repeat(`{"message":`, n),
		"strings in strings":          `{` + allWords + `,"messages":"` + strings.Repeat(`[\"`, n) + `"}`,
		"a Python literal":            strings.Repeat("{'tool_calls': [", n) + "None" + strings.Repeat("]}", n),
		"an end that is a backslash":  `{` + allWords + `,"messages":"` + strings.Repeat(`\`, n),
		"one key over and over again": `{` + strings.Repeat(`"tool_calls":[],`, n) + allWords + `}`,
	} {
		span := ptrace.NewSpan()
		for _, key := range keys {
			span.Attributes().PutStr(key, text)
		}
		event := span.Events().AppendEmpty()
		event.SetName("gen_ai.choice")
		for _, key := range []string{"message", "content", "tool_calls", "event.name"} {
			event.Attributes().PutStr(key, text)
		}
		for dialect := range formats {
			t.Run(name+" in "+strconv.Itoa(dialect), func(t *testing.T) {
				checkBounded(t, 30*time.Second, 1000*len(text), func() { Messages(dialect).Response(span, everything, new(Scratch)) })
			})
		}
	}
}

// Flattened messages have one attribute for each field, so their number is that of the attributes.
func TestFlatMessagesOfHostileSize(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	for _, field := range []string{
		"llm.output_messages.%.message.tool_calls.%.tool_call.function.name", "llm.input_messages.%.message.tool_call_id",
		"llm.output_messages.%.message.contents.%.message_content.type", "gen_ai.completion.%.tool_calls.%.name",
		"gen_ai.prompt.%.tool_call_id", "llm.output_messages.0.message.tool_calls.%.tool_call.function.name",
		"llm.output_messages.99999999999999999999%.message.role", "llm.output_messages.%%%%%%%%%%%%%%%%%%",
	} {
		raw := make(map[string]any, n)
		for i := range n {
			raw[strings.ReplaceAll(field, "%", strconv.Itoa(i))] = "tool"
		}
		span := newSpan("", raw)
		for dialect := range formats {
			t.Run(field+" in "+strconv.Itoa(dialect), func(t *testing.T) {
				checkBounded(t, 10*time.Second, n*2000, func() { Messages(dialect).Response(span, everything, new(Scratch)) })
			})
		}
	}
}

// No value is deep enough to take much stack, and no text long enough to take much time.
func TestPayloadsOfHostileSize(t *testing.T) {
	n := 100_000
	if testing.Short() {
		n /= 10
	}
	deep := pcommon.NewValueSlice()
	for at, i := deep.Slice(), 0; i < n; i++ {
		at = at.AppendEmpty().SetEmptySlice()
	}
	texts := map[string]pcommon.Value{"a list that nests deep": deep}
	for name, text := range map[string]string{
		"100 MB of text":         strings.Repeat("x", 1000*n), // and a tenth of all with -short
		"100 MB of JSON":         `{"q": "` + strings.Repeat("x", 1000*n) + `"}`,
		"10 MB of Python":        `{'q': '` + strings.Repeat("x", 100*n) + `'}`,
		"JSON that nests deep":   strings.Repeat("[", n) + strings.Repeat("]", n),
		"Python that nests deep": strings.Repeat("{'k': (", n) + "None" + strings.Repeat(",)}", n),
		"Python of many escapes": `['` + strings.Repeat(`\x41\N{DASH}`, n) + `']`,
		"Python of many strings": `[` + strings.Repeat(`'a' 'b' `, n) + `]`,
		"a number without end":   `[` + strings.Repeat("1_0", n) + `]`,
	} {
		texts[name] = pcommon.NewValueStr(text)
	}
	for name, v := range texts {
		span := newSpan("", nil)
		for _, key := range keys {
			v.CopyTo(span.Attributes().PutEmpty(key))
		}
		for _, marker := range []struct{ key, value string }{
			{genAIOperation, executeTool}, {openInferenceKind, "TOOL"}, {"ai.operationId", "ai.toolCall"}, {traceloopKind, "tool"},
			{langSmithKind, "tool"}, {langfuseType, "tool"}, {mlflowType, "TOOL"}, {"agentops.span.kind", "tool"}, {"genkit:metadata:subtype", "tool"},
		} {
			t.Run(name+" in "+marker.key, func(t *testing.T) {
				span.Attributes().PutStr(marker.key, marker.value)
				checkBounded(t, 10*time.Second, 1<<30, func() { ScopeOf("").Read(span) })
				span.Attributes().Remove(marker.key)
			})
		}
	}
}
