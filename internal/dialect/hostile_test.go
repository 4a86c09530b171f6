package dialect

import (
	"strconv"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// keys are all that any dialect looks at.
var keys = []string{
	genAIOperation, genAIToolName, genAICallID, genAIArguments, genAIResult, genAIAgentName, genAIWorkflow, genAIModel,
	genAIConversation, errorType, mcpMethod, sessionID,
	openInferenceKind, openInferenceToolName, openInferenceParameters, openInferenceInput, openInferenceInputType,
	openInferenceOutput, openInferenceOutputType, openInferenceToolCallID, openInferenceToolID, openInferenceAgentName,
	openInferenceNodeName, openInferenceNodeID,
	vercelOperation, vercelToolName, vercelCallID, vercelArguments, vercelInput, vercelResult, vercelFunctionID,
	vercelResource, vercelSession, vercelContext,
	openInferenceMetadata, openInferenceCallArguments, tanStackCallID, beeAITarget, beeAISource,
	traceloopKind, traceloopName, traceloopInput, traceloopOutput, traceloopWorkflow, traceloopSession,
	traceloopConversationID, traceloopThread,
	langSmithKind, langSmithName, langSmithInput, langSmithOutput, langSmithAgentName, langSmithNode, langSmithSession,
	langSmithConversationID, langSmithThread,
	langfuseType, langfuseInput, langfuseOutput, langfuseLevel, langfuseAgentName, langfuseNode, langfuseThread, langfuseSession,
	genAIInput, genAIOutput, sentryInput, sentryOutput, googleReturn, googlePositional, googleKeyword,
	adkArguments, adkResponse, adkSession, strandsStatus, claudeType, claudeSubagent, claudeSuccess,
	voltAgentTool, voltAgentCallID, voltAgentInput, voltAgentOutput, voltAgentState, voltAgentEntity, voltAgentSubagent,
	voltAgentEntityType, voltAgentConversation, voltAgentThread,
	genkitType, genkitSubtype, genkitName, genkitInput, genkitOutput, genkitState, genkitSession,
	mastraType, mastraThread, mastraSession, mcpTool, mcpContent, mcpIsError,
	vercelToolCalls, vercelPrompt, vercelTools, genAIDefinitions, pydanticEvents, pydanticParameters, adkAnswered, adkGiven,
	logfireAnswered, logfireGiven, genAISystem, genAIProvider,
	pydanticArguments, pydanticResponse, pydanticAgent, pydanticDeferral,
	logfireTemplate, logfireMessage, logfireName, logfireInput, logfireOutput, logfireError, logfireGroup,
	springAIKind, springAIName, springAICallID, springAIArguments, springAIResult, springAIConversation,
	haystackTool, haystackSteps, haystackInput, haystackOutput,
	mlflowType, mlflowFunction, mlflowInputs, mlflowOutputs, mlflowSession,
	agentOpsKind, agentOpsEntity, agentOpsOperation, agentOpsOldOperation, agentOpsInput, agentOpsOutput,
	agentOpsOldInput, agentOpsOldOutput, agentOpsResult, agentOpsStatus,
	difyKind, difyFramework,
	liveKitTool, liveKitCallID, liveKitArguments, liveKitOldArguments, liveKitOutput, liveKitOldOutput, liveKitIsError,
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

// With good markers and everything else of the wrong type, there is still the call, and nothing is made up about it.
func TestWrongTypesAreAbsent(t *testing.T) {
	for _, marker := range []struct{ key, value string }{
		{genAIOperation, executeTool}, {openInferenceKind, "TOOL"}, {vercelOperation, "ai.toolCall"},
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
			newSpan("", map[string]any{vercelOperation: "ai.toolCall", vercelToolName: "x", vercelArguments: text}),
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
	span := ptrace.NewSpan()
	// Put looks for the key first, which a million times is too slow even for a test.
	raw := make(map[string]any, 1_000_000)
	for i := range 1_000_000 {
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

// OTLP forbids an attribute to be there twice, and pdata could not make such a span; JSON can carry it.
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
