package dialect

// Mastra, through its exporter for OpenTelemetry. The type says what a span is, and the conventions' keys have the rest.
//
// Source: https://github.com/mastra-ai/mastra, observability/otel-exporter/src/gen-ai-semantics.ts.
const (
	mastraType    = "mastra.span.type"
	mastraThread  = "mastra.metadata.threadId"
	mastraSession = "mastra.metadata.sessionId"
)

// readMastra recognizes all types. A call that is left to the client was not executed here and is Nothing; so is a call of
// an unknown tool. The steps and the chunks of a model's response are Nothing too, because they repeat its calls.
func readMastra(s source) (Reading, bool) {
	kind := s.marker(mastraType)
	switch kind {
	case "":
		return Reading{}, false
	case "tool_call", "mcp_tool_call", "provider_tool_call":
		return s.inThread(s.genAICall()), true
	case "agent_run":
		return s.inThread(Reading{Role: Agent, Agent: s.genAIName(genAIAgentName, invokeAgent)}), true
	case "workflow_run":
		return s.inThread(Reading{Role: Workflow, Agent: s.genAIName(genAIWorkflow, invokeWorkflow)}), true
	case "model_generation", "model_inference", "llm_generation":
		return s.mastraModel(), true
	}
	return Reading{}, true
}

// mastraModel is a model response. Newer versions put model_inference inside of model_generation, which sums up the whole
// loop; then only the inner one is a chat.
func (s *source) mastraModel() Reading {
	if s.marker(genAIOperation) != chat {
		return Reading{}
	}
	return s.inThread(Reading{Role: ModelCall, Messages: GenAIMessages})
}

// inThread adds the conversation, which is Mastra's thread.
func (s *source) inThread(r Reading) Reading {
	r.Conversation = s.text(genAIConversation, mastraThread, mastraSession, sessionID)
	return r
}
