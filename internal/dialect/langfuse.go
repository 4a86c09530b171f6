package dialect

import (
	"strings"

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
	langfuseOutput    = "langfuse.observation.output" // likewise
	langfuseLevel     = "langfuse.observation.level"
	langfuseAgentName = "langfuse.observation.metadata.lc_agent_name"
	langfuseNode      = "langfuse.observation.metadata.langgraph_node"
	langfuseThread    = "langfuse.observation.metadata.thread_id"
	langfuseSession   = "langfuse.session.id" // in older versions
	// langfuseMasked is what the documentation's masking functions leave of a value. Others are read as content.
	langfuseMasked = "***"
)

// readLangfuse knows every type of observation. Spans keep their status unset; errors are told by their level.
//
// A span, a chain or an event can be anything. Where an instrumentation says in the conventions' words what it is, it
// is left to the dialect of those.
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

func (s source) langfuseGeneration() Reading {
	return Reading{
		Role:         ModelCall,
		Conversation: s.langfuseConversation(),
		Messages:     LangfuseMessages,
		Traits:       Sole, // an application may well observe its model and not its tools
	}
}

// langfuseGroup finds the agents of LangChain by their name: in JavaScript their spans are of no particular type,
// and in Python everything with "agent" in its name is of type agent, so also the node of that name in a graph.
func (s source) langfuseGroup() Reading {
	r := Reading{Role: Agent, Agent: s.spanName(), Conversation: s.langfuseConversation()}
	node := s.text(langfuseNode)
	switch {
	case runsAgent(r.Agent, s.text(langfuseAgentName), node):
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

func (s source) langfuseConversation() string {
	return s.text(sessionID, langfuseSession, langfuseThread)
}

func (s source) langfuseCall() Reading {
	r := Reading{
		Role:         ToolCall,
		Conversation: s.langfuseConversation(),
		Call: scoring.Call{
			Name:      s.spanName(),
			Arguments: calledWith(s.langfuseValue(langfuseInput)),
			Output:    s.langfuseValue(langfuseOutput),
			Status:    s.status(),
		},
	}
	if s.marker(langfuseLevel) == "ERROR" {
		r.Call.Status = scoring.StatusFailed
	}
	if message, ok := readToolMessage(r.Call.Output); ok {
		return r.withMessage(message)
	}
	return r
}

// langfuseValue also reads the Python form of a dictionary, which is what LangChain gives to its callbacks as text.
func (s source) langfuseValue(key string) scoring.Payload {
	text := s.marker(key)
	switch {
	case text == langfuseMasked:
		return scoring.Payload{}
	case strings.HasPrefix(text, "{'"):
		return literal(text)
	}
	return s.payload(key)
}
