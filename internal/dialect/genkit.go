package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Genkit, for JavaScript, Go and Python.
//
// Source: https://github.com/firebase/genkit, js/core/src/tracing/instrumentation.ts and js/core/src/action.ts.
const (
	genkitType    = "genkit:type"
	genkitSubtype = "genkit:metadata:subtype"
	genkitName    = "genkit:name"
	genkitInput   = "genkit:input"  // JSON text
	genkitOutput  = "genkit:output" // JSON text
	genkitState   = "genkit:state"
	genkitFailed  = "error"
	genkitSession = "genkit:sessionId"
)

// readGenkit knows the actions. An agent is a flow, at the root or inside of a tool; Genkit has no other word for it
// until its own agents. What generate does between a flow and a model is Nothing.
func readGenkit(s source) (Reading, bool) {
	kind := s.marker(genkitType)
	switch kind {
	case "":
		return Reading{}, false
	case "action":
		kind = s.marker(genkitSubtype)
	}
	switch kind {
	case "tool", "tool.v2":
		return s.genkitCall(), true
	case "flow", "agent":
		return Reading{Role: Agent, Agent: s.genkitName(), Conversation: s.genkitConversation()}, true
	case "model":
		return Reading{Role: ModelCall, Conversation: s.genkitConversation(), Messages: GenkitMessages}, true
	}
	return Reading{}, true
}

func (s *source) genkitCall() Reading {
	call := scoring.Call{
		Name:      s.genkitName(),
		Arguments: s.visibleArguments(genkitInput),
		Output:    s.visible(genkitOutput),
		Status:    s.status(),
	}
	if s.marker(genkitState) == genkitFailed {
		call.Status = scoring.StatusFailed
	}
	return Reading{Role: ToolCall, Conversation: s.genkitConversation(), Call: call}
}

func (s *source) genkitName() string {
	if name := s.text(genkitName); name != "" {
		return name
	}
	return s.spanName()
}

func (s *source) genkitConversation() string {
	return s.text(genkitSession, genAIConversation, sessionID)
}
