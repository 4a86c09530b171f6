package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// OpenInference for CrewAI, which has written a tool's arguments in three ways: until February 2026 what the framework
// hands from method to method, of which the call is a part; since then what the tool's own method was called with; and
// where it listens to the framework's events, what these have, which may be the text as the model wrote it.
//
// Source: https://github.com/Arize-ai/openinference, python/instrumentation/openinference-instrumentation-crewai/src/
// openinference/instrumentation/crewai: _wrappers.py and _event_listener.py; https://github.com/crewAIInc/crewAI,
// lib/crewai/src/crewai/tools/tool_calling.py.
const (
	crewAIText    = "tool_string"
	crewAITool    = "tool"
	crewAICalling = "calling"
)

func crewAIArguments(p scoring.Payload) scoring.Payload {
	v, ok := p.Value()
	switch {
	case !ok:
		return p
	case v.Kind() == scoring.String:
		if arguments, ok := objectOf(v); ok {
			return arguments
		}
		return p
	case hasOnly(v, crewAIText, crewAITool, crewAICalling):
		return crewAICall(v)
	}
	return calledWith(p)
}

// crewAICall are the arguments in the framework's description of the call. Where that is no object, but what Python
// shows of one, they are not known.
func crewAICall(v scoring.Value) scoring.Payload {
	calling, ok := v.Member(crewAICalling)
	if !ok || !hasOnly(calling, wrappedTool, wrappedArguments) {
		return scoring.Payload{}
	}
	return calledWith(payloadOf(calling))
}
