package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// The Vercel AI SDK, versions 4 to 6, and LegacyOpenTelemetry of version 7.
//
// Source: https://github.com/vercel/ai, packages/ai/src/telemetry and packages/ai/src/generate-text.
//
// openinference-vercel adds OpenInference's attributes to the same spans, and the function's id to their names. What
// it adds is derived from the SDK's attributes and says less: the JSON text of a string becomes plain text.
const (
	vercelOperation  = "ai.operationId"
	vercelToolName   = "ai.toolCall.name"
	vercelCallID     = "ai.toolCall.id"
	vercelArguments  = "ai.toolCall.args"      // JSON text
	vercelInput      = "ai.toolCall.input"     // what newer readers of the SDK's spans accept instead
	vercelResult     = "ai.toolCall.result"    // JSON text
	vercelToolCalls  = "ai.response.toolCalls" // JSON text
	vercelFunctionID = "ai.telemetry.functionId"
	vercelResource   = "resource.name"                   // the function's id once more
	vercelSession    = "ai.telemetry.metadata.sessionId" // the application chooses the key; this one is the usual
	vercelContext    = "ai.settings.context.sessionId"   // the same in version 7, on the spans of both its telemetries
)

// readVercel recognizes every span of the SDK. The function's ID is the nearest that the SDK has to an agent's name. A
// function without one is an agent without a name, because the span's own name is the operation's. The steps inside an
// agent, ai.generateText.doGenerate and its like, are model calls.
//
// Everything else is Nothing: embeddings, and ai.generateObject and ai.streamObject with their steps. These can call no
// tools. As agents they would be runs without calls, which fail every expectation.
func readVercel(s source) (Reading, bool) {
	switch s.marker(vercelOperation) {
	case "ai.toolCall":
		return Reading{
			Role:         ToolCall,
			Conversation: s.vercelConversation(),
			CallID:       s.text(vercelCallID, genAICallID),
			Call:         s.vercelCall(),
		}, true
	case "ai.generateText", "ai.streamText":
		return Reading{
			Role:         Agent,
			Agent:        s.text(vercelFunctionID, vercelResource),
			Conversation: s.vercelConversation(),
		}, true
	case "ai.generateText.doGenerate", "ai.streamText.doStream":
		return Reading{Role: ModelCall, Conversation: s.vercelConversation(), Messages: VercelMessages}, true
	case "":
		return Reading{}, false
	}
	return Reading{}, true
}

func (s *source) vercelConversation() string {
	return s.text(genAIConversation, sessionID, vercelSession, vercelContext)
}

// vercelCall also reads the tool's name under the conventions' key. Sentry's SDK renames the attribute and, in its own
// events, the arguments and the result too.
func (s *source) vercelCall() scoring.Call {
	name := s.text(vercelToolName, genAIToolName)
	if name == "" {
		name = s.spanName()
	}
	call := scoring.Call{
		Name:      name,
		Arguments: s.visibleArguments(vercelArguments, vercelInput, sentryInput),
		Output:    s.visible(vercelResult, sentryOutput),
		Status:    s.status(),
	}
	// After a failed call openinference-vercel gives the error's status to every later span of the trace. The SDK writes a
	// result only for a call that succeeded, so a result proves success.
	if call.Output.Captured() && call.Status == scoring.StatusFailed {
		call.Status = scoring.StatusOK
	}
	return call
}
