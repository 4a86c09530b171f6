package dialect

import (
	"slices"
	"strings"
)

// How the names of scopes begin. Instrumentations for Python are named after their module.
const (
	openInferenceModule = openInferencePy + "instrumentation."
	openTelemetryModule = "opentelemetry.instrumentation."
	extensionsAI        = "Experimental.Microsoft.Extensions.AI"
	agentsAI            = "Experimental.Microsoft.Agents.AI"
	semanticKernelPy    = "semantic_kernel."
	semanticKernelNet   = "Microsoft.SemanticKernel"
	agentFramework      = "agent_framework"
	agentOpsFramework   = "agentops.instrumentation.agentic."
	openAIAgents        = "openai_agents"
)

// messagesOnlyUnless is the trait of a model call of that scope: [MessagesOnly], unless the instrumentation is known to write tool spans.
func messagesOnlyUnless(scope string) Traits {
	if writesToolSpans(scope) {
		return 0
	}
	return MessagesOnly
}

// writesToolSpans reports whether an instrumentation of that scope is known to write a span for each tool that is executed.
// An instrumentation of a model's client sees the request for a tool, and never its execution. An application's own tracer
// may do either, and so may an unknown one.
//
// Source: https://github.com/vercel/ai, packages/otel; https://github.com/microsoft/agent-framework,
// python/packages/core/agent_framework/observability.py; https://github.com/microsoft/semantic-kernel,
// python/semantic_kernel/utils/telemetry and dotnet/src/InternalUtilities/src/Diagnostics;
// https://github.com/spring-projects/spring-boot, the auto-configuration of OpenTelemetry's tracer;
// https://github.com/dotnet/extensions, src/Libraries/Microsoft.Extensions.AI/OpenTelemetryConsts.cs;
// https://github.com/livekit/agents, livekit-agents/livekit/agents/telemetry/traces.py; https://github.com/pydantic/logfire,
// logfire/_internal/integrations. Others are named with their dialects.
func writesToolSpans(scope string) bool {
	switch scope {
	case "ai", "gen_ai", // the AI SDK
		"@mastra/otel-exporter",
		"autogen-core",
		"com.anthropic.claude_code.tracing",
		adkScope,
		"genkit-tracer",
		"livekit-agents",
		"logfire.claude_agent_sdk", logfireAgentsScope,
		"org.springframework.boot", // Spring AI
		"pydantic-ai",
		"strands-agents", "strands.telemetry.tracer",
		"@traceloop/instrumentation-langchain",
		"@arizeai/openinference-tanstack-ai":
		return true
	}
	for _, family := range [...]string{
		agentFramework, agentsAI, extensionsAI, semanticKernelPy, semanticKernelNet, agentOpsFramework,
	} {
		if strings.HasPrefix(scope, family) {
			return true
		}
	}
	return isFramework(scope)
}

// isFramework looks for agent frameworks among what OpenInference, OpenLLMetry and OpenTelemetry instrument. OpenLLMetry's
// instrumentations of CrewAI and Haystack, and OpenInference's of Haystack, write no tool spans.
//
// Source: https://github.com/Arize-ai/openinference, js/packages and python/instrumentation;
// https://github.com/traceloop/openllmetry, packages;
// https://github.com/open-telemetry/opentelemetry-python-contrib, instrumentation-genai;
// https://github.com/open-telemetry/opentelemetry-python-genai, instrumentation;
// https://github.com/ag2ai/ag2, autogen/opentelemetry/consts.py.
func isFramework(scope string) bool {
	if name, ok := strings.CutPrefix(scope, openInferenceModule); ok {
		return slices.Contains([]string{
			"ag2", "agno", "autogen", "autogen_agentchat", "beeai", "claude_agent_sdk", "crewai", "dspy", "google_adk",
			"langchain", "llama_index", openAIAgents, "pipecat", "pydantic_ai", "smolagents", "strands_agents",
		}, name)
	}
	if name, ok := strings.CutPrefix(scope, openInferenceJS+"instrumentation-"); ok {
		return slices.Contains([]string{
			"beeai", "bedrock-agent", "claude-agent-sdk", "langchain", "langchain-v0", "openai-agents",
		}, name)
	}
	name, _ := strings.CutPrefix(scope, openTelemetryModule)
	return name != scope && slices.Contains([]string{
		"ag2", "agno", "google_genai", "langchain", "llamaindex", openAIAgents,
		"genai.agentscope", "genai.agno", "genai.langchain", "genai." + openAIAgents,
	}, name)
}
