package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	logfireTemplate = "logfire.msg_template"
	logfireGroup    = "group_id"

	logfireAgentsScope = "logfire.openai_agents"

	logfireAnthropic = "Message with " // how the template of Anthropic's model calls begins
	logfireScrubbed  = "[Scrubbed due to "
)

var logfireTemplates = []meaning{{"Function: {name}", ToolCall}, {"Agent run: {name!r}", Agent}, {"OpenAI Agents trace: {name}", Workflow}}

// logfireRole recognizes the templates of the integrations. All other spans of an application that uses Logfire have a template too, and are
// left to the dialects after it. A streamed response is on a span of its own, after the one of the request. Newer versions, and the
// integration of the Responses API, write a response in the form of the conventions.
func logfireRole(s *source) (Role, bool) {
	switch s.scope {
	case logfireAgentsScope, "logfire.openai", "logfire.anthropic":
	default: // an application's own span may have any template
		if s.text(genAISystem, genAIProvider) == "" {
			return Nothing, false
		}
	}
	template := s.marker(logfireTemplate)
	if role, known := roleIn(logfireTemplates, template); known {
		return role, true
	}
	for _, start := range [...]string{"Chat Completion with ", logfireAnthropic, "streaming response from "} {
		if strings.HasPrefix(template, start) {
			_, given := s.attributes.Get(logfireGiven)
			_, answered := s.attributes.Get(logfireResponse)
			return ModelCall, given && answered
		}
	}
	return Nothing, false
}

// logfireExceptions: an error is there if the call failed; the span's status is not set.
func logfireExceptions(s *source, r *Reading) {
	if r.Role == ModelCall {
		r.Traits = s.messagesOnly()
	} else if failure := s.marker("error"); r.Role == ToolCall && failure != "" && failure != "null" {
		r.Call.Status = scoring.StatusFailed
	}
}

// unscrubbed reads a payload, unless Logfire found a secret in it and wrote why it left the text out.
func unscrubbed(v pcommon.Value) scoring.Payload {
	if v.Type() == pcommon.ValueTypeStr && strings.HasPrefix(v.Str(), logfireScrubbed) {
		return scoring.Payload{}
	}
	return structured(v)
}

// shownByPython is unscrubbed for a result, which is JSON or what Python shows of a value.
func shownByPython(v pcommon.Value) scoring.Payload {
	if p := unscrubbed(v); p == (scoring.Payload{}) {
		return p
	}
	return pythonText(v)
}

const (
	logfireResponse = "response_data"
	logfireGiven    = "request_data"
	genAISystem     = "gen_ai.system"
	genAIProvider   = "gen_ai.provider.name" // the same from version 1.37 of the conventions on
)

// logfireMessages takes Anthropic's arguments out of {"input": ...}, in which Logfire leaves them. Its first versions do not
// name the provider, but their template does.
func (s *source) logfireMessages() ModelResponse {
	a := s.jsonResponse(LogfireMessages)
	if s.text(genAIProvider, genAISystem) != "anthropic" && !strings.HasPrefix(s.marker(logfireTemplate), logfireAnthropic) {
		return a
	}
	for i, call := range a.Requests {
		v, _ := call.Arguments.Value()
		if input, ok := v.Member("input"); ok && v.Len() == 1 {
			a.Requests[i].Arguments = asPayload(input)
		}
	}
	return a
}
