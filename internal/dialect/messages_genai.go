package dialect

import (
	"cmp"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages of the semantic conventions, and of earlier forms under the same names.
// Source: https://github.com/open-telemetry/semantic-conventions, docs/gen-ai; https://github.com/Azure/azure-sdk-for-python,
// sdk/ai/azure-ai-inference (gen_ai.event.content); https://github.com/pydantic/pydantic-ai, models/instrumented.py (events);
// https://github.com/traceloop/openllmetry, packages/opentelemetry-semantic-conventions-ai.
const (
	genAIDefinitions   = "gen_ai.tool.definitions"
	genAIDetails       = "gen_ai.client.inference.operation.details" // an event with the attributes of a span
	genAIChoice        = "gen_ai.choice"
	genAIUser          = "gen_ai.user.message"
	genAITool          = "gen_ai.tool.message"
	logfireItem        = "gen_ai.unknown"           // has what Logfire does not know, as the provider wrote it
	pydanticParameters = "model_request_parameters" // what the model was offered
	openLLMetryTools   = "llm.request.functions."
)

// Words that are in every text that requests calls, has results, or lists tools.
var (
	genAIAsks     = wordsOf("tool_call", "tool_calls", "server_tool_call")
	genAITells    = wordsOf("tool_call_response", "tool_call_id", "server_tool_call_response")
	pydanticAsks  = wordsOf(genAIChoice, logfireItem)
	pydanticTools = wordsOf("function_tools")
)

// genAIResponse reads the newest form that the span has. A second form would repeat the same response.
func (s *source) genAIResponse(a *draft) {
	if s.parts(a); a.Empty() {
		s.events(a)
	}
	if len(a.Requests) == 0 { // LiteLLM writes the messages as well, without the requests
		s.flattened("gen_ai.completion.").asked(a)
	}
	if len(a.Results) == 0 && s.scratch.want.Results {
		s.flattened("gen_ai.prompt.").results(a)
	}
	if a.Empty() {
		s.askNamed(a)
	}
	if len(a.Requests) == 0 {
		return
	}
	a.keepOffered(s.genAIOffered())
	if len(a.NotOffered) > 0 { // but a function for the final answer was
		answers := s.scratch.toolNames(at(s.hint(pydanticParameters, pydanticTools), "output_tools"))
		a.NotOffered = slices.DeleteFunc(a.NotOffered, func(q ToolRequest) bool { return slices.Contains(answers, q.Name) })
	}
}

// askNamed adds the requests that the attributes of a tool name on the span of a model. OpenLIT joins those of several by commas.
// Source: https://github.com/openlit/openlit, sdk/python/src/openlit/instrumentation/openai/utils.py.
func (s *source) askNamed(a *draft) {
	name := s.text(genAIToolName)
	if name == "" {
		return
	}
	names, ids := strings.Split(name, ","), strings.Split(s.text(genAICallID), ",")
	arguments := []scoring.Payload{s.payload(conventions.arguments.keys...)}
	if len(names) > 1 {
		list, _ := scoring.JSON("[" + s.text(conventions.arguments.keys...) + "]").Value()
		arguments = arguments[:0]
		for v := range list.Elements() {
			arguments = append(arguments, payloadOf(v))
		}
	}
	for i, name := range names {
		q := ToolRequest{Name: strings.TrimSpace(name)}
		if len(ids) == len(names) {
			q.ID = strings.TrimSpace(ids[i])
		}
		if s.scratch.want.Arguments && len(arguments) == len(names) {
			q.Arguments = arguments[i]
		}
		a.ask(&q)
	}
}

// genAIOffered is the span's list of the model's tools. Pydantic AI's tool for the final answer is not among its function tools: nothing executes it.
func (s *source) genAIOffered() offered {
	if names := s.scratch.toolNames(at(s.hint(pydanticParameters, pydanticTools), "function_tools")); len(names) > 0 {
		return names
	}
	if names := s.toolsIn(genAIDefinitions); len(names) > 0 {
		return names
	}
	if _, ok := s.attributes.Get(openLLMetryTools + "0.name"); !ok {
		return nil
	}
	return s.listed(openLLMetryTools, "name")
}

// parts reads gen_ai.output.messages and gen_ai.input.messages. Microsoft's agents wrap the messages together with a version.
func (s *source) parts(a *draft) {
	output := s.document(genAIOutput, genAIAsks)
	a.askAll(output, genAIRequests, genAIResults, false)
	if len(a.Requests) > 0 && wentOn(head(output), s.scope == "gen_ai") {
		hosted(a.Requests, true)
	}
	if !s.scratch.want.Results {
		return
	}
	input, ok := s.attributes.Get(genAIInput)
	hears := ok && s.scratch.want.Loops && len(a.Results) == 0
	if hears && input.Type() == pcommon.ValueTypeStr && !genAITells.in(input.Str()) { // as most: it has no results
		cut := s.scratch.hearIn(input)
		s.scratch.unread = s.scratch.unread || cut
		return
	}
	a.tellAll(s.document(genAIInput, genAITells), genAIResults)
	if hears && len(a.Results) == 0 {
		s.scratch.hearIn(input)
	}
}

// transcripts are the attributes of an agent's span that may have all messages of its run.
var transcripts = [...]string{"pydantic_ai.all_messages", genAIOutput, genAIInput}

// transcript reads what an agent's span has of its models' requests since the user's last message, and whether they have results.
func (s *source) transcript(a *draft) {
	s.scratch.want.Refusals = true
	told := s.draft()
	for _, key := range transcripts {
		for message := range s.hint(key, genAIAsks).Elements() {
			if isSpoken(message, genAIResults) {
				a.Requests, told.Results = nil, nil
			} else {
				a.askMessage(message, genAIRequests)
				told.tellMessage(message, genAIResults)
			}
		}
		if len(a.Requests) > 0 {
			break
		}
	}
	hosted(a.Requests, false)
	answer(a.Requests, slices.DeleteFunc(told.Results, func(r ToolResult) bool { return r.Refused }), false)
}

// hasTranscript reports whether an agent's span has requests of its models.
func (s *source) hasTranscript() bool {
	return slices.ContainsFunc(transcripts[:], func(key string) bool { return genAIAsks.in(s.marker(key)) })
}

// wentOn reports whether a model ended its response by itself, with a text behind its requests: then its provider ran the tools. The AI SDK
// writes texts in front of requests, and its reason for the end is another one if it is to run a tool.
func wentOn(message scoring.Value, vercel bool) bool {
	if !is(message, "finish_reason", "stop") {
		return false
	}
	text := false
	for part := range at(message, "parts").Elements() {
		switch at(part, "type").Text() {
		case "text":
			text = true
		case "tool_call":
			text = text && vercel
		}
	}
	return text
}

// events reads the span's events, or Pydantic AI's list of them.
func (s *source) events(a *draft) {
	last := s.draft() // the assistant's requests since another role's message, which are the response if no choice has any
	hear := func(event string, body func() scoring.Value) {
		switch event {
		case genAIChoice:
			a.askBody(body())
		case "gen_ai.assistant.message":
			last.askBody(body())
		case logfireItem:
			last.askPart(at(body(), "data"), rawRequests)
		case genAIUser:
			last.Requests, a.Results = nil, nil
		case genAITool:
			if last.Requests = nil; s.scratch.want.Results {
				b := body()
				a.tell(ToolResult{ID: strings.Clone(cmp.Or(member(b, "id"), member(b, "tool_call_id"))), Output: encoded(s.scratch.want.Outputs, b, "content")})
			}
		}
	}
	if s.span.DroppedEventsCount() > 0 {
		_, ok := s.attributes.Get(genAIOutput)
		s.scratch.unread = s.scratch.unread || !ok
	}
	for _, event := range s.span.Events().All() {
		s.scratch.used = 0 // the previous event has been read
		if event.Name() == genAIDetails {
			s.of(event).parts(a)
		} else {
			hear(event.Name(), func() scoring.Value { return s.bodyOf(event) })
		}
	}
	for event := range s.document("events", pydanticAsks).Elements() {
		hear(at(event, "event.name").Text(), func() scoring.Value { return event })
	}
	if len(a.Requests) == 0 {
		a.Requests = last.Requests
	}
}

// askBody adds the calls in {"message": {"tool_calls": [...]}} or, of an assistant's message, in {"tool_calls": [...]}. A message may be a text.
func (a *draft) askBody(body scoring.Value) {
	a.response = body
	if message := at(body, "message"); message.Kind() == scoring.Object {
		body = message
	}
	calls := a.scratch.opened(at(body, "tool_calls"))
	a.scratch.unread = a.scratch.unread || isDocument(calls.Text())
	a.askParts(calls, rawRequests)
}

// bodyOf is the body of an event. It is in one attribute, or each member is in its own attribute.
func (s *source) bodyOf(event ptrace.SpanEvent) scoring.Value {
	if body := s.of(event).document("gen_ai.event.content", nil); body.Kind() == scoring.Object {
		return body
	}
	b, ok := attributes.AppendMap(nil, event.Attributes())
	s.scratch.unread = s.scratch.unread || !ok || event.DroppedAttributesCount() > 0
	v, _ := s.scratch.decoded(string(b), nil)
	return v
}
