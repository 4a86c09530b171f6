package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference.
//
// Source: https://github.com/Arize-ai/openinference, spec/semantic_conventions.md.
const (
	openInferenceKind       = "openinference.span.kind"
	openInferenceToolName   = "tool.name"
	openInferenceParameters = "tool.parameters" // by the specification the tool's schema; some write the arguments
	openInferenceInput      = "input.value"
	openInferenceInputType  = "input.mime_type"
	openInferenceOutput     = "output.value"
	openInferenceOutputType = "output.mime_type"
	openInferenceToolCallID = "tool_call.id"
	openInferenceToolID     = "tool.id"
	openInferenceAgentName  = "agent.name"
	openInferenceNodeName   = "graph.node.name"
	openInferenceNodeID     = "graph.node.id"
	// openInferenceRedacted stands where a TraceConfig hides inputs or outputs.
	openInferenceRedacted = "__REDACTED__"
)

// readOpenInference knows tools, agents and the chain that has no parent. Every other kind is a part of these.
func readOpenInference(s source) (Reading, bool) {
	switch s.marker(openInferenceKind) {
	case "TOOL":
		return Reading{
			Role:         ToolCall,
			Conversation: s.text(sessionID),
			CallID:       s.text(openInferenceToolCallID, openInferenceToolID),
			Call:         s.openInferenceCall(),
		}, true
	case "AGENT":
		return s.openInferenceAgent(), true
	case "CHAIN":
		// LangGraph names its root after the graph; the chains below are its nodes, and stand for no run.
		if s.span.ParentSpanID().IsEmpty() {
			return Reading{Role: Workflow, Agent: s.spanName(), Conversation: s.text(sessionID)}, true
		}
	}
	return Reading{}, false
}

func (s source) openInferenceCall() scoring.Call {
	name := s.text(openInferenceToolName)
	if name == "" {
		name = s.spanName()
	}
	return scoring.Call{
		Name:      name,
		Arguments: s.openInferenceArguments(),
		Output:    s.openInferenceValue(openInferenceOutput, openInferenceOutputType),
		Status:    s.status(),
	}
}

// openInferenceAgent tells an agent from the span around a whole trace of the OpenAI Agents SDK, which is of kind
// AGENT too but bears the workflow's name. Only the agents below it carry graph.node.id.
//
// There graph.node.id is the agent's name. Others, such as Agno, put a random id there, so names come first.
func (s source) openInferenceAgent() Reading {
	r := Reading{Role: Agent, Conversation: s.text(sessionID)}
	switch s.scope {
	case "@arizeai/openinference-instrumentation-openai-agents", "openinference.instrumentation.openai_agents":
		if s.text(openInferenceNodeID) == "" {
			r.Role = Workflow
		}
	}
	r.Agent = s.text(openInferenceAgentName, openInferenceNodeName, openInferenceNodeID)
	if r.Agent == "" {
		r.Agent = s.spanName()
	}
	return r
}

// openInferenceArguments are the span's input. Only where the span has no input at all are they looked for in
// tool.parameters; a redacted input stays hidden, whatever else the span shows.
func (s source) openInferenceArguments() scoring.Payload {
	if _, ok := s.attributes.Get(openInferenceInput); ok {
		return s.openInferenceValue(openInferenceInput, openInferenceInputType)
	}
	parameters := s.payload(openInferenceParameters)
	if v, ok := parameters.Value(); !ok || v.Kind() != scoring.Object || isSchema(v) {
		return scoring.Payload{}
	}
	return parameters
}

// openInferenceValue reads a value with its mime type beside it. Without one the specification says plain text,
// but many instrumentations leave it out where the value is an object, so what begins like one is read as JSON.
func (s source) openInferenceValue(key, typeKey string) scoring.Payload {
	v, ok := s.attributes.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeStr {
		return s.payload(key)
	}
	text, mime := v.Str(), s.marker(typeKey)
	switch {
	case text == "" || text == openInferenceRedacted:
		return scoring.Payload{}
	case strings.Contains(mime, "json"), mime == "" && (text[0] == '{' || text[0] == '['):
		return scoring.JSON(text)
	}
	return scoring.Text(text)
}

// isSchema reports whether an object describes arguments instead of being some: a JSON schema, or a description of
// each argument by name, as smolagents writes it. Arguments that look exactly like that are mistaken for a schema,
// and count as not captured.
func isSchema(v scoring.Value) bool {
	if t, ok := v.Member("type"); ok && t.Kind() == scoring.String && t.Text() == "object" {
		return true
	}
	for _, key := range [...]string{"properties", "$schema", "$defs", "def"} {
		if _, ok := v.Member(key); ok {
			return true
		}
	}
	described := 0
	for _, member := range v.Members() {
		if t, ok := member.Member("type"); ok && t.Kind() == scoring.String {
			described++
		}
	}
	return described > 0 && described == v.Len()
}
