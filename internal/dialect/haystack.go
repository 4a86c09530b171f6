package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Haystack 3, whose agents write a span for each call. Before, one span recorded all calls of a step and named none
// of them; such a span has neither of the markers.
//
// Source: https://github.com/deepset-ai/haystack, haystack/components/agents/agent.py and tool_calling.py beside it,
// haystack/tracing/opentelemetry.py.
const (
	haystackTool   = "haystack.tool.name"
	haystackSteps  = "haystack.agent.max_steps"       // on an agent's span, which has no name for the agent
	haystackInput  = "haystack.agent.step.tool.input" // JSON text; only where content is traced
	haystackOutput = "haystack.agent.step.tool.output"

	haystackToolSpan  = "haystack.agent.step.tool"
	haystackAgentSpan = "haystack.agent.run"
)

// readHaystack also looks at the span's name: the markers could stand on spans of an application's own.
func readHaystack(s source) (Reading, bool) {
	switch s.span.Name() {
	case haystackToolSpan:
		name := s.text(haystackTool)
		if name == "" {
			return Reading{}, false
		}
		return s.haystackCall(name), true
	case haystackAgentSpan:
		return Reading{Role: Agent, Agent: s.text(genAIAgentName), Conversation: s.text(genAIConversation, sessionID)}, true
	}
	return Reading{}, false
}

// haystackCall ignores {"error": "..."} in the output. Haystack writes it for a failed tool, but a tool may also return it,
// and nothing else in the span shows the difference.
func (s *source) haystackCall(name string) Reading {
	return Reading{
		Role:         ToolCall,
		Conversation: s.text(genAIConversation, sessionID),
		Call: scoring.Call{
			Name:      name,
			Arguments: s.payload(haystackInput),
			Output:    s.payload(haystackOutput),
			Status:    s.status(),
		},
	}
}
