package dialect

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages of the semantic conventions, and of what was written before them under the same names.
//
// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai/gen-ai-input-messages.json and
// gen-ai-output-messages.json (from 1.37), docs/gen-ai/gen-ai-events.md (1.31 to 1.36);
// https://github.com/Azure/azure-sdk-for-python, sdk/ai/azure-ai-inference (gen_ai.event.content);
// https://github.com/pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/models/instrumented.py (events);
// https://github.com/traceloop/openllmetry, packages/opentelemetry-semantic-conventions-ai (flattened).
const (
	genAIDefinitions = "gen_ai.tool.definitions"

	genAIDetails      = "gen_ai.client.inference.operation.details" // an event with the attributes of a span
	genAIChoice       = "gen_ai.choice"
	genAIAssistant    = "gen_ai.assistant.message"
	genAIUser         = "gen_ai.user.message"
	genAITool         = "gen_ai.tool.message"
	genAIEventContent = "gen_ai.event.content"

	pydanticEvents     = "events"                   // the same events in one list
	pydanticParameters = "model_request_parameters" // what the model was offered

	openLLMetryAnswered = "gen_ai.completion."
	openLLMetryGiven    = "gen_ai.prompt."
	openLLMetryTools    = "llm.request.functions."
)

// genAIAnswer reads the newest form that the span has. To have two would be one answer written twice.
func (s source) genAIAnswer() Answer {
	a := s.parts(s.attributes)
	if a.Empty() {
		a = s.events()
	}
	if a.Empty() {
		s.flattened(openLLMetryAnswered).asked(&a)
		if s.results {
			s.flattened(openLLMetryGiven).results(&a)
		}
	}
	if len(a.Asked) == 0 {
		return a
	}
	return a.of(s.genAIOffered())
}

// genAIOffered is what the span says of the model's tools. Pydantic AI also offers the model's final answer as a tool;
// that one is not among its function tools, and nothing executes it.
func (s source) genAIOffered() offered {
	if parameters := s.document(pydanticParameters, `"function_tools"`); parameters.Kind() == scoring.Object {
		if names := toolNames(at(parameters, "function_tools")); names != nil {
			return names
		}
	}
	if names := toolNames(s.document(genAIDefinitions)); names != nil {
		return names
	}
	return s.listed(openLLMetryTools, "name", func(v pcommon.Value) scoring.Value {
		return scoring.StringValue(nameText(v))
	})
}

// parts reads gen_ai.output.messages and gen_ai.input.messages: [{"role": ..., "parts": [{"type": ..., ...}]}].
func (s source) parts(attributes pcommon.Map) Answer {
	var a Answer
	for message := range messagesIn(document(attributes, genAIOutput, `"tool_call"`)).Elements() {
		for part := range at(message, "parts").Elements() {
			if is(part, "type", "tool_call") {
				a.ask(Asked{ID: text(part, "id"), Name: text(part, "name"), Arguments: encoded(part, "arguments")})
			}
		}
	}
	if !s.results {
		return a
	}
	given := messagesIn(document(attributes, genAIInput, `"tool_call_response"`))
	for _, message := range turn(given, func(m scoring.Value) bool {
		return is(m, "role", "user") && !some(at(m, "parts"), isResponse)
	}) {
		for part := range at(message, "parts").Elements() {
			if isResponse(part) {
				a.tell(Result{ID: text(part, "id"), Output: encoded(part, "response", "result"), Failed: at(part, "is_error").Bool()})
			}
		}
	}
	return a
}

func isResponse(part scoring.Value) bool { return is(part, "type", "tool_call_response") }

// messagesIn is the list of messages, which Microsoft's agents wrap together with a version.
func messagesIn(v scoring.Value) scoring.Value {
	if v.Kind() == scoring.Object {
		return at(v, "messages")
	}
	return v
}

// events reads what the span's events tell, or Pydantic AI's list of them.
func (s source) events() Answer {
	var a Answer
	var told conversation
	for _, event := range s.span.Events().All() {
		if event.Name() == genAIDetails {
			details := s.parts(event.Attributes())
			a.Asked, a.Results = append(a.Asked, details.Asked...), append(a.Results, details.Results...)
			continue
		}
		told.hear(event.Name(), func() scoring.Value { return bodyOf(event) })
	}
	for event := range s.document(pydanticEvents, `"gen_ai.choice"`).Elements() {
		told.hear(at(event, "event.name").Text(), func() scoring.Value { return event })
	}
	a.Asked = append(a.Asked, told.answer()...)
	if s.results {
		a.Results = append(a.Results, told.results...)
	}
	return a
}

// A conversation is what events tell, one after the other.
type conversation struct {
	choices []Asked
	// last is what the assistant asked for since anybody else spoke. It is the answer where no choice says so.
	last    []Asked
	results []Result
}

func (c *conversation) hear(event string, body func() scoring.Value) {
	switch event {
	case genAIChoice:
		c.choices = append(c.choices, eventCalls(body())...)
	case genAIAssistant:
		c.last = append(c.last, eventCalls(body())...)
	case genAIUser:
		c.last, c.results = nil, nil
	case genAITool:
		c.last = nil
		if b := body(); text(b, "id", "tool_call_id") != "" {
			c.results = append(c.results, Result{ID: text(b, "id", "tool_call_id"), Output: encoded(b, "content")})
		}
	}
}

func (c *conversation) answer() []Asked {
	if c.choices != nil {
		return c.choices
	}
	return c.last
}

// eventCalls are the calls in {"message": {"tool_calls": [...]}} or, of an assistant's message, in {"tool_calls": [...]}.
func eventCalls(body scoring.Value) []Asked {
	var a Answer
	if message := opened(at(body, "message")); message.Kind() == scoring.Object {
		body = message
	}
	a.askCalls(opened(at(body, "tool_calls")))
	return a.Asked
}

// bodyOf is what an event says: in one attribute, or each member in one of its own.
func bodyOf(event ptrace.SpanEvent) scoring.Value {
	if body := document(event.Attributes(), genAIEventContent); body.Kind() == scoring.Object {
		return body
	}
	b, ok := appendMap(nil, event.Attributes(), 1)
	if !ok {
		return scoring.Value{}
	}
	return decoded(string(b), nil)
}
