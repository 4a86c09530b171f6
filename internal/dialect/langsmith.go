package dialect

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/wrapped"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// LangSmith's SDKs, which export their runs as spans.
//
// Source: https://github.com/langchain-ai/langsmith-sdk, js/src/experimental/otel/{constants,translator}.ts and
// python/langsmith/_internal/otel/_otel_exporter.py.
//
// langsmith.trace.session_name and .session_id are the project, not a conversation.
const (
	langSmithKind           = "langsmith.span.kind"
	langSmithName           = "langsmith.trace.name"
	langSmithInput          = "gen_ai.prompt"     // JSON text
	langSmithOutput         = "gen_ai.completion" // JSON text
	langSmithAgentName      = "langsmith.metadata.lc_agent_name"
	langSmithNode           = "langsmith.metadata.langgraph_node"
	langSmithSession        = "langsmith.metadata.session_id"
	langSmithConversationID = "langsmith.metadata.conversation_id"
	langSmithThread         = "langsmith.metadata.thread_id"
	// langSmithModelType is "chat" for the runs of LangChain's models and of wrapped clients.
	langSmithModelType = "langsmith.metadata.ls_model_type"
	exceptionEvent     = "exception"
	// langSmithHidden is what the client sends for inputs and outputs that it must hide. A tool without arguments is written
	// like that too, but then its output is not.
	langSmithHidden = "{}"
)

// readLangSmith recognizes every type of run. A chain is an agent only if LangChain says so; else the outermost chain
// represents the run. A chain can be anything: if an instrumentation says in the conventions' words what it is, the dialect
// of the conventions reads it.
func readLangSmith(s source) (Reading, bool) {
	switch s.marker(langSmithKind) {
	case "tool":
		return s.langSmithCall(), true
	case "llm":
		return s.langSmithModelCall(), true
	case "chain":
		if s.isConventional() {
			return Reading{}, false
		}
		return s.langSmithChain(), true
	case "retriever", "embedding", "prompt", "parser":
		return Reading{}, true
	}
	return Reading{}, false
}

// langSmithModelCall reads the requests of a model if LangChain or a wrapped client wrote the response. A function of the
// application may return what the model wrote, which may look like a message with calls in it.
func (s *source) langSmithModelCall() Reading {
	r := Reading{
		Role:         ModelCall,
		Conversation: s.langSmithConversation(),
		Traits:       MessagesOnly, // an application may well trace its model and not its tools
	}
	if s.text(langSmithModelType) == chat {
		r.Messages = LangSmithMessages
	}
	return r
}

func (s *source) langSmithChain() Reading {
	r := Reading{Agent: s.langSmithName(), Conversation: s.langSmithConversation()}
	switch {
	case runsAgent(r.Agent, s.text(langSmithAgentName), s.text(langSmithNode)):
		r.Role = Agent
	case s.span.ParentSpanID().IsEmpty():
		r.Role = Workflow
	default:
		return Reading{}
	}
	return r
}

func (s *source) langSmithName() string {
	if name := s.text(genAIToolName, langSmithName); name != "" {
		return name
	}
	return s.spanName()
}

func (s *source) langSmithConversation() string {
	return s.text(langSmithSession, langSmithConversationID, langSmithThread, sessionID)
}

func (s *source) langSmithCall() Reading {
	r := Reading{
		Role:         ToolCall,
		Conversation: s.langSmithConversation(),
		CallID:       s.text(genAICallID),
		Call: scoring.Call{
			Name:   s.langSmithName(),
			Status: s.langSmithStatus(),
		},
	}
	langChain := s.text(langSmithNode, langSmithAgentName) != "" // called the tool
	r.setArguments(langSmithArguments(s.payload(langSmithInput, genAIArguments), langChain))
	if s.marker(langSmithInput) == langSmithHidden && s.marker(langSmithOutput) == langSmithHidden {
		r.setArguments(scoring.Payload{}, false)
		return r
	}
	output := s.payload(langSmithOutput, genAIResult)
	r.Call.Output = langSmithResult(output)
	if langChain {
		return r.withContent(output)
	}
	return r
}

// langSmithStatus also looks for an exception: a run that failed may still have the status of its beginning.
func (s *source) langSmithStatus() scoring.CallStatus {
	if s.hasEvent(exceptionEvent) {
		return scoring.StatusFailed
	}
	return s.status()
}

func (s *source) hasEvent(name string) bool {
	events := s.span.Events()
	for i := range events.Len() {
		if events.At(i).Name() == name {
			return true
		}
	}
	return false
}

// langSmithArguments unwraps {"input": "<the arguments>"}, the form in which LangChain passes them. A function of the application
// may have a parameter of that name, and a model may write an object as its text. Then the names are not known.
func langSmithArguments(p scoring.Payload, langChain bool) (arguments scoring.Payload, unnamed bool) {
	v, _ := p.Value()
	if !wrapped.HasOnly(v, "input") {
		return p, false
	}
	input, _ := v.Member("input")
	arguments, isObject := wrapped.ObjectOf(input)
	switch {
	case !isObject:
		return p, false
	case !langChain:
		return p, input.Kind() == scoring.String
	}
	return arguments, false
}

// langSmithResult unwraps what is no object: {"outputs": ...} in JavaScript, {"output": ...} in Python and LangChain.
func langSmithResult(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	for _, key := range [...]string{"outputs", messageOutput} {
		if result, ok := v.Member(key); ok && v.Len() == 1 {
			return wrapped.PayloadOf(result)
		}
	}
	return p
}
