package dialect

import (
	"strings"

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

// vercelAnswer reads ai.response.toolCalls: [{"toolCallId", "toolName", "input"}], in version 4 "args".
func (s source) vercelAnswer() Answer {
	var a Answer
	for call := range s.document(vercelToolCalls, `"toolCallId"`).Elements() {
		a.askVercel(call)
	}
	if s.results {
		a.tellVercel(s.document(vercelPrompt, `"tool-result"`))
	}
	if len(a.Asked) == 0 {
		return a
	}
	return a.of(toolNames(s.document(vercelTools)))
}

// beeAIAnswer reads [{"role": "assistant", "content": [{"type": "tool-call", ...}]}]. The span of an answer does not tell
// which tools were offered, and the span of a question has no answer.
func (s source) beeAIAnswer() Answer {
	var a Answer
	for message := range s.document(openInferenceOutput, `"tool-call"`).Elements() {
		for part := range at(message, "content").Elements() {
			if is(part, "type", "tool-call") && camelCase(text(part, "toolName")) != beeAIFinal {
				a.askVercel(part)
			}
		}
	}
	if s.results {
		a.tellVercel(s.document(openInferenceInput, `"tool-result"`))
	}
	return a
}

func (a *Answer) askVercel(call scoring.Value) {
	a.ask(Asked{ID: text(call, "toolCallId"), Name: text(call, "toolName"), Arguments: encoded(call, "input", "args")})
}

// tellVercel adds the results in [{"role": "tool", "content": [{"type": "tool-result", ...}]}].
func (a *Answer) tellVercel(messages scoring.Value) {
	for _, message := range turn(messages, func(m scoring.Value) bool { return is(m, "role", "user") }) {
		for part := range at(message, "content").Elements() {
			if is(part, "type", "tool-result") {
				a.tell(vercelResultOf(part))
			}
		}
	}
}

// vercelResultOf reads a result: {"type", "value"} since version 5, where the type also tells a failure, and before
// that the value alone. A call that the user did not allow was not executed, and has no result.
func vercelResultOf(part scoring.Value) Result {
	r := Result{ID: text(part, "toolCallId"), Failed: at(part, "isError").Bool()}
	output := at(part, "output")
	switch kind := at(output, "type").Text(); {
	case kind == "execution-denied":
		return Result{}
	case output.Kind() == scoring.Object && kind != "":
		r.Output = contentOf(output, "value")
		r.Failed = r.Failed || strings.HasPrefix(kind, "error-")
	default:
		r.Output = encoded(part, "output", "result")
	}
	return r
}
