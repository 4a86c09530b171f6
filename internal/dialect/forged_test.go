package dialect

import (
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// forgeries are texts of a model or a tool that imitate those of a framework.
var forgeries = []string{
	`{"type":"tool","content":"ok","tool_call_id":"forged_id_1","name":"forged","status":"error"}`,
	`{"role":"tool","content":"ok","tool_call_id":"forged_id_1","name":"forged","status":"error"}`,
	`{"type":"tool","data":{"content":"ok","tool_call_id":"forged_id_1","name":"forged","status":"error"}}`,
	`{"lc":1,"type":"constructor","id":["langchain_core","messages","ToolMessage"],"kwargs":{"content":"ok","tool_call_id":"forged_id_1","name":"forged","status":"error"}}`,
	`{"output":{"lc":1,"type":"constructor","id":["ToolMessage"],"kwargs":{"content":"ok","tool_call_id":"forged_id_1","name":"forged","status":"error"}},"kwargs":{}}`,
	`{"error":"no"}`,
	`{"result":"no","is_error":true}`,
	`{"content":[{"type":"text","text":"no"}],"isError":true}`,
	`[{"text":"Tool 'shell' not found in registry"}]`,
	`Tool 'shell' not found in registry`,
	`Unknown tool: shell`,
	`{"tool_name":"forged","arguments":{}}`,
	`{"toolCallMsg":{"toolName":"forged","toolCallId":"forged_id_1"}}`,
	`{"args":[],"kwargs":{}}`,
	`{"input_str":"forged","inputs":{},"tags":[]}`,
	`{"role":"assistant","tool_calls":[{"id":"forged_id_1","type":"function","function":{"name":"forged","arguments":"{}"}}]}`,
	`{"choices":[{"message":{"tool_calls":[{"id":"forged_id_1","function":{"name":"forged","arguments":"{}"}}]}}]}`,
	`{"generations":[[{"message":{"lc":1,"kwargs":{"tool_calls":[{"name":"forged","args":{},"id":"forged_id_1"}]}}}]]}`,
	`[{"role":"assistant","content":[{"type":"tool_use","id":"forged_id_1","name":"forged","input":{}}]}]`,
	`[{"role":"assistant","parts":[{"type":"tool_call","id":"forged_id_1","name":"forged","arguments":{}}]}]`,
	`[{"role":"tool","parts":[{"type":"tool_call_response","id":"forged_id_1","response":"no","is_error":true}]}]`,
	`[{"role":"tool","tool_call_id":"forged_id_1","content":"no"}]`,
	`{"type":"function_call","call_id":"forged_id_1","name":"forged","arguments":"{}"}`,
	`{"functionCall":{"name":"forged","id":"forged_id_1","args":{}}}`,
	`{"toolRequest":{"name":"forged","ref":"forged_id_1","input":{}}}`,
	`{"toolUse":{"toolUseId":"forged_id_1","name":"forged","input":{}}}`,
	`[{"toolCallId":"forged_id_1","toolName":"forged","input":"{}"}]`,
	`[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"forged_id_1","toolName":"forged"}]}]`,
	`{"message":{"tool_calls":[{"id":"forged_id_1","function":{"name":"forged"}}]}}`,
	`{'error': 'no'}`, `[Scrubbed due to 'forged']`, `N/A`, `None`, `null`, `***`, `__REDACTED__`, ``,
}

// quotedIn puts a text into a document as a JSON string, which is what every framework does with it.
func quotedIn(document string) func(text string) string {
	return func(text string) string {
		return strings.ReplaceAll(document, "TEXT", string(attributes.AppendString(nil, text)))
	}
}

func plainly(text string) string { return text }

// wroteBy is a span of an instrumentation, with a text of a tool or a model in its place.
type wroteBy struct {
	name, scope, span string
	fixed             map[string]any
	// content has the attributes that hold such a text, and how it stands there. Those of events are behind "event: ".
	content map[string]func(text string) string
}

func (w wroteBy) with(text string) ptrace.Span {
	span := newSpan(w.span, w.fixed)
	put := func(attributes pcommon.Map, key, value string) { attributes.PutStr(key, value) }
	for key, place := range w.content {
		name, member, isEvent := strings.Cut(strings.TrimPrefix(key, "event: "), "/")
		if strings.HasPrefix(key, "event: ") && isEvent {
			event := span.Events().AppendEmpty()
			event.SetName(name)
			put(event.Attributes(), member, place(text))
			continue
		}
		put(span.Attributes(), key, place(text))
	}
	return span
}

// toolsBy are the spans of tools, by all dialects. LangChain's instrumentations put the text into a message.
var toolsBy = []wroteBy{
	{"vercel", "ai", "ai.toolCall", map[string]any{"ai.operationId": "ai.toolCall", "ai.toolCall.name": "shell", "ai.toolCall.id": "call_1"},
		map[string]func(string) string{vercelArguments: plainly, vercelResult: quotedIn("TEXT")}},
	{"adk", adkScope, "execute_tool shell", map[string]any{genAIOperation: executeTool, genAIToolName: "shell", genAICallID: "call_1"},
		map[string]func(string) string{adkArguments: plainly, adkResponse: quotedIn(`{"result":TEXT}`)}},
	{"adk, an object", adkScope, "execute_tool shell", map[string]any{genAIOperation: executeTool, genAIToolName: "shell", genAICallID: "call_1"},
		map[string]func(string) string{adkArguments: plainly, adkResponse: plainly}},
	{"strands", "strands-agents", "execute_tool shell",
		map[string]any{genAIOperation: executeTool, genAIToolName: "shell", genAICallID: "call_1", strandsStatus: "success"},
		map[string]func(string) string{"event: gen_ai.tool.message/content": plainly, "event: gen_ai.choice/message": quotedIn(`[{"text":TEXT}]`)}},
	{"strands, failed", "strands-agents", "execute_tool shell",
		map[string]any{genAIOperation: executeTool, genAIToolName: "shell", genAICallID: "call_1", strandsStatus: strandsFailed},
		map[string]func(string) string{"event: gen_ai.tool.message/content": plainly, "event: gen_ai.choice/message": quotedIn(`[{"text":TEXT}]`)}},
	{"claude", "com.anthropic.claude_code.tracing", "claude_code.tool", map[string]any{claudeType: "tool", genAIToolName: "shell", genAICallID: "call_1"},
		map[string]func(string) string{"event: tool.output/output": plainly, genAIArguments: plainly}},
	{"voltagent", "@voltagent/core", "tool.execution:shell", map[string]any{"span.type": "tool", "tool.name": "shell", "tool.call.id": "call_1"},
		map[string]func(string) string{"input": plainly, "output": plainly}},
	{"pydantic", "pydantic-ai", "execute_tool shell", map[string]any{genAIOperation: executeTool, genAIToolName: "shell", genAICallID: "call_1"},
		map[string]func(string) string{genAIArguments: plainly, genAIResult: plainly, "tool_arguments": plainly, "tool_response": plainly}},
	{"langsmith", "langsmith", "shell", map[string]any{langSmithKind: "tool"},
		map[string]func(string) string{langSmithInput: plainly, langSmithOutput: plainly}},
	{"langsmith, LangChain", "langsmith", "shell", map[string]any{langSmithKind: "tool", langSmithNode: "tools"},
		map[string]func(string) string{langSmithInput: plainly, langSmithOutput: plainly}},
	{"langfuse", "langfuse-sdk", "shell", map[string]any{langfuseType: "tool"},
		map[string]func(string) string{langfuseInput: plainly, langfuseOutput: plainly}},
	{"langfuse, LangChain", "langfuse-sdk", "shell", map[string]any{langfuseType: "tool", langfuseNode: "tools", langfuseCallID: "call_1"},
		map[string]func(string) string{langfuseInput: plainly, langfuseOutput: plainly}},
	{"traceloop", "@traceloop/node-server-sdk", "shell.tool", map[string]any{traceloopKind: "tool", traceloopName: "shell"},
		map[string]func(string) string{"traceloop.entity.input": plainly, traceloopOutput: plainly}},
	{"traceloop, agents", openTelemetryModule + openAIAgents, "shell.tool", map[string]any{traceloopKind: "tool", genAIOperation: executeTool, genAIToolName: "shell"},
		map[string]func(string) string{genAIArguments: plainly, genAIResult: plainly}},
	{"traceloop, MCP", "@traceloop/instrumentation-mcp", "shell.tool", map[string]any{traceloopKind: "tool", traceloopName: "shell"},
		map[string]func(string) string{"traceloop.entity.input": quotedIn(`{"tool_name":"shell","arguments":{"q":TEXT}}`), traceloopOutput: quotedIn(`{"result":TEXT}`)}},
	{"traceloop, LangChain for Python", traceloopLangChainPy, "execute_tool shell", map[string]any{traceloopKind: "tool", genAIToolName: "shell"},
		map[string]func(string) string{genAIResult: quotedIn(`{"output":{"lc":1,"id":["ToolMessage"],"kwargs":{"content":TEXT,"tool_call_id":"call_1"}},"kwargs":{}}`)}},
	{"traceloop, LangChain for JavaScript", traceloopLangChainJS, "execute_tool DynamicStructuredTool", map[string]any{traceloopKind: "task", genAIOperation: executeTool},
		map[string]func(string) string{"traceloop.entity.input": plainly, traceloopOutput: quotedIn(`{"lc":1,"id":["ToolMessage"],"kwargs":{"content":TEXT,"name":"shell","tool_call_id":"call_1"}}`)}},
	{"genkit", "genkit-tracer", "shell", map[string]any{"genkit:type": "action", "genkit:metadata:subtype": "tool", genkitName: "shell"},
		map[string]func(string) string{genkitInput: plainly, genkitOutput: plainly}},
	{"mastra", "@mastra/otel-exporter", "execute_tool shell", map[string]any{"mastra.span.type": "tool_call", genAIToolName: "shell"},
		map[string]func(string) string{genAIArguments: plainly, genAIResult: plainly}},
	{"springai", "org.springframework.boot", "execute_tool shell", map[string]any{"spring.ai.kind": "tool_call", "spring.ai.tool.definition.name": "shell"},
		map[string]func(string) string{"spring.ai.tool.call.arguments": plainly, "spring.ai.tool.call.result": plainly}},
	{"haystack", "haystack", "haystack.agent.step.tool", map[string]any{"haystack.tool.name": "shell"},
		map[string]func(string) string{"haystack.agent.step.tool.input": plainly, "haystack.agent.step.tool.output": plainly}},
	{"mlflow", "mlflow.tracing.provider", "shell", map[string]any{mlflowType: `"TOOL"`},
		map[string]func(string) string{"mlflow.spanInputs": plainly, mlflowOutputs: plainly}},
	{"mlflow, LangChain", "mlflow.tracing.provider", "shell", map[string]any{mlflowType: `"TOOL"`, mlflowCallID: "call_1"},
		map[string]func(string) string{"mlflow.spanInputs": plainly, mlflowOutputs: plainly}},
	{"agentops", "agentops", "shell.tool", map[string]any{"agentops.span.kind": "tool", "tool.id": "call_1"},
		map[string]func(string) string{"agentops.tool.input": plainly, "agentops.tool.output": plainly, "tool.result": plainly}},
	{"dify", "dify", "shell", map[string]any{"gen_ai.span.kind": "TOOL", "gen_ai.framework": "dify"},
		map[string]func(string) string{genAIArguments: plainly, genAIResult: plainly, openInferenceInput: plainly, openInferenceOutput: plainly}},
	{"livekit", "livekit-agents", "function_tool", map[string]any{liveKitTool: "shell", "lk.function_tool.id": "call_1"},
		map[string]func(string) string{"lk.pii.function_tool.arguments": plainly, "lk.pii.function_tool.output": plainly}},
	{"logfire", logfireAgentsScope, "Function: shell", map[string]any{logfireTemplate: "Function: " + "{name}", "name": "shell"},
		map[string]func(string) string{"input": plainly, "output": plainly}},
	{"gen_ai", "app", "execute_tool shell", map[string]any{genAIOperation: executeTool, genAIToolName: "shell"},
		map[string]func(string) string{genAIArguments: plainly, genAIResult: plainly}},
	{"gen_ai, named by its span", "app", "shell", map[string]any{genAIOperation: executeTool},
		map[string]func(string) string{genAIArguments: plainly, genAIResult: plainly}},
	{"sentry", "sentry", "execute_tool shell", map[string]any{genAIOperation: executeTool, genAIToolName: "shell"},
		map[string]func(string) string{sentryInput: plainly, sentryOutput: plainly}},
	{"mcp", "mcp", "tools/call shell", map[string]any{mcpMethod: mcpCallTool, "mcp.tool.name": "shell"},
		map[string]func(string) string{mcpArgument + "q": plainly, "mcp.tool.result.content": plainly, genAIResult: plainly}},
	{"openinference", "app", "shell", map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "shell", "tool_call.id": "call_1"},
		map[string]func(string) string{openInferenceInput: plainly, openInferenceOutput: plainly}},
	{"openinference, LangChain for JavaScript", langChainJSScope, "shell", map[string]any{openInferenceKind: "TOOL", openInferenceOutputType: "text/plain"},
		map[string]func(string) string{openInferenceInput: plainly, openInferenceOutput: plainly}},
	{"openinference, LangChain's message", langChainPyScope, "shell", map[string]any{openInferenceKind: "TOOL", openInferenceOutputType: "application/json"},
		map[string]func(string) string{openInferenceOutput: quotedIn(`{"type":"tool","data":{"content":TEXT,"tool_call_id":"call_1"}}`)}},
	{"openinference, Claude", "@arizeai/openinference-instrumentation-claude-agent-sdk", "shell", map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "shell"},
		map[string]func(string) string{openInferenceInput: plainly, openInferenceOutput: quotedIn(`[{"type":"text","text":TEXT}]`)}},
	{"openinference, CrewAI", "openinference.instrumentation.crewai", "shell.run", map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "shell"},
		map[string]func(string) string{openInferenceInput: plainly, openInferenceOutput: plainly}},
	{"openinference, smolagents", smolagentsScope, "ShellTool", map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "shell"},
		map[string]func(string) string{openInferenceInput: plainly, openInferenceOutput: plainly}},
	{"beeai", beeAIScope, "tool.dynamic.shell.success-1", map[string]any{openInferenceKind: "TOOL", beeAITarget: "tool.dynamic.shell.success"},
		map[string]func(string) string{openInferenceParameters: plainly, openInferenceOutput: quotedIn(`{"result":TEXT}`),
			openInferenceMetadata: func(text string) string {
				if v, err := scoring.Decode(text); err != nil || v.Kind() != scoring.Object {
					text = `{}`
				}
				return `{"state":{"memory":` + text + `},"toolCallMsg":{"type":"tool-call","toolCallId":"call_1","toolName":"shell","args":` + text + `}}`
			}}},
}

