package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// VoltAgent.
//
// Source: https://github.com/VoltAgent/voltagent, packages/core/src/agent/open-telemetry/trace-context.ts and
// packages/core/src/agent/agent.ts.
const (
	voltAgentType         = "span.type"
	voltAgentTool         = "tool.name"
	voltAgentCallID       = "tool.call.id"
	voltAgentInput        = "input"  // JSON text; tool.parameters is the tool's schema
	voltAgentOutput       = "output" // JSON text
	voltAgentState        = "agent.state"
	voltAgentEntity       = "entity.name"   // on every span: the agent, and below a subagent the agent above it
	voltAgentSubagent     = "subagent.name" // on every span of a subagent
	voltAgentEntityType   = "entity.type"
	voltAgentConversation = "conversation.id"
	voltAgentThread       = "voltagent.conversation_id"
	voltAgentSpanPrefix   = "tool.execution:"
)

// readVoltAgent recognises a run's own span by its missing type and its state: the attributes that name the agent are
// repeated on every span below. One span represents all of the model's responses, and has no calls in it.
func readVoltAgent(s source) (Reading, bool) {
	switch s.marker(voltAgentType) {
	case "tool":
		return s.voltAgentCall(), true
	case "":
		return s.voltAgentRun(), true
	}
	return Reading{}, true
}

func (s *source) voltAgentCall() Reading {
	name := s.text(voltAgentTool)
	if name == "" {
		name = strings.TrimPrefix(s.spanName(), voltAgentSpanPrefix)
	}
	return Reading{
		Role:         ToolCall,
		Conversation: s.voltAgentConversation(),
		CallID:       s.text(voltAgentCallID),
		Call: scoring.Call{
			Name:      name,
			Arguments: s.visibleArguments(voltAgentInput),
			Output:    contentList(s.visible(voltAgentOutput)),
			Status:    s.genAIStatus(),
		},
	}
}

func (s *source) voltAgentRun() Reading {
	r := Reading{Conversation: s.voltAgentConversation()}
	switch kind := s.marker(voltAgentEntityType); {
	case kind == "workflow":
		r.Role, r.Agent = Workflow, s.text(voltAgentEntity)
	case kind == "agent" && s.text(voltAgentState) != "":
		r.Role, r.Agent = Agent, s.text(voltAgentSubagent, voltAgentEntity)
	default:
		return Reading{}
	}
	return r
}

func (s *source) voltAgentConversation() string {
	return s.text(voltAgentConversation, voltAgentThread, genAIConversation, sessionID)
}
