package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// LiveKit Agents. Newer versions mark what may be personal, and add the conventions' keys.
//
// Source: https://github.com/livekit/agents, livekit-agents/livekit/agents/telemetry/trace_types.py and
// livekit-agents/livekit/agents/voice/generation.py; https://github.com/livekit/agents-js, agents/src/telemetry.
const (
	liveKitTool         = "lk.function_tool.name"
	liveKitCallID       = "lk.function_tool.id"
	liveKitArguments    = "lk.pii.function_tool.arguments" // JSON text, as the model wrote it
	liveKitOldArguments = "lk.function_tool.arguments"
	liveKitOutput       = "lk.pii.function_tool.output" // the text that the model is given
	liveKitOldOutput    = "lk.function_tool.output"
	liveKitIsError      = "lk.function_tool.is_error"
)

// readLiveKit recognizes the spans of tools. The turns of a session follow one another like responses to one request, so
// none of them represents a run. Newer versions describe agents in the words of the conventions.
func readLiveKit(s source) (Reading, bool) {
	name := s.text(liveKitTool)
	if name == "" {
		return Reading{}, false
	}
	return Reading{
		Role:         ToolCall,
		Conversation: s.text(genAIConversation, sessionID),
		CallID:       s.text(liveKitCallID, genAICallID),
		Call: scoring.Call{
			Name:      name,
			Arguments: s.payload(liveKitArguments, liveKitOldArguments, genAIArguments),
			Output:    s.liveKitOutput(),
			Status:    s.liveKitStatus(),
		},
	}, true
}

// liveKitOutput reads the tool's result as str() wrote it.
func (s *source) liveKitOutput() scoring.Payload {
	for _, key := range [...]string{liveKitOutput, liveKitOldOutput, genAIResult} {
		if text := s.marker(key); text != "" {
			return pyliteral.Payload(text)
		}
	}
	return s.payload(liveKitOutput, liveKitOldOutput, genAIResult)
}

func (s *source) liveKitStatus() scoring.CallStatus {
	failed, ok := s.attributes.Get(liveKitIsError)
	switch {
	case !ok || failed.Type() != pcommon.ValueTypeBool:
		return s.status()
	case failed.Bool():
		return scoring.StatusFailed
	}
	return scoring.StatusOK
}
