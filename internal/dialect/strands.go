package dialect

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Strands Agents, for Python and for TypeScript. It follows the conventions, and writes content to span events.
//
// Source: https://github.com/strands-agents/sdk-python, src/strands/telemetry/tracer.py and
// src/strands/tools/executors/_executor.py; https://github.com/strands-agents/sdk-typescript, src/telemetry/tracer.ts.
const (
	strandsStatus    = "gen_ai.tool.status" // "success" or "error"
	strandsOldStatus = "tool.status"        // the same, in versions before
	strandsFailed    = "error"
	// strandsDescription is on the span of a tool that exists, in newer versions for Python.
	strandsDescription = "gen_ai.tool.description"
	// strandsTools is on an agent's span: the names of its tools, a list as JSON text.
	strandsTools = "gen_ai.agent.tools"

	// Attributes of events that hold JSON text: the call of gen_ai.tool.message, the result of gen_ai.choice.
	strandsCallContent   = "content"
	strandsResultMessage = "message"
)

// Operations of several agents that work together.
const (
	strandsSwarm = "invoke_swarm"
	strandsGraph = "invoke_graph"
)

// readStrands knows all operations of Strands. The cycles of an agent's loop are Nothing. OpenInference's processor
// for Strands replaces the attributes by its own; those spans are for the dialect of that name.
func readStrands(s source) (Reading, bool) {
	switch operation := s.marker(genAIOperation); operation {
	case executeTool:
		return s.strandsCall(), true
	case chat:
		return Reading{Role: ModelCall, Conversation: s.genAIConversation(), Messages: StrandsMessages}, true
	case strandsSwarm, strandsGraph:
		return Reading{
			Role:         Workflow,
			Agent:        s.text(genAIAgentName),
			Conversation: s.genAIConversation(),
		}, true
	case invokeAgent:
		return readGenAI(s)
	}
	return Reading{}, s.marker(openInferenceKind) == ""
}

// strandsCall also reads the tool's own status. If a tool reports an error without throwing one, the span's status is OK.
func (s *source) strandsCall() Reading {
	whole := *s
	whole.wrapped = false // an output may say that there is no such tool
	r := whole.genAICall()
	if !r.Call.Arguments.Captured() {
		r.Call.Arguments = s.strandsArguments()
	}
	if !r.Call.Output.Captured() {
		r.Call.Output = contentList(s.strandsOutput())
	}
	if s.marker(strandsStatus) == strandsFailed || s.marker(strandsOldStatus) == strandsFailed {
		r.Call.Status = scoring.StatusFailed
		if _, described := s.attributes.Get(strandsDescription); !described && unknownTool(r.Call) {
			r.Traits |= UnknownTool
		}
	}
	return r
}

// unknownTool reports whether an output says that the requested tool does not exist, in the words of Strands for either
// language. Strands has a span for such a call, though nothing was executed. Python gives a description to the spans of
// tools that exist.
func unknownTool(call scoring.Call) bool {
	v, ok := call.Output.Value()
	if !ok || v.Kind() != scoring.String {
		return false
	}
	text, name := v.Text(), call.Name
	return text == "Tool '"+name+"' not found in registry" || text == "Unknown tool: "+name
}

func (s *source) strandsArguments() scoring.Payload {
	if p := s.event(genAITool, strandsCallContent); p.Captured() {
		return p
	}
	return s.strandsPart(genAIInput, "tool_call", "arguments")
}

func (s *source) strandsOutput() scoring.Payload {
	if p := s.event(genAIChoice, strandsResultMessage); p.Captured() {
		return p
	}
	return s.strandsPart(genAIOutput, "tool_call_response", "response")
}

// strandsPart is what the messages under key say in their first part of a kind. They are in an event, and for
// Langfuse in the span's attributes as well. OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental asks for them.
func (s *source) strandsPart(key, kind, field string) scoring.Payload {
	p := s.event(genAIDetails, key).Or(s.payload(key))
	messages, _ := p.Value()
	for message := range messages.Elements() {
		parts, _ := message.Member("parts")
		for part := range parts.Elements() {
			if member(part, "type") == kind {
				return encoded(new([]byte), part, field)
			}
		}
	}
	return scoring.Payload{}
}

// event is what the first event of that name has under key.
func (s *source) event(name, key string) scoring.Payload {
	for _, e := range s.span.Events().All() {
		if e.Name() != name {
			continue
		}
		if v, ok := e.Attributes().Get(key); ok {
			if p := structured(v); p != (scoring.Payload{}) {
				return p
			}
		}
	}
	return scoring.Payload{}
}

// maxTools bounds the list of an agent's tools that is read, in bytes. No agent has a longer list.
const maxTools = 256 << 10

// Tools returns the names of an agent's tools if its own span lists them, else nil. The framework writes the list, and no
// tool's output can change it.
func Tools(agent ptrace.Span) []string {
	if v, ok := agent.Attributes().Get(strandsTools); ok {
		return listedTools(v)
	}
	v, ok := agent.Attributes().Get(genAIDefinitions)
	if !ok || v.Type() != pcommon.ValueTypeStr || len(v.Str()) > maxTools {
		return nil
	}
	list, err := scoring.Decode(v.Str())
	if err != nil || list.Kind() != scoring.Array {
		return nil
	}
	return slices.Clone(new(Scratch).toolNames(list))
}

// listedTools are the names in a list of them, as Strands writes it.
func listedTools(v pcommon.Value) []string {
	if v.Type() != pcommon.ValueTypeStr || len(v.Str()) > maxTools {
		return nil
	}
	list, err := scoring.Decode(v.Str())
	if err != nil || list.Kind() != scoring.Array {
		return nil
	}
	names := make([]string, 0, list.Len())
	for name := range list.Elements() {
		names = append(names, valid(name.Text()))
	}
	return names
}
