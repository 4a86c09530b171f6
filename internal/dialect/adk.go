package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

const (
	adkScope     = "gcp.vertex.agent"
	adkArguments = "gcp.vertex.agent.tool_call_args" // JSON text
	adkResponse  = "gcp.vertex.agent.tool_response"  // JSON text, always an object

	adkCallModel = "call_llm" // the name of a span

	// Values that mean none.
	adkNotSpecified = "<not specified>"
	// A span for the joined response of parallel calls, which also have spans of their own.
	adkMerged = "(merged)"
	// The type and the description of a tool that there is not.
	adkNoTool = "BaseTool"
)

var adkSpans = []meaning{{"invocation", Workflow}, {adkCallModel, ModelCall}}

// adkRole goes by the span's name where there is no operation. The conventions know the rest, among it what newer versions write:
// invoke_workflow, and generate_content below call_llm.
func adkRole(s *source) (Role, bool) {
	if s.marker(genAIOperation) != "" {
		return genAIRole(s)
	}
	if role, known := roleIn(adkSpans, s.span.Name()); known {
		return role, true
	}
	if _, ok := nameAfter(s.span.Name(), executeTool); ok {
		return ToolCall, true
	}
	if s.nameIn(names{spans: adkAgentSpans}) != "" {
		return Agent, true
	}
	return Nothing, s.marker(openInferenceKind) == ""
}

// adkAgentSpans are how agents' spans are named, the second until the middle of 2025.
var adkAgentSpans = []string{"invoke_agent *", "agent_run [*]"}

// adkExceptions: a tool's span gets its attributes after the tool has returned, in JavaScript and, until 2025, in Python. So a span
// without attributes is a call that failed.
func adkExceptions(s *source, r *Reading) {
	if r.Role == ModelCall && s.span.Name() != adkCallModel {
		r.Messages = GenAIMessages
	}
	if r.Role != ToolCall {
		return
	}
	if s.marker(genAIOperation) == "" {
		*r = Reading{Role: ToolCall, Call: scoring.Call{Name: r.Call.Name, Status: scoring.StatusFailed}}
		return
	}
	if s.isADKPlaceholder(r.Call.Name) {
		*r = Reading{}
		return
	}
	if s.isADKUnknown() {
		r.Traits |= NotMade
	}
	if r.CallID == adkNotSpecified {
		r.CallID = ""
	}
	arguments, output := s.adkContent()
	r.Call.Arguments, r.Call.Output = arguments.Or(r.Call.Arguments), output.Or(r.Call.Output)
}

// isADKPlaceholder reports whether the span of a call is the joined response of several, whatever its scope: an instrumentation may put its
// own in place of ADK's. A server may give a tool any name, so the name alone proves nothing. The joined response has the ID of its event,
// while a call has its own.
func (s *source) isADKPlaceholder(name string) bool {
	if name != "(merged tools)" && name != adkMerged {
		return false
	}
	event, id := s.text("gcp.vertex.agent.event_id"), s.text(conventions.id...) // which the SDK for Go left out
	return event != "" && (id == event || id == "")
}

// isADKUnknown reports whether there is no such tool. For a name that the model made up, ADK makes a tool of its base class. Tools of
// applications and servers have classes of their own. The SDK for Go writes no class, but that the call failed.
func (s *source) isADKUnknown() bool {
	if s.scope != adkScope && s.text("gcp.vertex.agent.event_id") == "" {
		return false
	}
	class := s.marker(genAIToolType)
	return (class == adkNoTool || class == "" && s.status() == scoring.StatusFailed) && s.marker(genAIToolDescription) == "Tool not found"
}

// adkContent distinguishes a call without arguments from one whose content was not captured. Without content both arguments
// and response are {}. A tool that really takes and returns nothing is rare enough to be misread.
func (s *source) adkContent() (arguments, output scoring.Payload) {
	noArguments, noResponse := s.adkEmpty(adkArguments), s.adkEmpty(adkResponse)
	if !noResponse || !noArguments {
		arguments, output = decodedTwice(s.visible(adkArguments)), s.visible(adkResponse)
	}
	if arguments == scoring.JSON("<not serializable>") {
		arguments = scoring.Payload{}
	}
	return arguments, adkResult(output)
}

// adkEmpty reports whether key holds nothing, or what ADK writes in place of content.
func (s *source) adkEmpty(key string) bool {
	p := s.payload(key)
	return p == (scoring.Payload{}) || p == scoring.JSON("{}")
}

// adkResult unwraps {"result": ...}. ADK puts it around whatever is no object, because the model's interface takes
// only objects. An object inside was the tool's own doing, and stays.
func adkResult(p scoring.Payload) scoring.Payload {
	v, ok := p.Value()
	if !ok || v.Len() != 1 {
		return p
	}
	result, ok := v.Member("result")
	switch {
	case !ok || result.Kind() == scoring.Object:
		return p
	case result.Kind() == scoring.String && result.Text() == adkNotSpecified:
		return scoring.Payload{}
	}
	return scoring.JSON(string(appendValue(nil, result)))
}
