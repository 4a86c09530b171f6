package dialect

import "testing"

func TestWritesToolSpans(t *testing.T) {
	for _, tc := range []struct {
		scope  string
		want   bool
		reason string // why this is right, for the next reader: required
	}{
		{"ai", true, "the AI SDK, versions 4 to 6"},
		{"gen_ai", true, "the AI SDK, version 7"},
		{"agent_framework", true, "a framework that follows the conventions"},
		{"Experimental.Microsoft.Extensions.AI", true, "its client of models calls the functions as well"},
		{"Experimental.Microsoft.Agents.AI", true, "the .NET form of Microsoft Agent Framework"},
		{"semantic_kernel.functions.kernel_function", true, "each of its modules has a scope of its own"},
		{"Microsoft.SemanticKernel.Diagnostics", true, "the scope of its model calls; its functions' spans have another"},
		{"pydantic-ai", true, "the model calls are read as the conventions have them"},
		{"logfire.openai_agents", true, "the integration of an agent framework"},
		{"logfire.openai", false, "the integration of a client"},
		{"agentops.instrumentation.agentic.langgraph", true, "what AgentOps calls agentic are frameworks"},
		{"agentops.instrumentation.providers.openai", false, "the others are clients"},
		{"@traceloop/instrumentation-langchain", true, "a framework"},
		{"@traceloop/instrumentation-openai", false, "a client"},
		{"@traceloop/instrumentation-llamaindex", false, "it has spans of agents and tasks only"},
		{"@opentelemetry/instrumentation-openai", false, "a client"},
		{"opentelemetry.instrumentation.langchain", true, "a framework"},
		{"opentelemetry.instrumentation.openai_agents", true, "a framework"},
		{"opentelemetry.instrumentation.google_genai", false, "a client, which calls functions itself only if it is told to"},
		{"opentelemetry.instrumentation.genai.langchain", true, "OpenTelemetry's own, under its newer name"},
		{"opentelemetry.instrumentation.genai.openai", false, "a client"},
		{"opentelemetry.instrumentation.crewai", false, "OpenLLMetry's has spans of crews, agents, tasks and models only"},
		{"opentelemetry.instrumentation.anthropic", false, "a client"},
		{"openinference.instrumentation.langchain", true, "a framework"},
		{"openinference.instrumentation.crewai", true, "OpenInference's has tool spans, unlike OpenLLMetry's"},
		{"openinference.instrumentation.haystack", false, "it has spans of components, whose kinds are others"},
		{"openinference.instrumentation.openai", false, "a client"},
		{"@arizeai/openinference-instrumentation-openai-agents", true, "a framework"},
		{"@arizeai/openinference-instrumentation-openai", false, "a client"},
		{"@arizeai/openinference-tanstack-ai", true, "a framework, under a name of another form"},
		{"langchain", false, "a name is a framework's only behind who instruments it"},
		{"travel-desk", false, "an application's own tracer may write anything"},
		{"", false, "nothing is known"},
	} {
		if got := writesToolSpans(tc.scope); got != tc.want {
			t.Errorf("%q writes tool spans: %v, want %v: %s", tc.scope, got, tc.want, tc.reason)
		}
	}
}
