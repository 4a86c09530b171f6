package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenTelemetry's instrumentation of Google's Gen AI SDK for Python. It follows the conventions, and describes each argument of the Python function
// separately: as attributes, in newer versions as members of one object. Source: https://github.com/open-telemetry/opentelemetry-python-contrib and,
// for newer versions, https://github.com/open-telemetry/opentelemetry-python-genai.
const googleParameter = "code.function.parameters." // followed by the argument's name and type or value

// isGoogleGenAI reports whether that instrumentation wrote the span of a call. Some versions write it in the scope of a module
// that other instrumentations use as well. These say the call's ID or the tool's type.
func (s *source) isGoogleGenAI() bool {
	return strings.Contains(s.scope, "google_genai") || s.scope == "opentelemetry.util.genai.handler" && s.text(genAICallID, genAIToolType) == ""
}

func isGoogleNested(text string) bool { return strings.HasPrefix(text, `{"`+googleParameter) }

// googleNested joins arguments that are described in one object. Members of another form are a model's own, so then all stays as it is.
func googleNested(p scoring.Payload) scoring.Payload {
	var arguments []byte
	var text string // the argument whose value is a text: a type stands before its value
	described, _ := p.Value()
	for key, v := range described.Members() {
		described, _ := cutKey(key, googleParameter)
		switch name, about := cutLast(described, '.'); {
		case name == "", about != "type" && about != "value":
			return p
		case about == "value":
			// What JSON has no type for is written as Python writes it.
			if list, _ := pythonLiteral("[" + v.Text() + "]").Value(); name != text && list.Len() == 1 {
				v = head(list)
			}
			arguments = appendValue(appendName(arguments, name), v)
		case v.Text() == "str":
			text = name
		}
	}
	return closed(arguments)
}

// googleArguments joins arguments that are described in attributes.
func (s *source) googleArguments() scoring.Payload {
	var described []byte
	for key, v := range s.attributes.All() {
		rest, _ := cutKey(key, googleParameter)
		if name, about := cutLast(rest, '.'); name != "" && (about == "type" || about == "value") {
			var ok bool
			if described, ok = attributes.AppendJSON(appendName(described, key), v); !ok {
				return scoring.TooLarge()
			}
		}
	}
	if described == nil && s.text("code.args.positional.count") == "0" && s.text("code.args.keyword.count") == "0" {
		return scoring.JSON("{}")
	}
	return googleNested(closed(described))
}

const (
	adkScope        = "gcp.vertex.agent"
	adkArguments    = "gcp.vertex.agent.tool_call_args" // JSON text
	adkResponse     = "gcp.vertex.agent.tool_response"  // JSON text, always an object
	adkCallModel    = "call_llm"                        // the name of a span
	adkRustSubAgent = "agent_tool.name"
	adkNotSpecified = "<not specified>"
)

var adkSpans = []meaning{
	{"invocation", Workflow}, {adkCallModel, ModelCall}, {"execute_tool *", ToolCall},
	{"invoke_agent *", Agent}, {"agent_run [*", Agent}, // the latter until the middle of 2025
}

// adkRole goes by the span's name where there is no operation. The conventions know the rest, among it what newer versions write.
func adkRole(s *source) (Role, bool) {
	if s.marker(genAIOperation) != "" {
		return genAIRole(s)
	}
	role, known := roleIn(adkSpans, s.span.Name())
	return role, known || s.marker(openInferenceKind) == ""
}

// adkExceptions: some versions write a tool's attributes after the tool has returned. So a span without attributes is a call that failed.
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
	// Without content both are {}. A tool that really takes and returns nothing is rare enough to be misread.
	arguments, output := decodedTwice(s.payload(adkArguments)), s.payload(adkResponse)
	none, empty := scoring.Payload{}, scoring.JSON("{}")
	if (arguments == none || arguments == empty) && (output == none || output == empty) {
		return
	}
	if arguments != scoring.JSON("<not serializable>") {
		r.Call.Arguments = arguments.Or(r.Call.Arguments)
	}
	r.Call.Output = adkResult(output).Or(r.Call.Output)
}

// isADKPlaceholder reports whether the span of a call is the joined response of several, whatever its scope: an instrumentation may put its own in
// place of ADK's. A server may give a tool any name; but the joined response has the ID of its event, while a call has its own.
func (s *source) isADKPlaceholder(name string) bool {
	if name != "(merged tools)" && name != "(merged)" {
		return false
	}
	event, id := s.text("gcp.vertex.agent.event_id"), s.text(conventions.id...) // which the SDK for Go left out
	return event != "" && (id == event || id == "")
}

// isADKUnknown reports whether there is no such tool. For a name that the model made up, ADK makes a tool of its base class. Tools of
// applications and servers have classes of their own. The SDK for Go writes no class, but that the call failed.
func (s *source) isADKUnknown(r *Reading) bool {
	if s.scope != adkScope && s.text("gcp.vertex.agent.event_id") == "" {
		return false
	}
	class := s.marker(genAIToolType)
	return (class == "BaseTool" || class == "" && r.Call.Status == scoring.StatusFailed) && s.marker(genAIToolDescription) == "Tool not found"
}

// adkResult unwraps {"result": ...}, which ADK puts around whatever is no object. An object inside was the tool's own doing, and stays.
func adkResult(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	result := at(v, "result")
	switch {
	case !hasExactly(v, "result") || result.Kind() == scoring.Object:
		return p
	case result.Text() == adkNotSpecified:
		return scoring.Payload{}
	}
	return scoring.JSON(string(appendValue(nil, result)))
}
