package dialect

import (
	"slices"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/dialect/words"
)

// Messages of OpenInference, flattened, and of the frameworks whose own form stands beside them.
//
// Source: https://github.com/Arize-ai/openinference, spec/semantic_conventions.md.
const (
	openInferenceTools  = "llm.tools."
	openInferenceSchema = "tool.json_schema"
)

// langChainGenerations stands in what LangChain returns.
var langChainGenerations = words.Of("generations")

func (s *source) openInferenceResponse() ModelResponse { return s.openInferenceDraft(false) }

// langChainResponse is for the instrumentations of LangChain alone: the output of another may be the model's text.
func (s *source) langChainResponse() ModelResponse { return s.openInferenceDraft(true) }

func (s *source) openInferenceDraft(ofLangChain bool) ModelResponse {
	a := s.draft()
	s.flattened("llm.output_messages.").asked(&a)
	if s.scratch.want.Results {
		s.flattened("llm.input_messages.").results(&a)
	}
	if a.Empty() {
		a.ModelResponse = s.parts(s.attributes)
	}
	if len(a.Requests) == 0 {
		return a.ModelResponse
	}
	if ofLangChain {
		s.identify(a.Requests)
	}
	return a.of(s.listed(openInferenceTools, openInferenceSchema))
}

// identify gives calls without an id the one from LangChain's generation, whose instrumentation for JavaScript leaves
// it out of the flattened form.
func (s *source) identify(asked []ToolRequest) {
	if slices.ContainsFunc(asked, func(call ToolRequest) bool { return call.ID != "" }) {
		return
	}
	named := s.draft()
	named.askAll(s.hint(openInferenceOutput, langChainGenerations), rawRequests, rawResults, true)
	if !slices.EqualFunc(named.Requests, asked, func(a, b ToolRequest) bool { return a.Name == b.Name }) {
		return
	}
	for i, call := range named.Requests {
		asked[i].ID = call.ID
	}
}
