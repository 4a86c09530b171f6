package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Spring AI, through Micrometer's observations.
//
// Source: https://github.com/spring-projects/spring-ai,
// spring-ai-model/src/main/java/org/springframework/ai/tool/observation/DefaultToolCallingObservationConvention.java,
// ToolCallingObservationDocumentation.java and ToolCallingContentObservationFilter.java beside it, and
// spring-ai-client-chat/src/main/java/org/springframework/ai/chat/client/observation.
const (
	springAIKind         = "spring.ai.kind"
	springAIName         = "spring.ai.tool.definition.name"
	springAICallID       = "spring.ai.tool.call.id"
	springAIArguments    = "spring.ai.tool.call.arguments" // JSON text; only where the application includes content
	springAIResult       = "spring.ai.tool.call.result"    // JSON text as well: a returned string is quoted
	springAIConversation = "spring.ai.chat.client.conversation.id"

	springAIToolCall = "tool_call" // a kind, and the first word of the span's name
)

// readSpringAI recognizes two kinds: a tool's call, and one response of a chat client. The client runs the tools that its
// model requests, so its span represents an agent without a name. Model calls have no kind and are in the form of the
// conventions. Advisors and vector stores are Nothing.
func readSpringAI(s source) (Reading, bool) {
	switch s.marker(springAIKind) {
	case springAIToolCall:
		return Reading{
			Role:         ToolCall,
			Conversation: s.springAIConversation(),
			CallID:       s.text(springAICallID, genAICallID),
			Call: scoring.Call{
				Name:      s.springAIName(),
				Arguments: s.payload(springAIArguments, genAIArguments),
				Output:    contentList(s.payload(springAIResult, genAIResult)),
				Status:    s.status(),
			},
		}, true
	case "chat_client":
		return Reading{Role: Agent, Agent: s.text(genAIAgentName), Conversation: s.springAIConversation()}, true
	}
	return Reading{}, false
}

func (s *source) springAIConversation() string {
	return s.text(springAIConversation, genAIConversation, sessionID)
}

// springAIName falls back to the span's name, which is "tool_call X" or, in newer versions, "execute_tool X".
func (s *source) springAIName() string {
	if name := s.text(springAIName, genAIToolName); name != "" {
		return name
	}
	if name, ok := nameAfter(s.spanName(), springAIToolCall); ok {
		return name
	}
	return s.genAIToolName()
}
