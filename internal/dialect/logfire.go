package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Logfire's integrations of the OpenAI Agents SDK, and of the clients of OpenAI and Anthropic. Its other integrations
// write the conventions' keys.
//
// Source: https://github.com/pydantic/logfire, logfire/_internal/integrations/openai_agents.py and llm_providers,
// tests/otel_integrations/test_openai_agents.py; scrubbing: logfire/_internal/scrubbing.py.
const (
	logfireTemplate = "logfire.msg_template"
	logfireMessage  = "logfire.msg"
	logfireName     = "name"
	logfireInput    = "input"  // JSON text, as the model wrote it
	logfireOutput   = "output" // the result's text: JSON, or what Python shows of a value
	logfireError    = "error"  // there if the call failed; the span's status is not set
	logfireGroup    = "group_id"

	logfireAgentsScope    = "logfire.openai_agents"
	logfireOpenAIScope    = "logfire.openai"
	logfireAnthropicScope = "logfire.anthropic"

	logfireFunction  = "Function: "
	logfireAnthropic = "Message with " // how the template of Anthropic's model calls begins
	logfireNull      = "null"          // written for a missing value
	logfireScrubbed  = "[Scrubbed due to "
)

// readLogfire recognizes the templates of the integrations. All other spans of an application that uses Logfire have a
// template too, and are left to the dialects after it.
func readLogfire(s source) (Reading, bool) {
	if !s.isLogfireIntegration() {
		return Reading{}, false
	}
	switch template := s.marker(logfireTemplate); {
	case template == logfireFunction+"{name}":
		return s.logfireCall(), true
	case template == "Agent run: {name!r}":
		return Reading{Role: Agent, Agent: s.text(logfireName), Conversation: s.logfireConversation()}, true
	case template == "OpenAI Agents trace: {name}":
		return Reading{Role: Workflow, Agent: s.text(logfireName), Conversation: s.logfireConversation()}, true
	case isLogfireResponse(template) && s.hasLogfireResponse():
		return s.logfireModelCall(), true
	}
	return Reading{}, false
}

// isLogfireIntegration reports whether the span is of an integration. An application's own span may have any template.
func (s *source) isLogfireIntegration() bool {
	switch s.scope {
	case logfireAgentsScope, logfireOpenAIScope, logfireAnthropicScope:
		return true
	}
	return s.text(genAISystem, genAIProvider) != ""
}

// isLogfireResponse recognizes the templates of model calls. A streamed response is on a span of its own, after the one of
// the request.
func isLogfireResponse(template string) bool {
	for _, start := range [...]string{"Chat Completion with ", logfireAnthropic, "streaming response from "} {
		if strings.HasPrefix(template, start) {
			return true
		}
	}
	return false
}

// hasLogfireResponse reports whether the response is written as the provider gave it. Newer versions, and the integration of
// the Responses API, write it in the form of the conventions.
func (s *source) hasLogfireResponse() bool {
	_, given := s.attributes.Get(logfireGiven)
	_, answered := s.attributes.Get(logfireResponse)
	return given && answered
}

func (s *source) logfireModelCall() Reading {
	return Reading{
		Role:         ModelCall,
		Conversation: s.logfireConversation(),
		Messages:     LogfireMessages,
		Traits:       messagesOnlyUnless(s.scope),
	}
}

// logfireConversation rejects an id that Logfire replaced as a secret, because all runs would be one conversation. A key with
// "session" in it is enough for that.
func (s *source) logfireConversation() string {
	for _, key := range [...]string{genAIConversation, logfireGroup, sessionID} {
		id := s.text(key)
		if id != "" && id != logfireNull && !strings.HasPrefix(id, logfireScrubbed) {
			return id
		}
	}
	return ""
}

func (s *source) logfireCall() Reading {
	name := s.text(logfireName)
	if name == "" {
		name = strings.TrimPrefix(s.spanName(), logfireFunction)
	}
	call := scoring.Call{
		Name:      name,
		Arguments: s.unscrubbed(logfireInput),
		Output:    s.logfireOutput(),
		Status:    s.status(),
	}
	if failure := s.marker(logfireError); failure != "" && failure != logfireNull {
		call.Status = scoring.StatusFailed
	}
	return Reading{Role: ToolCall, Conversation: s.logfireConversation(), Call: call}
}

// logfireOutput unwraps the one block of content that an MCP server returned.
func (s *source) logfireOutput() scoring.Payload {
	text := s.marker(logfireOutput)
	if text == "" || strings.HasPrefix(text, logfireScrubbed) {
		return s.unscrubbed(logfireOutput)
	}
	return contentList(pyliteral.Payload(text))
}

// unscrubbed reads a payload, unless Logfire found a secret in it and wrote why it left the text out.
func (s *source) unscrubbed(keys ...string) scoring.Payload {
	for _, key := range keys {
		v, ok := s.attributes.Get(key)
		if !ok || v.Type() == pcommon.ValueTypeStr && strings.HasPrefix(v.Str(), logfireScrubbed) {
			continue
		}
		if p := structured(v); p != (scoring.Payload{}) {
			return p
		}
	}
	return scoring.Payload{}
}
