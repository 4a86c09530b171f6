package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Responses of providers and LangChain, which some instrumentations write unchanged.
//
// Source: https://github.com/openai/openai-openapi (chat completions, responses);
// https://github.com/anthropics/anthropic-sdk-python, src/anthropic/types (tool_use, tool_result);
// https://github.com/langchain-ai/langchain, libs/core/langchain_core/messages;
// https://github.com/langchain-ai/langsmith-sdk, js/src/experimental/otel/translator.ts;
// https://github.com/langfuse/langfuse-js, packages/langchain/src/CallbackHandler.ts;
// https://github.com/pydantic/logfire, logfire/_internal/integrations/llm_providers.
const (
	logfireResponse = "response_data"
	logfireGiven    = "request_data"
	genAISystem     = "gen_ai.system"
	genAIProvider   = "gen_ai.provider.name" // the same from version 1.37 of the conventions on
)

// Words that are in every response that requests calls, and in every request that has results or lists tools.
var (
	rawAsks  = words.Of("tool_calls", "tool_use", "function_call", "functionCall", "custom_tool_call")
	rawTells = words.Of("tools", "tool_call_id", "tool_result", "function_call_output", "custom_tool_call_output")
)

func (s *source) langSmithResponse() ModelResponse {
	return s.rawResponse(langSmithOutput, langSmithInput)
}
func (s *source) langfuseResponse() ModelResponse {
	return s.rawResponse(langfuseOutput, langfuseInput)
}

// logfireResponse takes Anthropic's arguments out of {"input": ...}, in which Logfire leaves them. Its first versions do not
// name the provider, but their template does.
func (s *source) logfireResponse() ModelResponse {
	a := s.rawResponse(logfireResponse, logfireGiven)
	if s.text(genAIProvider, genAISystem) != "anthropic" && !strings.HasPrefix(s.marker(logfireTemplate), logfireAnthropic) {
		return a
	}
	for i, call := range a.Requests {
		v, _ := call.Arguments.Value()
		if input, ok := v.Member("input"); ok && v.Len() == 1 {
			a.Requests[i].Arguments = asPayload(&s.scratch.text, input)
		}
	}
	return a
}

// rawResponse reads a response and the request that it answers. The request is decoded at most once.
func (s *source) rawResponse(response, given string) ModelResponse {
	a := s.draft()
	a.askRaw(s.document(response, rawAsks))
	if len(a.Requests) == 0 && !s.scratch.want.Results {
		return a.ModelResponse
	}
	request := s.document(given, rawTells)
	if s.scratch.want.Results {
		a.tellRaw(request)
	}
	if len(a.Requests) == 0 {
		return a.ModelResponse
	}
	if names := s.toolsIn(genAIDefinitions); len(names) > 0 {
		return a.of(names)
	}
	return a.of(s.scratch.toolNames(at(request, "tools")))
}

// askRaw adds the calls in a response. If there are several choices, only the first counts, because the others are
// alternatives to it.
func (a *draft) askRaw(response scoring.Value) {
	last := responseIn(response)
	if last.Kind() == scoring.Object {
		a.askMessage(plain(last))
		return
	}
	for message := range last.Elements() {
		if message = plain(message); is(message, "role", "user", "tool", "human") || is(message, "type", "human", "tool") {
			a.Requests = nil // a whole conversation: the response is last
			continue
		}
		a.askMessage(message)
	}
}

// responseIn finds the message, or the list of messages, in a response.
func responseIn(response scoring.Value) scoring.Value {
	if choice := head(at(response, "choices")); choice.Kind() == scoring.Object {
		return at(choice, "message")
	}
	if candidate := head(at(response, "candidates")); candidate.Kind() == scoring.Object {
		return at(candidate, "content")
	}
	if generation := head(head(at(response, "generations"))); generation.Kind() == scoring.Object {
		return at(generation, "message")
	}
	for _, key := range [...]string{"message", "output", "messages"} {
		if inner := at(response, key); inner.Kind() == scoring.Object || inner.Kind() == scoring.Array {
			return inner
		}
	}
	return response
}

// plain is a message without the constructor that LangChain serialises it in.
func plain(message scoring.Value) scoring.Value {
	if kwargs := at(message, "kwargs"); kwargs.Kind() == scoring.Object && at(message, "lc").Kind() == scoring.Number {
		return kwargs
	}
	return message
}

