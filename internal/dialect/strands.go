package dialect

import (
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const (
	strandsStatus = "gen_ai.tool.status" // "success" or "error"; tool.status in versions before
	strandsFailed = "error"
	// strandsTools is on an agent's span: the names of its tools, a list as JSON text.
	strandsTools = "gen_ai.agent.tools"
)

// Swarms and graphs are several agents that work together.
var strandsOperations = []meaning{{executeTool, ToolCall}, {chat, ModelCall}, {"invoke_swarm", Workflow}, {"invoke_graph", Workflow}}

// strandsRole knows all operations of Strands. The cycles of an agent's loop are Nothing. OpenInference's processor for Strands replaces
// the attributes by its own; those spans are for the dialect of that name.
func strandsRole(s *source) (Role, bool) {
	operation := s.marker(genAIOperation)
	if operation == invokeAgent {
		return genAIRole(s)
	}
	role, known := roleIn(strandsOperations, operation)
	return role, known || s.marker(openInferenceKind) == ""
}

// strandsExceptions reads the tool's own status. If a tool reports an error without throwing one, the span's status is OK. Newer versions
// for Python describe each tool that exists.
func strandsExceptions(s *source, r *Reading) {
	if r.Role != ToolCall {
		return
	}
	s.wrapped = false // an output may say that there is no such tool
	s.conventionalCall(r)
	if !r.Call.Arguments.Captured() {
		r.Call.Arguments = s.strandsContent(genAITool, "content", genAIInput, "tool_call", "arguments")
	}
	if !r.Call.Output.Captured() {
		r.Call.Output = contentList(s.strandsContent(genAIChoice, "message", genAIOutput, "tool_call_response", "response"))
	}
	if v, _ := r.Call.Output.Value(); v.Text() == "Successfully validated "+r.Call.Name+" structured output" {
		r.Traits |= UnknownTool // it has the name of the application's class, and the agent's list of tools tells it from those
	}
}

// strandsContent is what the first event of a name has under a member. Otherwise it is in the messages under key, which are in an event,
// and for Langfuse in the span's attributes as well: OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental asks for them.
func (s *source) strandsContent(event, member, key, kind, field string) scoring.Payload {
	if p := s.event(event, member); p.Captured() {
		return p
	}
	messages, _ := s.event(genAIDetails, key).Or(s.payload(key)).Value()
	for message := range messages.Elements() {
		for part := range at(message, "parts").Elements() {
			if is(part, "type", kind) {
				return encoded(part, field)
			}
		}
	}
	return scoring.Payload{}
}

// strandsResponse reads a span's events: gen_ai.choice for the response, and one event for each message of the history, or those of the latest
// conventions. An agent with an unknown tool gets a failed span for it. If the application asks for a list of tools, it is under the conventions'
// key.
func (s *source) strandsResponse() ModelResponse {
	a := s.draft()
	s.scratch.unread = s.span.DroppedEventsCount() > 0
	for _, event := range s.span.Events().All() {
		e := s.of(event)
		s.scratch.used = 0 // the previous event has been read
		switch event.Name() {
		case genAIChoice:
			a.askAll(e.document("message", strandsAsks), strandsRequests, strandsResults, false)
		case genAIUser:
			a.Results = nil
		case genAITool:
			if s.scratch.want.Results {
				a.tellAll(e.document(content, strandsTells), strandsResults)
			}
		case genAIDetails:
			details := e.parts()
			a.Requests = append(a.Requests, details.Requests...)
			for _, r := range details.Results {
				r.Output = contentList(r.Output)
				a.tell(r)
			}
		}
	}
	if len(a.Requests) == 0 {
		return a.ModelResponse
	}
	return a.of(s.toolsIn(genAIDefinitions))
}

// Words that are in every text that requests calls or has results.
var (
	strandsAsks  = words.Of("toolUse")
	strandsTells = words.Of("toolResult")
)

// unknownTool reports whether an output says in a few words that the requested tool does not exist, as frameworks say it that have a span
// for such a call, though nothing was executed.
func unknownTool(call scoring.Call) bool {
	const longest = 1 << 10
	if call.Output.Size() > longest || !call.Output.Mentions(call.Name) {
		return false
	}
	v, ok := call.Output.Value()
	text := strings.ToLower(v.Text())
	return ok && slices.ContainsFunc(unknownTools[:], func(words string) bool { return strings.Contains(text, words) })
}

var unknownTools = [...]string{"not found", "unknown tool", "no such tool", "no tool named", "not a valid tool", "does not exist", "not registered"}

// event is what the first event of that name has under key.
func (s *source) event(name, key string) scoring.Payload {
	for _, e := range s.span.Events().All() {
		if v, ok := e.Attributes().Get(key); ok && e.Name() == name {
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
	v, listsAll := agent.Attributes().Get(strandsTools)
	if !listsAll {
		var ok bool
		if v, ok = agent.Attributes().Get(genAIDefinitions); !ok {
			return nil
		}
	}
	if v.Type() == pcommon.ValueTypeStr && len(v.Str()) > maxTools {
		return nil
	}
	scratch := new(Scratch)
	list, _ := scratch.documentOf(v, nil)
	switch {
	case list.Kind() != scoring.Array:
		return nil
	case listsAll && list.Len() == 0:
		return []string{} // the agent has no tools
	}
	return slices.Clone(scratch.toolNames(list))
}
