package dialect

import (
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages of Google ADK, Genkit and Strands.
//
// Source: https://github.com/google/adk-python, src/google/adk/telemetry/tracing.py;
// https://github.com/googleapis/python-genai, google/genai/types.py (FunctionCall, FunctionResponse);
// https://github.com/firebase/genkit, js/ai/src/model-types.ts and js/core/src/tracing/instrumentation.ts;
// https://github.com/strands-agents/sdk-python, src/strands/telemetry/tracer.py.
const (
	adkModelResponse = "gcp.vertex.agent.llm_response"
	adkGiven         = "gcp.vertex.agent.llm_request"
)

// Words that are in every text that requests calls or has results.
var (
	adkAsks      = words.Of("functionCall", "function_call")
	genkitAsks   = words.Of("toolRequest")
	strandsAsks  = words.Of("toolUse")
	strandsTells = words.Of("toolResult")
)

// adkResponse reads Gemini's response and request. The request is decoded only where something of it is needed.
func (s *source) adkResponse() ModelResponse {
	a := s.draft()
	a.askFunctions(at(s.document(adkModelResponse, adkAsks), "content", "parts"))
	if len(a.Requests) == 0 && !s.scratch.want.Results {
		return a.ModelResponse
	}
	request := s.document(adkGiven, nil)
	if s.scratch.want.Results {
		a.tellGemini(at(request, "contents"))
	}
	if len(a.Requests) == 0 {
		return a.ModelResponse
	}
	return a.of(s.scratch.toolNames(at(request, "config", "tools")))
}

// tellGemini adds the results in [{"role": "user", "parts": [{"functionResponse": {"id", "name", "response"}}]}].
func (a *draft) tellGemini(contents scoring.Value) {
	for _, message := range turn(contents, func(m scoring.Value) bool {
		return is(m, "role", "user") && !some(at(m, "parts"), isFunctionResponse)
	}) {
		for part := range at(message, "parts").Elements() {
			if isFunctionResponse(part) {
				a.tellFunction(first(part, "functionResponse", "function_response"))
			}
		}
	}
}

func isFunctionResponse(part scoring.Value) bool {
	return first(part, "functionResponse", "function_response").Kind() == scoring.Object
}

// tellFunction adds a response. By Gemini's definition a response whose only member is named error is a failure, but a tool
// may return just that without a failure.
func (a *draft) tellFunction(function scoring.Value) {
	a.tell(ToolResult{ID: text(function, "id"), Output: a.scratch.output(function, "response")})
}

// genkitResponse reads {"message": {"content": [{"toolRequest": {"ref", "name", "input"}}]}}.
func (s *source) genkitResponse() ModelResponse {
	a := s.draft()
	for part := range at(s.document(genkitOutput, genkitAsks), "message", "content").Elements() {
		request := at(part, "toolRequest")
		a.ask(ToolRequest{ID: text(request, "ref"), Name: text(request, "name"), Arguments: a.scratch.arguments(request, "input")})
	}
	if len(a.Requests) == 0 && !s.scratch.want.Results {
		return a.ModelResponse
	}
	given := s.document(genkitInput, nil)
	if s.scratch.want.Results {
		a.tellGenkit(at(given, "messages"))
	}
	if len(a.Requests) == 0 {
		return a.ModelResponse
	}
	return a.of(s.scratch.toolNames(at(given, "tools")))
}

func (a *draft) tellGenkit(messages scoring.Value) {
	for _, message := range turn(messages, func(m scoring.Value) bool { return is(m, "role", "user") }) {
		for part := range at(message, "content").Elements() {
			response := at(part, "toolResponse")
			a.tell(ToolResult{ID: text(response, "ref"), Output: a.scratch.output(response, "output")})
		}
	}
}

// strandsResponse reads a span's events: gen_ai.choice for the response, and one event for each message of the history, or
// those of the latest conventions. An agent with an unknown tool gets a failed span for it, so no list of tools is needed.
// If the application asks for such a list, it is under the conventions' key.
func (s *source) strandsResponse() ModelResponse {
	a := s.draft()
	s.scratch.unread = s.span.DroppedEventsCount() > 0
	for _, event := range s.span.Events().All() {
		attributes := mapOf(event.Attributes())
		s.scratch.used = 0 // the previous event has been read
		switch event.Name() {
		case genAIChoice:
			for block := range s.scratch.document(attributes, "message", strandsAsks).Elements() {
				a.askStrands(block)
			}
		case genAIUser:
			a.Results = nil
		case genAITool:
			if s.scratch.want.Results {
				a.tellStrands(s.scratch.document(attributes, content, strandsTells))
			}
		case genAIDetails:
			details := s.parts(attributes)
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

// askStrands adds {"toolUse": {"toolUseId", "name", "input"}}, which the SDK for TypeScript also writes with a type
// instead of the outer object.
func (a *draft) askStrands(block scoring.Value) {
	if use := at(block, "toolUse"); use.Kind() == scoring.Object {
		block = use
	} else if !is(block, "type", "toolUse") {
		return
	}
	a.ask(ToolRequest{ID: text(block, "toolUseId"), Name: text(block, "name"), Arguments: a.scratch.arguments(block, "input")})
}

func (a *draft) tellStrands(blocks scoring.Value) {
	for block := range blocks.Elements() {
		result := at(block, "toolResult")
		a.tell(ToolResult{
			ID: text(result, "toolUseId"), Output: a.scratch.content(result, "content"), Failed: is(result, "status", "error"),
		})
	}
}
