package dialect

import (
	"slices"
	"strings"
)

// How the names of scopes begin. Instrumentations for Python are named after their module.
const (
	openInferenceJS     = "@arizeai/openinference-"
	openInferencePy     = "openinference."
	openInferenceModule = openInferencePy + "instrumentation."
	openTelemetryModule = "opentelemetry.instrumentation."
	agentOpsFramework   = "agentops.instrumentation.agentic."
	agentFramework      = "agent_framework"
	openAIAgents        = "openai_agents"
	openLITModule       = "openlit.instrumentation."
	openLITAgents       = openLITModule + openAIAgents
	trpcAgentScope      = "trpc.agent.go"
)

// toolSpans are the scopes of instrumentations that are known to write a span for each tool that is executed: the names behind a prefix, or all with
// the prefix. An instrumentation of a model's client sees the request for a tool, and never its execution. An application's own tracer may do either,
// and so may an unknown one. OpenLLMetry's instrumentations of CrewAI and Haystack, and OpenInference's of Haystack, write no tool spans.
// Source: https://github.com/vercel/ai, packages/otel; https://github.com/microsoft/agent-framework, observability.py;
// https://github.com/microsoft/semantic-kernel, Diagnostics; https://github.com/spring-projects/spring-boot; https://github.com/dotnet/extensions,
// OpenTelemetryConsts.cs; https://github.com/Arize-ai/openinference; https://github.com/traceloop/openllmetry;
// https://github.com/open-telemetry/opentelemetry-python-contrib and opentelemetry-python-genai; https://github.com/ag2ai/ag2;
// https://github.com/openlit/openlit; https://github.com/QwenLM/qwen-code; https://github.com/mistralai/mistral-vibe.
var toolSpans = []struct {
	prefix string
	names  []string
}{
	{"", []string{
		"ai", "gen_ai", // the AI SDK
		"@mastra/otel-exporter", "autogen-core", "com.anthropic.claude_code.tracing", copilotScope, adkScope, "genkit-tracer", "livekit-agents",
		"logfire.claude_agent_sdk", logfireAgentsScope,
		"org.springframework.boot", // Spring AI
		"pydantic-ai", "strands-agents", "strands.telemetry.tracer", traceloopLangChainJS, "@arizeai/openinference-tanstack-ai",
		"mistral_vibe", "qwen-code", trpcAgentScope,
		"agentscope", "io.agentscope", "io.quarkus.opentelemetry",
	}},
	{agentFramework, nil}, {"Experimental.Microsoft.Agents.AI", nil}, {"Experimental.Microsoft.Extensions.AI", nil},
	{"semantic_kernel.", nil}, {"Microsoft.SemanticKernel", nil}, {agentOpsFramework, nil},
	{openInferenceModule, []string{
		"ag2", "agno", "autogen", "autogen_agentchat", "beeai", "claude_agent_sdk", "crewai", "dspy", "google_adk",
		"langchain", "llama_index", openAIAgents, "pipecat", "pydantic_ai", "smolagents", "strands_agents",
	}},
	{openInferenceJS + "instrumentation-", []string{
		"beeai", "bedrock-agent", "claude-agent-sdk", "langchain", "langchain-v0", "openai-agents",
	}},
	{openLITModule, []string{
		"agent_framework", "agno", "claude_agent_sdk", "google_adk", "langchain", openAIAgents, "pydantic_ai", "smolagents",
	}},
	{openTelemetryModule, []string{
		"ag2", "agno", "langchain", "llamaindex", openAIAgents,
		"genai.agentscope", "genai.agno", "genai.langchain", "genai." + openAIAgents,
	}},
}

// RunsAllTools reports whether the scope is that of a framework which runs all tools that its models request, and writes a span for each. Results
// that models are shown prove no further calls there: the framework also writes them for requests that it refused.
func (c Scope) RunsAllTools() bool {
	switch c.name {
	case "pydantic-ai", "strands-agents", "strands.telemetry.tracer", "com.anthropic.claude_code.tracing", adkScope, "livekit-agents", logfireAgentsScope:
		return true
	}
	return strings.HasSuffix(c.name, openAIAgents) || strings.HasSuffix(c.name, "-openai-agents") // where a handoff has a result as well
}

func writesToolSpans(scope string) bool {
	for i := range toolSpans {
		known := &toolSpans[i]
		if name, ok := strings.CutPrefix(scope, known.prefix); ok && (known.names == nil || slices.Contains(known.names, name)) {
			return true
		}
	}
	return false
}

// look looks a scope up, unless that is the last one.
func (d *Scratch) look(scope string) {
	if last := &d.last; last.scope != scope {
		last.scope, last.toolSpans = scope, writesToolSpans(scope)
		last.results = strings.Contains(scope, "mcp") || strings.Contains(scope, "agentscope")
	}
}

// messagesOnly is the trait of a model call: [MessagesOnly], unless the instrumentation is known to write tool spans.
func (s *source) messagesOnly() Traits {
	s.scratch.look(s.scope)
	if s.scratch.last.toolSpans || s.marker(koogEvent) != "" {
		return 0
	}
	return MessagesOnly
}
