package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// MLflow. Every value is JSON text, strings too: a span's type is "\"TOOL\"".
//
// Source: https://github.com/mlflow/mlflow, mlflow/tracing/constant.py, mlflow/entities/span.py,
// mlflow/langchain/langchain_tracer.py and mlflow/openai/_agent_tracer.py.
const (
	mlflowType     = "mlflow.spanType"
	mlflowFunction = "mlflow.spanFunctionName"
	mlflowInputs   = "mlflow.spanInputs"
	mlflowOutputs  = "mlflow.spanOutputs"
	mlflowSession  = "mlflow.trace.session"
	// MLflow makes attributes of what LangChain passes to its callback: the call's id since langchain-core 1.1, and metadata.
	mlflowCallID   = "tool_call_id"
	mlflowMetadata = "metadata"
)

// readMLflow knows tools, agents and the outermost chain. Model calls are in the form of whichever library was traced.
func readMLflow(s source) (Reading, bool) {
	switch strings.Trim(s.marker(mlflowType), `"\`) {
	case "TOOL":
		return s.mlflowCall(), true
	case "AGENT":
		return Reading{Role: Agent, Agent: s.mlflowName(), Conversation: s.mlflowConversation()}, true
	case "CHAIN", "WORKFLOW":
		r := Reading{Role: Workflow, Agent: s.mlflowName(), Conversation: s.mlflowConversation()}
		agent, node := s.langChainMetadata()
		switch {
		case runsAgent(r.Agent, agent, node):
			r.Role = Agent
			return r, true
		case s.span.ParentSpanID().IsEmpty(): // LangGraph's nodes are chains inside a chain, and represent no run
			return r, true
		}
	}
	return Reading{}, false
}

func (s *source) mlflowCall() Reading {
	r := Reading{
		Role:         ToolCall,
		Conversation: s.mlflowConversation(),
		CallID:       s.mlflowText(mlflowCallID),
		Call: scoring.Call{
			Name:      s.mlflowName(),
			Arguments: s.mlflowPayload(mlflowInputs),
			Output:    s.mlflowPayload(mlflowOutputs),
			Status:    s.status(),
		},
	}
	// A message is written as an object. A text in the form of one is the tool's.
	if written := s.payload(mlflowOutputs); written == r.Call.Output && s.mlflowLangChain() {
		return r.withContent(written)
	}
	r.Call.Output = contentList(r.Call.Output)
	return r
}

// mlflowConversation is the session of the trace, or the thread of LangGraph that the span's metadata names.
func (s *source) mlflowConversation() string {
	if id := s.mlflowText(mlflowSession, sessionID); id != "" {
		return id
	}
	text := s.marker(mlflowMetadata)
	if !strings.Contains(text, langGraphThread) {
		return ""
	}
	v, err := scoring.Decode(text)
	if err != nil {
		return ""
	}
	return member(v, langGraphThread)
}

// mlflowLangChain reports whether LangChain called the tool. Its metadata is on every span of its agents and graphs.
func (s *source) mlflowLangChain() bool {
	text := s.marker(mlflowMetadata)
	return s.text(mlflowCallID) != "" || strings.Contains(text, langGraphNode) || strings.Contains(text, lcAgentName)
}

// mlflowName is the span's name: the application may choose it, and does so where a function's name is not the tool's.
func (s *source) mlflowName() string {
	if name := s.spanName(); name != "" {
		return name
	}
	return s.mlflowText(mlflowFunction)
}

// mlflowText reads names and ids with or without their quotes.
func (s *source) mlflowText(keys ...string) string {
	for _, key := range keys {
		if text := unquoted(s.text(key)); text != "" {
			return text
		}
	}
	return ""
}

// unquoted is a text without the quotes that it has if it was written as JSON.
func unquoted(text string) string {
	if !strings.HasPrefix(text, `"`) {
		return text
	}
	if v, err := scoring.Decode(text); err == nil && v.Kind() == scoring.String {
		return valid(v.Text())
	}
	return text
}

// mlflowPayload decodes a string that holds an object or list. Some integrations write one as text before MLflow encodes it:
// a model's arguments, or LangChain's as Python prints them. Any other string is a string.
func (s *source) mlflowPayload(key string) scoring.Payload {
	if v, err := scoring.Decode(s.marker(key)); err == nil && v.Kind() == scoring.String {
		p := pyliteral.Payload(v.Text())
		if inner, ok := p.Value(); ok && (inner.Kind() == scoring.Object || inner.Kind() == scoring.Array) {
			return p
		}
	}
	return s.payload(key)
}
