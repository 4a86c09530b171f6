package dialect

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	langSmithKind      = "langsmith.span.kind"
	langSmithInput     = "gen_ai.prompt"     // JSON text
	langSmithOutput    = "gen_ai.completion" // JSON text
	langSmithAgentName = "langsmith.metadata.lc_agent_name"
	langSmithNode      = "langsmith.metadata.langgraph_node"
	// langSmithHidden is what the client sends for inputs and outputs that it must hide. A tool without arguments is written
	// like that too, but then its output is not.
	langSmithHidden = "{}"
)

var langSmithName = names{[]string{genAIToolName, "langsmith.trace.name"}, []string{"*"}}

var langSmithKinds = []meaning{
	{"tool", ToolCall}, {"llm", ModelCall}, {"retriever", Nothing}, {"embedding", Nothing}, {"prompt", Nothing}, {"parser", Nothing},
}

// langSmithRole recognizes every type of run. A chain is an agent only if LangChain says so; else the outermost chain represents the run. A
// chain can be anything: if an instrumentation says in the conventions' words what it is, the dialect of the conventions reads it.
func langSmithRole(s *source) (Role, bool) {
	switch kind := s.marker(langSmithKind); {
	case kind != "chain":
		return roleIn(langSmithKinds, kind)
	case s.isConventional():
		return Nothing, false
	}
	return s.chainRole(s.nameIn(langSmithName), s.text(langSmithAgentName), s.text(langSmithNode)), true
}

// langSmithExceptions reads the requests of a model if LangChain or a wrapped client wrote the response. A function of the application may
// return what the model wrote, which may look like a message with calls in it. A run that failed may still have the status of its beginning.
func langSmithExceptions(s *source, r *Reading) {
	switch r.Role {
	case ModelCall:
		r.Traits = MessagesOnly // an application may well trace its model and not its tools
		if s.text("langsmith.metadata.ls_model_type") == chat {
			r.Messages = LangSmithMessages
		}
	case ToolCall:
		if s.raised() {
			r.Call.Status = scoring.StatusFailed
		}
		if s.marker(langSmithInput) == langSmithHidden && s.marker(langSmithOutput) == langSmithHidden {
			r.Call.Arguments, r.Call.Output = scoring.Payload{}, scoring.Payload{}
			return
		}
		langChain := s.text(langSmithNode, langSmithAgentName) != "" // called the tool
		r.setArguments(langSmithArguments(r.Call.Arguments, langChain))
		output := r.Call.Output
		if r.Call.Output = langSmithResult(output); langChain {
			r.withContent(output)
		}
	}
}

// langSmithArguments unwraps {"input": "<the arguments>"}, the form in which LangChain passes them. A function of the application
// may have a parameter of that name, and a model may write an object as its text. Then the names are not known.
func langSmithArguments(p scoring.Payload, langChain bool) (arguments scoring.Payload, unnamed bool) {
	v, _ := p.Value()
	input := at(v, "input")
	arguments, isObject := objectOf(input)
	switch {
	case !hasOnly(v, "input"), !isObject:
		return p, false
	case langChain:
		return arguments, false
	}
	return p, input.Kind() == scoring.String
}

// langSmithResult unwraps what is no object: {"outputs": ...} in JavaScript, {"output": ...} in Python and LangChain.
func langSmithResult(p scoring.Payload) scoring.Payload {
	v, _ := p.Value()
	for _, key := range [...]string{"outputs", messageOutput} {
		if result, ok := v.Member(key); ok && v.Len() == 1 {
			return payloadOf(result)
		}
	}
	return p
}
