package dialect

import (
	"maps"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A model may write arguments that look like what another instrumentation writes of a call. They stay as they are, so that none
// of them is hidden from a comparison.
func TestArgumentsOfAModelStayAsTheyAre(t *testing.T) {
	const (
		function = `{"args":[],"kwargs":{"amount":5}}`
		callback = `{"input_str":"","inputs":{"amount":5},"tags":[],"metadata":{},"kwargs":{}}`
		request  = `{"tool_name":"x","arguments":{"amount":5}}`
		inner    = `{"calling":{"tool_name":"x","arguments":{"amount":5}},"tool":"y","tool_string":""}`
	)
	with := func(key, value string, more map[string]any) map[string]any {
		attributes := map[string]any{key: value}
		maps.Copy(attributes, more)
		return attributes
	}
	agents := map[string]any{traceloopKind: "tool", genAIOperation: executeTool}
	plain := map[string]any{traceloopKind: "tool"}
	observed := map[string]any{langfuseType: "tool"}
	chained := map[string]any{langfuseType: "tool", langfuseNode: "tools"}
	smith := map[string]any{langSmithKind: "tool"}
	ops := map[string]any{"agentops.span.kind": "tool"}
	open := map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "refund"}
	for _, tc := range []struct {
		name, scope, key, arguments string
		more                        map[string]any
		reason                      string
	}{
		{"traceloop, a function", "opentelemetry.instrumentation.openai_agents", genAIArguments, function, agents, "the conventions' key has the model's text"},
		{"traceloop, a callback", "opentelemetry.instrumentation.openai_agents", genAIArguments, callback, agents, "likewise"},
		{"traceloop, a request", "opentelemetry.instrumentation.openai_agents", genAIArguments, request, agents, "likewise"},
		{"traceloop, a framework", "opentelemetry.instrumentation.agno", "traceloop.entity.input", function, plain, "it writes the model's arguments"},
		{"traceloop, a function as a request", "@traceloop/instrumentation-mcp", "traceloop.entity.input", function, plain, "MCP's requests are no functions"},
		{"traceloop, a request of a function", traceloopPy, "traceloop.entity.input", request, plain, "the decorator writes args and kwargs"},
		{"traceloop, kwargs alone", traceloopPy, "traceloop.entity.input", `{"kwargs":{"amount":5}}`, plain, "the decorator writes both"},
		{"traceloop, args that are no list", traceloopPy, "traceloop.entity.input", `{"args":{},"kwargs":{"amount":5}}`, plain, "the decorator writes a list"},
		{"traceloop, a callback with less", traceloopLangChainPy, genAIArguments, `{"inputs":{"amount":5},"metadata":{"amount":6}}`, plain, "it writes five members"},
		{"gen_ai, a callback with less", traceloopLangChainPy, genAIArguments, `{"input_str":"","inputs":{"amount":5}}`,
			map[string]any{genAIOperation: executeTool}, "likewise behind the normalizer"},
		{"gen_ai, DSPy", dspyGenAIScope, genAIArguments, function, map[string]any{genAIOperation: executeTool}, "its functions have kwargs alone"},
		{"langfuse, LangChain", "langfuse-sdk", langfuseInput, function, chained, "LangChain's handler writes the bare input"},
		{"langfuse, kwargs alone", "langfuse-sdk", langfuseInput, `{"kwargs":{"amount":5}}`, observed, "the decorator writes both"},
		{"langfuse, a request", "langfuse-sdk", langfuseInput, request, observed, "it has no such form"},
		{"langsmith, a function", "langsmith", langSmithInput, function, smith, "it merges named arguments"},
		{"langsmith, kwargs alone", "langsmith", langSmithInput, `{"kwargs":{"amount":5}}`, smith, "likewise"},
		{"agentops, a framework", "agentops", openInferenceParameters, function, ops, "tool.parameters are what the model wrote"},
		{"agentops, a framework's input", agentOpsFramework + "agno", "agentops.tool.input", function, ops, "likewise"},
		{"agentops, a request", "agentops", "agentops.tool.input", request, ops, "it has no such form"},
		{"openinference, a request", "openinference.instrumentation.crewai", openInferenceInput, request, open, "CrewAI's tool is called with its arguments"},
		{"openinference, a calling", "openinference.instrumentation.crewai", openInferenceInput, inner, open, "the span is not of the method that takes one"},
		{"openinference, smolagents", smolagentsScope, openInferenceInput, request, open, "it has no such form"},
		{"openinference, LlamaIndex", llamaIndexScope, openInferenceInput, callback, open, "likewise"},
		{"openinference, DSPy", dspyScope, openInferenceInput, request, open, "likewise"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := ScopeOf(tc.scope).Read(newSpan("refund", with(tc.key, tc.arguments, tc.more)))
			if got.Role != ToolCall || got.Call.Arguments != scoring.JSON(tc.arguments) {
				t.Errorf("read as %v with %s: %s", got.Role, got.Call.Arguments.AppendJSON(nil), tc.reason)
			}
		})
	}
	t.Run("openinference, a calling with less", func(t *testing.T) {
		const less = `{"calling":{"tool_name":"x","arguments":{"amount":5}},"tool":"y"}`
		got, _ := ScopeOf("openinference.instrumentation.crewai").Read(newSpan("refund._use", with(openInferenceInput, less, open)))
		if got.Call.Arguments != scoring.JSON(less) {
			t.Errorf("read as %s: the method has three parameters", got.Call.Arguments.AppendJSON(nil))
		}
	})
}

// A form is undone once: what a tool was called with may look like the form again.
func TestArgumentsAreTakenApartOnce(t *testing.T) {
	const twice = `{"args":[],"kwargs":{"args":[],"kwargs":{"amount":5}}}`
	for scope, attributes := range map[string]map[string]any{
		traceloopPy:    {traceloopKind: "tool", "traceloop.entity.input": twice},
		"langfuse-sdk": {langfuseType: "tool", langfuseInput: twice},
		"agentops":     {"agentops.span.kind": "tool", "agentops.tool.input": twice},
	} {
		got, _ := ScopeOf(scope).Read(newSpan("refund", attributes))
		if got.Call.Arguments != scoring.JSON(`{"args":[],"kwargs":{"amount":5}}`) {
			t.Errorf("%s: read as %s", scope, got.Call.Arguments.AppendJSON(nil))
		}
	}
}
