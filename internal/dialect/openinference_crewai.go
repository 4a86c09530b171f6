package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference for CrewAI has three forms of a tool's arguments. Until February 2026 they are parameters of a framework
// method, which include the call. Since then they are those of the tool's own method. If it listens to the framework's
// events, they are as in the event, which may be the model's text.
//
// Source: https://github.com/Arize-ai/openinference, python/instrumentation/openinference-instrumentation-crewai/src/
// openinference/instrumentation/crewai: _wrappers.py and _event_listener.py; https://github.com/crewAIInc/crewAI,
// lib/crewai/src/crewai/tools/tool_calling.py.
const (
	crewAIScope   = "openinference.instrumentation.crewai"
	crewAICalling = "calling"
	crewAIUse     = "._use" // how the names of spans of that method end
)

// crewAIName is the name of a tool as the model saw it, which stands first in the description. tool.name may have spaces in their place.
func (s *source) crewAIName() string {
	line, _, _ := strings.Cut(s.marker("tool.description"), "\n")
	name, ok := strings.CutPrefix(line, "Tool Name: ")
	if !ok || toolname.Key(name) != toolname.Key(s.text(openInferenceToolName)) {
		return ""
	}
	return valid(name)
}

// crewAIArguments are those in the framework's description of the call. Where that is no object, but what Python shows of one, they are not
// known.
func (s *source) crewAIArguments(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	if v.Kind() == scoring.String {
		if arguments, ok := objectOf(v); ok {
			return arguments
		}
	}
	if !hasExactly(v, "tool_string", "tool", crewAICalling) || !strings.HasSuffix(s.span.Name(), crewAIUse) {
		return p
	}
	if calling := at(v, crewAICalling); hasExactly(calling, "tool_name", "arguments") {
		return unwrapRequest(payloadOf(calling))
	}
	return scoring.Payload{}
}
