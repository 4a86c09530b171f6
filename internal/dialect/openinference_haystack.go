package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/pyliteral"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// OpenInference for Haystack, which writes a span for a pipeline and for each component that a pipeline runs. An agent is
// a component, and neither its model calls nor its tools have spans: its calls are in the messages of its output.
//
// Source: https://github.com/Arize-ai/openinference, python/instrumentation/openinference-instrumentation-haystack;
// https://github.com/deepset-ai/haystack, haystack/dataclasses/chat_message.py.
const (
	haystackOIScope = "openinference.instrumentation.haystack"

	// How the names of a pipeline's spans begin, and a part of an agent's result that no other component has.
	haystackPipeline    = "Pipeline.run"
	haystackLastMessage = "last_message"

	haystackClass = "" // the key of an object's class
)

func (s *source) haystackChain(r *Reading) {
	if name := s.span.Name(); name == "Agent.run" || name == "Agent.run_async" {
		*r = Reading{
			Role: Agent, Agent: s.text(openInferenceAgentName, genAIAgentName), Conversation: r.Conversation,
			Traits: MessagesOnly, Messages: HaystackMessages,
		}
		return
	}
	agent, read := s.haystackComponent()
	if agent != "" {
		*r = Reading{Role: Agent, Agent: agent, Conversation: r.Conversation}
		return
	}
	s.outermost(r)
	if !read && r.Role != Nothing {
		r.Traits |= LostName
	}
}

// haystackComponent is the name of the only agent among the components of a pipeline. The agent's own span does not have it. The
// pipeline's output has results by the names of the components, which the application gave them. The keys of these results are
// the framework's. Tools and models decide on the values only.
func (s *source) haystackComponent() (agent string, read bool) {
	if name := s.span.Name(); !strings.HasPrefix(name, haystackPipeline) && !strings.HasPrefix(name, "AsyncPipeline.run") {
		return "", true
	}
	text := s.marker(openInferenceOutput)
	if !strings.Contains(text, haystackLastMessage) {
		return "", !words.IsCut(text)
	}
	output, err := scoring.Decode(text)
	if python, ok := pyliteral.JSON(text); err != nil && ok {
		output, err = scoring.Decode(python)
	}
	for name, result := range output.Members() {
		if _, isAgent := result.Member(haystackLastMessage); !isAgent {
			continue
		}
		if agent != "" {
			return "", true
		}
		agent = name
	}
	return agent, err == nil
}

// haystackResponse reads what the agent's model requested since the user's last message: the output repeats earlier turns.
func (s *source) haystackResponse() ModelResponse {
	a := s.draft()
	output, read := s.scratch.decoded(s.marker(openInferenceOutput), nil)
	s.scratch.unread = !read
	for text := range at(output, "messages").Elements() {
		message, ok := pyliteral.Repr(text.Text(), len(text.Text()))
		if !ok {
			s.scratch.unread = s.scratch.unread || strings.Contains(text.Text(), "ToolCall")
			continue
		}
		switch role := at(message, "_role").Text(); {
		case strings.HasPrefix(role, "<ChatRole.USER"):
			a.ModelResponse, s.scratch.unread = ModelResponse{}, false
		default:
			a.haystackMessage(message, strings.HasPrefix(role, "<ChatRole.ASSISTANT"))
		}
	}
	return a.ModelResponse
}

// haystackMessage adds the requests of an assistant's message, and the results in another.
func (a *draft) haystackMessage(message scoring.Value, assistant bool) {
	for part := range at(message, "_content").Elements() {
		switch {
		case assistant && is(part, haystackClass, "ToolCall"):
			a.ask(ToolRequest{ID: text(part, "id"), Name: text(part, "tool_name"), Arguments: a.scratch.arguments(part, "arguments")})
		case !assistant && is(part, haystackClass, "ToolCallResult") && a.scratch.want.Results:
			a.tell(ToolResult{ID: text(at(part, "origin"), "id"), Output: a.scratch.output(part, "result"), Failed: at(part, "error").Bool()})
		}
	}
}
