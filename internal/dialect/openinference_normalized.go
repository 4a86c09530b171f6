package dialect

import "strings"

// OpenInference behind the collector's gen_ai_normalizer, which renames its attributes to OpenTelemetry's. The kind of a span
// becomes an operation, tool.name becomes gen_ai.tool.name, and flattened messages become gen_ai.input.messages. What arrives
// is neither of the two: every chain is said to invoke an agent, and no tool has arguments, because input.value keeps its
// name. So the scope still shows which instrumentation wrote such spans.
//
// Source: https://github.com/open-telemetry/opentelemetry-collector-contrib, processor/genainormalizerprocessor:
// internal/openinference/mappings.go, valuemappings.go and messages.go.
func isOpenInference(scope string) bool {
	return strings.HasPrefix(scope, openInferenceJS) || strings.HasPrefix(scope, openInferencePy)
}

// isRenamed reports whether what a span says in OpenTelemetry's words was said in OpenInference's. Outside of that
// one's scopes the originals have to be there as well: only the normalizer calls a chain an agent. No
// other instrumentation describes an agent by the conventions without its name, or a tool's call with arguments in
// input.value alone.
func (s *source) isRenamed() bool {
	switch {
	case isOpenInference(s.scope):
		return true
	case s.others == 0:
		return false
	}
	switch s.marker(openInferenceKind) {
	case "CHAIN":
		return s.marker(genAIOperation) == invokeAgent
	case "AGENT":
		_, conventional := nameAfter(s.span.Name(), invokeAgent)
		return !conventional && s.text(genAIAgentName) == s.text(openInferenceAgentName)
	case "TOOL":
		_, has := s.attributes.Get(openInferenceInput)
		_, conventional := s.attributes.Get(genAIArguments)
		return has && !conventional
	}
	return false
}

// openInferenceSpanKind is the span's kind, or the one that its operation was made of.
func (s *source) openInferenceSpanKind() string {
	if kind := s.marker(openInferenceKind); kind != "" || !isOpenInference(s.scope) {
		return kind
	}
	switch s.marker(genAIOperation) {
	case executeTool:
		return "TOOL"
	case chat:
		return "LLM"
	case invokeAgent:
		return s.chainOrAgent()
	}
	return ""
}

// chainOrAgent distinguishes two kinds with one name. An agent has a name beside the span's, or is called an agent; but
// LangChain for JavaScript, Haystack and LlamaIndex know chains only.
func (s *source) chainOrAgent() string {
	switch {
	case s.scope == langChainJSScope, s.scope == langChainV0Scope, s.scope == haystackOIScope, s.scope == llamaIndexScope:
		return "CHAIN"
	case s.scope == smolagentsScope && strings.HasSuffix(s.span.Name(), smolagentsRun), s.scope == beeAIScope,
		s.text(genAIAgentName, openInferenceNodeName, openInferenceNodeID) != "",
		strings.Contains(strings.ToLower(s.span.Name()), "agent"):
		return "AGENT"
	}
	return "CHAIN"
}