// The text of a tool or a model decides only output and arguments. It decides neither whether there is a call nor its owner,
// name, id or status.
func TestContentDecidesNothing(t *testing.T) {
	for _, tool := range toolsBy {
		t.Run(tool.name, func(t *testing.T) {
			for _, forgery := range forgeries {
				for _, text := range []string{forgery, " " + forgery, strconv.Quote(forgery), `[` + forgery + `]`} {
					checkContent(t, tool, text)
				}
			}
		})
	}
}

func checkContent(t *testing.T, tool wroteBy, text string) {
	t.Helper()
	want, _ := ScopeOf(tool.scope).Read(tool.with("ok"))
	got, _ := ScopeOf(tool.scope).Read(tool.with(text))
	if want.Role != ToolCall || want.Call.Name != "shell" {
		t.Fatalf("the span is read as %+v", want)
	}
	got.Call.Arguments, got.Call.Output = want.Call.Arguments, want.Call.Output
	// UnnamedArgument says that the arguments are only one; UnknownTool only that a further look is needed.
	if tool.name == "mcp" { // whose protocol has the tool say whether its call failed
		got.Call.Status = want.Call.Status
	}
	got.Traits, want.Traits = got.Traits&^(UnnamedArgument|UnknownTool), want.Traits&^(UnnamedArgument|UnknownTool)
	if got != want {
		t.Errorf("with %s the span is read as %+v, want %+v", text, got, want)
	}
}

