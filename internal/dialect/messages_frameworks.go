package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Messages of Google ADK, Genkit and Strands.
//
// Source: https://github.com/google/adk-python, src/google/adk/telemetry/tracing.py;
// https://github.com/googleapis/python-genai, google/genai/types.py (FunctionCall, FunctionResponse);
// https://github.com/firebase/genkit, js/ai/src/model-types.ts and js/core/src/tracing/instrumentation.ts;
// https://github.com/strands-agents/sdk-python, src/strands/telemetry/tracer.py.
const (
	adkAnswered = "gcp.vertex.agent.llm_response"
	adkGiven    = "gcp.vertex.agent.llm_request"
)

// adkAnswer reads Gemini's response and request. The request is decoded only where something of it is needed.
func (s source) adkAnswer() Answer {
	var a Answer
	a.askFunctions(at(s.document(adkAnswered, `"functionCall"`, `"function_call"`), "content", "parts"))
	if len(a.Asked) == 0 && !s.results {
		return a
	}
	request := s.document(adkGiven)
	if s.results {
		a.tellGemini(at(request, "contents"))
	}
	if len(a.Asked) == 0 {
		return a
	}
	return a.of(toolNames(at(request, "config", "tools")))
}

// tellGemini adds the results in [{"role": "user", "parts": [{"functionResponse": {"id", "name", "response"}}]}].
func (a *Answer) tellGemini(contents scoring.Value) {
	for _, message := range turn(contents, func(m scoring.Value) bool {
		return is(m, "role", "user") && !some(at(m, "parts"), isFunctionResponse)
	}) {
		for part := range at(message, "parts").Elements() {
			if isFunctionResponse(part) {
				a.tell(functionResult(first(part, "functionResponse", "function_response")))
			}
		}
	}
}

func isFunctionResponse(part scoring.Value) bool {
	return first(part, "functionResponse", "function_response").Kind() == scoring.Object
}

// functionResult reads a response, whose only member is by Gemini's definition the error if it is named so.
func functionResult(function scoring.Value) Result {
	response := at(function, "response")
	_, failed := response.Member("error")
	return Result{
		ID: text(function, "id"), Output: encoded(function, "response"), Failed: failed && response.Len() == 1,
	}
}

// genkitAnswer reads {"message": {"content": [{"toolRequest": {"ref", "name", "input"}}]}}.
func (s source) genkitAnswer() Answer {
	var a Answer
	for part := range at(s.document(genkitOutput, `"toolRequest"`), "message", "content").Elements() {
		request := at(part, "toolRequest")
		a.ask(Asked{ID: text(request, "ref"), Name: text(request, "name"), Arguments: encoded(request, "input")})
	}
	if len(a.Asked) == 0 && !s.results {
		return a
	}
	given := s.document(genkitInput)
	if s.results {
		a.tellGenkit(at(given, "messages"))
	}
	if len(a.Asked) == 0 {
		return a
	}
	return a.of(toolNames(at(given, "tools")))
}

func (a *Answer) tellGenkit(messages scoring.Value) {
	for _, message := range turn(messages, func(m scoring.Value) bool { return is(m, "role", "user") }) {
		for part := range at(message, "content").Elements() {
			response := at(part, "toolResponse")
			a.tell(Result{ID: text(response, "ref"), Output: encoded(response, "output")})
		}
	}
}

// strandsAnswer reads a span's events: gen_ai.choice for the answer, and one event for each message of the history, or
// those of the latest conventions. An agent with an unknown tool gets a failed span for it, so no list of tools is needed;
// where the application asks for one, it is written under the conventions' key.
func (s source) strandsAnswer() Answer {
	var a Answer
	for _, event := range s.span.Events().All() {
		attributes := event.Attributes()
		switch event.Name() {
		case genAIChoice:
			for block := range document(attributes, "message", `"toolUse"`).Elements() {
				a.askStrands(block)
			}
		case genAIUser:
			a.Results = nil
		case genAITool:
			if s.results {
				a.tellStrands(document(attributes, content, `"toolResult"`))
			}
		case genAIDetails:
			details := s.parts(attributes)
			a.Asked = append(a.Asked, details.Asked...)
			for _, r := range details.Results {
				r.Output = contentList(r.Output)
				a.tell(r)
			}
		}
	}
	if len(a.Asked) == 0 {
		return a
	}
	return a.of(toolNames(s.document(genAIDefinitions)))
}

// askStrands adds {"toolUse": {"toolUseId", "name", "input"}}, which the SDK for TypeScript also writes with a type
// instead of the outer object.
func (a *Answer) askStrands(block scoring.Value) {
	if use := at(block, "toolUse"); use.Kind() == scoring.Object {
		block = use
	} else if !is(block, "type", "toolUse") {
		return
	}
	a.ask(Asked{ID: text(block, "toolUseId"), Name: text(block, "name"), Arguments: encoded(block, "input")})
}

func (a *Answer) tellStrands(blocks scoring.Value) {
	for block := range blocks.Elements() {
		result := at(block, "toolResult")
		a.tell(Result{
			ID: text(result, "toolUseId"), Output: contentOf(result, "content"), Failed: is(result, "status", "error"),
		})
	}
}
