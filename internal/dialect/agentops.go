package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// AgentOps: the decorators of its SDK, and its instrumentations of agent frameworks.
//
// Source: https://github.com/AgentOps-AI/agentops, agentops/semconv/{span_attributes,tool,agent,status,span_kinds}.py
// and agentops/sdk/decorators/utility.py. The decorators' keys changed twice.
const (
	agentOpsKind         = "agentops.span.kind"
	agentOpsEntity       = "agentops.entity.name"
	agentOpsOperation    = "operation.name"
	agentOpsOldOperation = "agentops.operation.name"
	agentOpsInput        = "agentops.tool.input"
	agentOpsOutput       = "agentops.tool.output"
	agentOpsOldInput     = "agentops.entity.input"
	agentOpsOldOutput    = "agentops.entity.output"
	agentOpsResult       = "tool.result"
	agentOpsStatus       = "tool.status"
)

// readAgentOps leaves model calls, whose keys are the conventions', to the dialects after it.
func readAgentOps(s source) (Reading, bool) {
	switch kind := s.marker(agentOpsKind); kind {
	case "tool":
		return s.agentOpsCall(), true
	case "agent":
		return s.agentOpsGroup(Agent, s.agentOpsName(openInferenceAgentName, kind)), true
	case "workflow", "session", "team":
		return s.agentOpsGroup(Workflow, s.agentOpsName("", kind)), true
	}
	return Reading{}, false
}

func (s *source) agentOpsGroup(role Role, name string) Reading {
	return Reading{Role: role, Agent: name, Conversation: s.text(genAIConversation, sessionID)}
}

// agentOpsName falls back to the span's name, which is the function's with the kind behind it.
func (s *source) agentOpsName(key, kind string) string {
	if name := s.text(key, agentOpsEntity, agentOpsOperation, agentOpsOldOperation); name != "" {
		return name
	}
	return strings.TrimSuffix(s.spanName(), "."+kind)
}

func (s *source) agentOpsCall() Reading {
	call := scoring.Call{
		Name:   s.agentOpsName(openInferenceToolName, "tool"),
		Output: s.payload(agentOpsOutput, agentOpsOldOutput, agentOpsResult),
		Status: s.status(),
	}
	if s.text(agentOpsStatus) == "failed" {
		call.Status = scoring.StatusFailed
	}
	r := Reading{
		Role:         ToolCall,
		Conversation: s.text(genAIConversation, sessionID),
		CallID:       s.text(openInferenceToolID),
		Call:         call,
	}
	r.setArguments(s.agentOpsArguments())
	return r
}

// agentOpsArguments undoes the form of the decorators. The instrumentations of frameworks write what the model wrote.
func (s *source) agentOpsArguments() (arguments scoring.Payload, unnamed bool) {
	input := s.payload(agentOpsInput, agentOpsOldInput)
	if input == (scoring.Payload{}) {
		return s.payload(openInferenceParameters), false
	}
	if strings.HasPrefix(s.scope, agentOpsFramework) {
		return input, false
	}
	return wrapped.Function(input, wrapped.Args, wrapped.Kwargs)
}