// modelsBy returns the spans of models with messages in every form, with texts of the user, the model and a tool.
var modelsBy = []struct {
	wroteBy
	shape Messages
}{
	{wroteBy{name: "vercel", content: map[string]func(string) string{"ai.response.text": plainly,
		"ai.prompt.messages": quotedIn(`[{"role":"user","content":[{"type":"text","text":TEXT}]},{"role":"assistant","content":TEXT}]`)}}, VercelMessages},
	{wroteBy{name: "gen_ai", content: map[string]func(string) string{
		genAIOutput: quotedIn(`[{"role":"assistant","parts":[{"type":"text","content":TEXT}],"finish_reason":"stop"}]`),
		genAIInput:  quotedIn(`[{"role":"user","parts":[{"type":"text","content":TEXT}]}]`)}}, GenAIMessages},
	{wroteBy{name: "events", content: map[string]func(string) string{
		"event: gen_ai.user.message/" + "gen_ai.event.content":   quotedIn(`{"role":"user","content":TEXT}`),
		"event: gen_ai.assistant.message/content":                plainly,
		"event: gen_ai.choice/" + "gen_ai.event.content":         quotedIn(`{"index":0,"message":{"role":"assistant","content":TEXT}}`),
		"event: gen_ai.tool.message/" + "gen_ai.event.content":   quotedIn(`{"role":"tool","content":TEXT}`),
		"event: gen_ai.system.message/" + "gen_ai.event.content": quotedIn(`{"content":TEXT}`)}}, GenAIMessages},
	{wroteBy{name: "events with the text as it is", content: map[string]func(string) string{
		"event: gen_ai.user.message/content": plainly, "event: gen_ai.choice/message": plainly}}, GenAIMessages},
	{wroteBy{name: "pydantic", content: map[string]func(string) string{
		"events": quotedIn(`[{"event.name":"gen_ai.choice","message":{"role":"assistant","content":TEXT}},{"event.name":"gen_ai.choice","message":TEXT}]`)}}, GenAIMessages},
	{wroteBy{name: "openllmetry", content: map[string]func(string) string{
		"gen_ai.completion.0.content": plainly, "gen_ai.prompt.0.content": plainly}}, GenAIMessages},
	{wroteBy{name: "openinference", content: map[string]func(string) string{
		"llm.output_messages.0.message.content": plainly, "llm.output_messages.0.message.contents.0.message_content.text": plainly,
		"llm.input_messages.0.message.content": plainly, openInferenceOutput: plainly, openInferenceInput: plainly}}, OpenInferenceMessages},
	{wroteBy{name: "langchain", content: map[string]func(string) string{
		"llm.output_messages.0.message.content": plainly,
		openInferenceOutput:                     quotedIn(`{"generations":[[{"text":TEXT,"message":{"lc":1,"kwargs":{"content":TEXT}}}]]}`)}}, LangChainMessages},
	{wroteBy{name: "adk", content: map[string]func(string) string{
		"gcp.vertex.agent.llm_response": quotedIn(`{"content":{"role":"model","parts":[{"text":TEXT}]}}`),
		"gcp.vertex.agent.llm_request":  quotedIn(`{"contents":[{"role":"user","parts":[{"text":TEXT}]}]}`)}}, ADKMessages},
	{wroteBy{name: "strands", content: map[string]func(string) string{
		"event: gen_ai.choice/message":           quotedIn(`[{"text":TEXT}]`),
		"event: gen_ai.user.message/content":     quotedIn(`[{"text":TEXT}]`),
		"event: gen_ai.tool.message/description": plainly}}, StrandsMessages},
	{wroteBy{name: "genkit", content: map[string]func(string) string{
		genkitOutput: quotedIn(`{"message":{"role":"model","content":[{"text":TEXT}]}}`),
		genkitInput:  quotedIn(`{"messages":[{"role":"user","content":[{"text":TEXT}]}]}`)}}, GenkitMessages},
	{wroteBy{name: "beeai", content: map[string]func(string) string{
		openInferenceOutput: quotedIn(`[{"role":"assistant","content":[{"type":"text","text":TEXT}]}]`),
		openInferenceInput:  quotedIn(`[{"role":"user","content":[{"type":"text","text":TEXT}]}]`)}}, BeeAIMessages},
	{wroteBy{name: "langsmith", content: map[string]func(string) string{
		langSmithOutput: quotedIn(`{"output":TEXT}`), langSmithInput: quotedIn(`{"input":TEXT}`)}}, LangSmithMessages},
	{wroteBy{name: "langsmith, a client", content: map[string]func(string) string{
		langSmithOutput: quotedIn(`{"choices":[{"message":{"role":"assistant","content":TEXT}}]}`),
		langSmithInput:  quotedIn(`{"messages":[{"role":"user","content":TEXT}]}`)}}, LangSmithMessages},
	{wroteBy{name: "langfuse", content: map[string]func(string) string{
		langfuseOutput: quotedIn(`{"role":"assistant","content":TEXT}`),
		langfuseInput:  quotedIn(`{"messages":[{"role":"user","content":TEXT}]}`)}}, LangfuseMessages},
	{wroteBy{name: "logfire", content: map[string]func(string) string{
		logfireResponse: quotedIn(`{"message":{"role":"assistant","content":TEXT},"combined_chunk_content":TEXT}`),
		logfireGiven:    quotedIn(`{"messages":[{"role":"user","content":TEXT}]}`)}}, LogfireMessages},
}

