package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Pydantic AI. Its spans follow the conventions from version 3 of its telemetry on; before, some keys were its own.
//
// Source: https://github.com/pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/_instrumentation.py and
// pydantic_ai_slim/pydantic_ai/capabilities/instrumentation.py.
const (
	pydanticArguments = "tool_arguments" // versions 1 and 2
	pydanticResponse  = "tool_response"  // in the same form
	pydanticAgent     = "agent_name"
	pydanticDeferral  = "pydantic_ai.tool.deferral.name"
	// The names of spans in versions 1 and 2. What runs several tools is "running 2 tools".
	pydanticRunningTool   = "running tool"
	pydanticRunning       = "running "
	pydanticAgentRun      = "agent run"
	pydanticOutput        = "running output function"
	pydanticOutputMessage = pydanticOutput + ": " // the start of logfire.msg
)

// readPydantic is asked about every span of the scope. Model calls are as the conventions have them.
func readPydantic(s source) (Reading, bool) {
	operation, name := s.marker(genAIOperation), s.span.Name()
	switch {
	case s.pydanticOutput():
		return Reading{}, true
	case operation == executeTool, name == pydanticRunningTool:
		return s.pydanticCall(), true
	case operation == invokeAgent, name == pydanticAgentRun:
		return Reading{
			Role:         Agent,
			Agent:        s.text(genAIAgentName, pydanticAgent),
			Conversation: s.logfireConversation(),
		}, true
	case operation == "" && strings.HasPrefix(name, pydanticRunning):
		return Reading{}, true
	}
	return Reading{}, false
}

// pydanticOutput recognizes the function that turns a model response into the run's result. Its span looks like that of a
// tool, with the tool's name if the response came through one. But the model requested no tool. From version 3 on only the
// message shows it.
func (s *source) pydanticOutput() bool {
	return s.span.Name() == pydanticOutput || strings.HasPrefix(s.marker(logfireMessage), pydanticOutputMessage)
}

func (s *source) pydanticCall() Reading {
	name := s.genAIToolName()
	r := Reading{
		Role:         ToolCall,
		Conversation: s.logfireConversation(),
		CallID:       s.text(genAICallID),
		Call: scoring.Call{
			Name:      name,
			Arguments: s.unscrubbed(genAIArguments, pydanticArguments),
			Output:    s.unscrubbed(genAIResult, pydanticResponse),
			Status:    s.status(),
		},
	}
	// A call that waits for approval or is made elsewhere ends its span with an exception, before version 5 also with
	// an error's status. It has not failed.
	if s.text(pydanticDeferral) != "" {
		r.Call.Status = scoring.StatusUnset
	}
	return r
}
