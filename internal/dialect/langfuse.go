package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	langfuseType      = "langfuse.observation.type"
	langfuseInput     = "langfuse.observation.input"  // JSON text, a string as it is
	langfuseOutput    = "langfuse.observation.output" // in the same form
	langfuseAgentName = "langfuse.observation.metadata.lc_agent_name"
	langfuseNode      = "langfuse.observation.metadata.langgraph_node"
	langfuseCallID    = "langfuse.observation.metadata.tool_call_id" // by LangChain for Python since langchain-core 1.1
)

var langfuseTypes = []meaning{
	{"tool", ToolCall}, {"generation", ModelCall}, {"retriever", Nothing}, {"embedding", Nothing}, {"evaluator", Nothing}, {"guardrail", Nothing},
}

// langfuseRole knows every type of observation. A span, a chain or an event can be anything. If it names its operation by the conventions,
// their dialect reads it. The agents of LangChain are found by their name. In JavaScript their spans have no particular type. In Python
// everything with "agent" in its name is of type agent, so also the node of that name in a graph.
func langfuseRole(s *source) (Role, bool) {
	kind := s.marker(langfuseType)
	switch kind {
	case "agent", "span", "chain", "event":
		switch {
		case kind != "agent" && s.isConventional():
			return Nothing, false
		case kind == "event":
			return Nothing, true
		}
		node := s.text(langfuseNode)
		switch role := s.chainRole(s.spanName(), s.text(langfuseAgentName), node); {
		case role == Agent || kind != "agent":
			return role, true
		case isInnerChain(s.spanName(), node):
			return Nothing, true
		}
		return Agent, true
	}
	return roleIn(langfuseTypes, kind)
}

// langfuseExceptions reads the requests of a model if an integration wrote the response. Langfuse writes a text as it is. So an
// application's text may look like a message with calls in it.
func langfuseExceptions(s *source, r *Reading) {
	switch r.Role {
	case ModelCall:
		if s.text(langfuseNode) == "" { // else LangGraph runs the tools, and the handler writes a span for each
			r.Traits = MessagesOnly // an application may well observe its model and not its tools
		}
		if s.writesMessage() {
			r.Messages = LangfuseMessages
		}
	case ToolCall:
		if s.text(langfuseCallID, langfuseNode, langfuseAgentName) != "" { // LangChain called the tool
			r.withContent(r.Call.Output)
			return
		}
		if strings.HasPrefix(s.marker(langfuseInput), `{"`) { // the decorator for Python writes JSON
			r.setArguments(unwrapFunction(r.Call.Arguments, "args", "kwargs"))
		}
	}
}

// writesMessage reports whether the response is a message, in which a model's text is only a member. LangChain's handlers
// write one for every chat model, and the integrations of OpenAI's client for a response that came in one piece. The model's
// parameters show it: the integration for JavaScript blanks response_format, and the one for Python always has five.
func (s *source) writesMessage() bool {
	if s.text("langfuse.observation.metadata.ls_model_type") == chat {
		return true
	}
	if _, streamed := s.attributes.Get("langfuse.observation.completion_start_time"); streamed {
		return false
	}
	parameters, err := scoring.Decode(s.marker("langfuse.observation.model.parameters"))
	if err != nil || parameters.Kind() != scoring.Object {
		return false
	}
	if is(parameters, "response_format", "") {
		return !at(parameters, "stream").Bool()
	}
	for _, keys := range [...][]string{
		{"temperature"}, {"max_tokens", "max_completion_tokens"}, {"top_p"}, {"frequency_penalty"}, {"presence_penalty"},
	} {
		if first(parameters, keys...).Kind() == scoring.Null {
			return false
		}
	}
	return true
}

// langfuseValue also reads the Python form of a dictionary, which is what LangChain gives to its callbacks as text.
func langfuseValue(v pcommon.Value) scoring.Payload {
	if v.Type() == pcommon.ValueTypeStr && strings.HasPrefix(v.Str(), "{'") {
		return pyliteral.Payload(v.Str())
	}
	return structured(v)
}