// askMessage adds the calls of one message, from the first place that has any: LangChain repeats them up to three times.
func (a *draft) askMessage(message scoring.Value) {
	before := len(a.Requests)
	if is(message, "type", "function_call", "custom_tool_call") {
		a.ask(ToolRequest{ID: text(message, "call_id"), Name: text(message, "name"), Arguments: a.scratch.arguments(message, "arguments", "input")})
		return
	}
	if a.askCalls(at(message, "tool_calls")); len(a.Requests) > before {
		return
	}
	if a.askBlocks(at(message, "content")); len(a.Requests) > before {
		return
	}
	if a.askCalls(at(message, "additional_kwargs", "tool_calls")); len(a.Requests) > before {
		return
	}
	if a.askFunctions(at(message, "parts")); len(a.Requests) > before {
		return
	}
	// OpenAI's form before tools had it, which LangChain keeps: one function, without an ID.
	for _, function := range [...]scoring.Value{at(message, "function_call"), at(message, "additional_kwargs", "function_call")} {
		if a.ask(ToolRequest{Name: text(function, "name"), Arguments: a.scratch.arguments(function, "arguments")}); len(a.Requests) > before {
			return
		}
	}
}

// askCalls adds [{"id", "function": {"name", "arguments"}}], OpenAI's form, or [{"id", "name", "args"}], LangChain's. OpenAI's custom
// tools take a text: [{"id", "custom": {"name", "input"}}].
func (a *draft) askCalls(calls scoring.Value) {
	for call := range calls.Elements() {
		a.askCall(call)
	}
}

func (a *draft) askCall(call scoring.Value) {
	if function := first(call, "function", "custom"); function.Kind() == scoring.Object {
		a.ask(ToolRequest{ID: text(call, "id"), Name: text(function, "name"), Arguments: a.scratch.arguments(function, "arguments", "input")})
	} else if _, ok := call.Member("args"); ok {
		a.ask(ToolRequest{ID: text(call, "id"), Name: text(call, "name"), Arguments: a.scratch.arguments(call, "args")})
	}
}

// askBlocks adds [{"type": "tool_use", "id", "name", "input"}], Anthropic's form.
func (a *draft) askBlocks(blocks scoring.Value) {
	for block := range blocks.Elements() {
		if is(block, "type", "tool_use") {
			a.ask(ToolRequest{ID: text(block, "id"), Name: text(block, "name"), Arguments: a.scratch.arguments(block, "input")})
		}
	}
}

// askFunctions adds [{"functionCall": {"id", "name", "args"}}], Gemini's form. It leaves out args that are empty.
func (a *draft) askFunctions(parts scoring.Value) {
	for part := range parts.Elements() {
		function := first(part, "functionCall", "function_call")
		if function.Kind() != scoring.Object {
			continue
		}
		call := ToolRequest{ID: text(function, "id"), Name: text(function, "name"), Arguments: a.scratch.arguments(function, "args")}
		if a.scratch.want.Arguments && !call.Arguments.Captured() {
			call.Arguments = scoring.Omitted()
		}
		a.ask(call)
	}
}

// tellRaw adds the results in a request, which is the list of messages or has it as a member. LangChain has a list of such
// lists, one for each request.
func (a *draft) tellRaw(request scoring.Value) {
	messages := request
	if request.Kind() == scoring.Object {
		messages = first(request, "messages", "input")
	}
	if inner := head(messages); inner.Kind() == scoring.Array {
		messages = inner
	}
	for _, message := range turn(messages, spokenRaw) {
		a.tellMessage(plain(message))
	}
}

// spokenRaw reports whether a message is the user's own. Anthropic's results are in messages of the user.
func spokenRaw(message scoring.Value) bool {
	message = plain(message)
	return (is(message, "role", "user", "human") || is(message, "type", "human")) && !some(at(message, "content"), isToolResult)
}

func isToolResult(block scoring.Value) bool { return is(block, "type", "tool_result") }

func (a *draft) tellMessage(message scoring.Value) {
	if is(message, "type", "function_call_output", "custom_tool_call_output") {
		a.tell(ToolResult{ID: text(message, "call_id"), Output: a.scratch.content(message, "output")})
		return
	}
	if id := text(message, "tool_call_id"); id != "" {
		a.tell(ToolResult{ID: id, Output: a.scratch.content(message, "content"), Failed: is(message, "status", "error")})
		return
	}
	for block := range at(message, "content").Elements() {
		if isToolResult(block) {
			a.tell(ToolResult{ID: text(block, "tool_use_id"), Output: a.scratch.content(block, "content"), Failed: at(block, "is_error").Bool()})
		}
	}
}
