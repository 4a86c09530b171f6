package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Langfuse: its SDKs, and their handlers for LangChain.
//
// Source: https://github.com/langfuse/langfuse-js, packages/tracing/src/attributes.ts and
// packages/langchain/src/CallbackHandler.ts; https://github.com/langfuse/langfuse-python, langfuse/_client/attributes.py,
// langfuse/_client/observe.py and langfuse/langchain/CallbackHandler.py.
const (
	langfuseType      = "langfuse.observation.type"
	langfuseInput     = "langfuse.observation.input"  // JSON text, a string as it is
	langfuseOutput    = "langfuse.observation.output" // in the same form
	langfuseLevel     = "langfuse.observation.level"
	langfuseAgentName = "langfuse.observation.metadata.lc_agent_name"
	langfuseNode      = "langfuse.observation.metadata.langgraph_node"
	langfuseThread    = "langfuse.observation.metadata.thread_id"
	langfuseCallID    = "langfuse.observation.metadata.tool_call_id"  // by LangChain for Python since langchain-core 1.1
	langfuseModelType = "langfuse.observation.metadata.ls_model_type" // by LangChain: "chat", in Python with its quotes
	langfuseModel     = "langfuse.observation.model.parameters"       // JSON text
	langfuseFirst     = "langfuse.observation.completion_start_time"  // of a response that came in pieces
	langfuseSession   = "langfuse.session.id"                         // in older versions
	// langfuseMasked is what the documentation's masking functions leave of a value. Others are read as content.
	langfuseMasked = "***"
)

// readLangfuse knows every type of observation. Spans keep their status unset; the level says whether there was an error.
//
// A span, a chain or an event can be anything. If it names its operation by the conventions, their dialect reads it.
func readLangfuse(s source) (Reading, bool) {
	switch kind := s.marker(langfuseType); kind {
	case "tool":
		return s.langfuseCall(), true
	case "generation":
		return s.langfuseGeneration(), true
	case "agent":
		return s.langfuseGroup(), true
	case "span", "chain", "event":
		switch {
		case s.isConventional():
			return Reading{}, false
		case kind == "event":
			return Reading{}, true
		}
		return s.langfuseGroup(), true
	case "retriever", "embedding", "evaluator", "guardrail":
		return Reading{}, true
	}
	return Reading{}, false
}

// langfuseGeneration reads the requests of a model if an integration wrote the response. Langfuse writes a text as it is. So
// an application's text may look like a message with calls in it.
func (s *source) langfuseGeneration() Reading {
	r := Reading{
		Role:         ModelCall,
		Conversation: s.langfuseConversation(),
		Traits:       MessagesOnly, // an application may well observe its model and not its tools
	}
	if s.langfuseText(langfuseNode) != "" {
		r.Traits = 0 // LangGraph runs the tools, and the handler writes a span for each
	}
	if s.writesMessage() {
		r.Messages = LangfuseMessages
	}
	return r
}

// writesMessage reports whether the response is a message, in which a model's text is only a member. LangChain's handlers
// write one for every chat model, and the integrations of OpenAI's client for a response that came in one piece. The model's
// parameters show it: the integration for JavaScript blanks response_format, and the one for Python always has five.
func (s *source) writesMessage() bool {
	if unquoted(s.text(langfuseModelType)) == chat {
		return true
	}
	if _, streamed := s.attributes.Get(langfuseFirst); streamed {
		return false
	}
	parameters, err := scoring.Decode(s.marker(langfuseModel))
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

// langfuseGroup finds the agents of LangChain by their name. In JavaScript their spans have no particular type. In Python
// everything with "agent" in its name is of type agent, so also the node of that name in a graph.
func (s *source) langfuseGroup() Reading {
	r := Reading{Role: Agent, Agent: s.spanName(), Conversation: s.langfuseConversation()}
	node := s.langfuseText(langfuseNode)
	switch {
	case runsAgent(r.Agent, s.langfuseText(langfuseAgentName), node):
		return r
	case s.marker(langfuseType) == "agent":
		if isInnerChain(r.Agent, node) {
			return Reading{}
		}
		return r
	case s.span.ParentSpanID().IsEmpty():
		r.Role = Workflow
		return r
	}
	return Reading{}
}

func (s *source) langfuseConversation() string {
	if id := s.text(sessionID, langfuseSession); id != "" {
		return id
	}
	return s.langfuseText(langfuseThread)
}

// langfuseText is a text of the metadata, which the SDK for Python writes as JSON, with its quotes.
func (s *source) langfuseText(key string) string { return unquoted(s.text(key)) }

func (s *source) langfuseCall() Reading {
	r := Reading{
		Role:         ToolCall,
		Conversation: s.langfuseConversation(),
		CallID:       unquoted(s.text(langfuseCallID)),
		Call: scoring.Call{
			Name:      s.spanName(),
			Arguments: s.langfuseValue(langfuseInput),
			Output:    s.langfuseValue(langfuseOutput),
			Status:    s.status(),
		},
	}
	if s.marker(langfuseLevel) == "ERROR" {
		r.Call.Status = scoring.StatusFailed
	}
	if s.text(langfuseCallID, langfuseNode, langfuseAgentName) != "" { // LangChain called the tool
		return r.withContent(r.Call.Output)
	}
	if strings.HasPrefix(s.marker(langfuseInput), `{"`) { // the decorator for Python writes JSON
		r.setArguments(wrapped.Function(r.Call.Arguments, wrapped.Args, wrapped.Kwargs))
	}
	return r
}

// langfuseValue also reads the Python form of a dictionary, which is what LangChain gives to its callbacks as text.
func (s *source) langfuseValue(key string) scoring.Payload {
	text := s.marker(key)
	switch {
	case text == langfuseMasked:
		return scoring.Payload{}
	case strings.HasPrefix(text, "{'"):
		return pyliteral.Payload(text)
	}
	return s.payload(key)
}