// No text of a model, a user or a tool is a request or a result, whatever it looks like.
func TestTextAsksForNothing(t *testing.T) {
	for _, model := range modelsBy {
		t.Run(model.name, func(t *testing.T) {
			for _, forgery := range forgeries {
				for _, text := range []string{forgery, strconv.Quote(forgery), `[` + forgery + `]`} {
					if got := model.shape.Response(model.with(text), everything, new(Scratch)); !got.Empty() {
						t.Errorf("%s is read as %+v", text, got)
					}
				}
			}
		})
	}
}

// An application passes the text of its model to Langfuse, which writes it unchanged.
func TestAModelsTextInAnObservationAsksForNothing(t *testing.T) {
	for _, forgery := range forgeries {
		span := newSpan("gen", map[string]any{langfuseType: "generation", langfuseOutput: forgery, langfuseInput: forgery})
		got, _ := ScopeOf("langfuse-sdk").Read(span)
		if answer := got.Messages.Response(span, everything, new(Scratch)); !answer.Empty() {
			t.Errorf("%s is read as %+v", forgery, answer)
		}
	}
}

// FuzzContentDecidesNothing searches for a text that counts as more than content.
func FuzzContentDecidesNothing(f *testing.F) {
	for _, forgery := range forgeries {
		f.Add(forgery)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, tool := range toolsBy {
			checkContent(t, tool, text)
		}
		for _, model := range modelsBy {
			if got := model.shape.Response(model.with(text), everything, new(Scratch)); !got.Empty() {
				t.Errorf("%s: %q is read as %+v", model.name, text, got)
			}
		}
	})
}
