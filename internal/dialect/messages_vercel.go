package dialect

import (
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages of the Vercel AI SDK, and of BeeAI, which keeps the SDK's own.
//
// Source: https://github.com/vercel/ai, packages/ai/src/generate-text and packages/provider/src/language-model;
// https://github.com/i-am-bee/beeai-framework, typescript/src/backend/message.ts.
const (
	vercelPrompt = "ai.prompt.messages"
	vercelTools  = "ai.prompt.tools"
)

// Words that are in every text that requests calls or has results.
var (
	vercelAsks  = words.Of("toolCallId")
	vercelTells = words.Of("tool-result")
	beeAIAsks   = words.Of("tool-call")
)

// vercelResponse reads ai.response.toolCalls: [{"toolCallId", "toolName", "input"}], in version 4 "args".
func (s *source) vercelResponse() ModelResponse {
	a := s.draft()
	for call := range s.document(vercelToolCalls, vercelAsks).Elements() {
		a.askVercel(call)
	}
	if s.scratch.want.Results {
		a.tellVercel(s.document(vercelPrompt, vercelTells))
	}
	if len(a.Requests) == 0 {
		return a.ModelResponse
	}
	return a.of(s.toolsIn(vercelTools))
}

// beeAIResponse reads [{"role": "assistant", "content": [{"type": "tool-call", ...}]}]. The span of a response does not list
// the offered tools, and the span of a request has no response.
func (s *source) beeAIResponse() ModelResponse {
	a := s.draft()
	for message := range s.document(openInferenceOutput, beeAIAsks).Elements() {
		for part := range at(message, "content").Elements() {
			if is(part, "type", "tool-call") && camelCase(text(part, "toolName")) != beeAIFinal {
				a.askVercel(part)
			}
		}
	}
	if s.scratch.want.Results {
		a.tellVercel(s.document(openInferenceInput, vercelTells))
	}
	return a.ModelResponse
}

func (a *draft) askVercel(call scoring.Value) {
	a.ask(ToolRequest{ID: text(call, "toolCallId"), Name: text(call, "toolName"), Arguments: a.scratch.arguments(call, "input", "args")})
}

// tellVercel adds the results in [{"role": "tool", "content": [{"type": "tool-result", ...}]}].
func (a *draft) tellVercel(messages scoring.Value) {
	for _, message := range turn(messages, func(m scoring.Value) bool { return is(m, "role", "user") }) {
		for part := range at(message, "content").Elements() {
			if is(part, "type", "tool-result") {
				a.tell(a.vercelResult(part))
			}
		}
	}
}

// vercelResult reads a result: {"type", "value"} since version 5, where the type also marks a failure, and before that the
// value alone. A call that the user did not allow was not executed, and has no result.
func (a *draft) vercelResult(part scoring.Value) ToolResult {
	r := ToolResult{ID: text(part, "toolCallId"), Failed: at(part, "isError").Bool()}
	output := at(part, "output")
	switch kind := at(output, "type").Text(); {
	case kind == "execution-denied":
		return ToolResult{}
	case output.Kind() == scoring.Object && kind != "":
		r.Output = a.scratch.content(output, "value")
		r.Failed = r.Failed || strings.HasPrefix(kind, "error-")
	default:
		r.Output = a.scratch.output(part, "output", "result")
	}
	return r
}
