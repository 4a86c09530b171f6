package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// pydanticOutput is the name of a span in versions 1 and 2, and the start of logfire.msg since then.
const pydanticOutput = "running output function"

// pydanticRole is asked about every span of the scope. Model calls are as the conventions have them. A function that turns a model response
// into the run's result has a span like that of a tool, with the tool's name if the response came through one. But the model requested no
// tool. From version 3 on only the message shows it. In versions 1 and 2, what runs several tools is "running 2 tools".
func pydanticRole(s *source) (Role, bool) {
	operation, name := s.marker(genAIOperation), s.span.Name()
	switch {
	case name == pydanticOutput, strings.HasPrefix(s.marker("logfire.msg"), pydanticOutput+": "):
		return Nothing, true
	case operation == executeTool, name == "running tool", operation == "" && strings.HasPrefix(name, executeTool+" "):
		return ToolCall, true
	case operation == invokeAgent, name == "agent run":
		return Agent, true
	}
	return Nothing, operation == "" && strings.HasPrefix(name, "running ")
}

// pydanticExceptions: a call that waits for approval or is made elsewhere ends its span with an exception, before version 5 also with an
// error's status. It has not failed.
func pydanticExceptions(s *source, r *Reading) {
	if r.Role == Agent && s.hasTranscript() {
		r.Messages = AgentMessages
	}
	if s.text("pydantic_ai.tool.deferral.name") != "" {
		r.Call.Status = scoring.StatusUnset
	}
}
