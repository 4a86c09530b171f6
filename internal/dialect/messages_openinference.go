package dialect

import (
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

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
	return a.of(s.openInferenceOffered())
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

// openInferenceOffered reads llm.tools.<i>.tool.json_schema.
func (s *source) openInferenceOffered() offered {
	used := s.scratch.used
	return s.listed(openInferenceTools, openInferenceSchema, func(v pcommon.Value) bool {
		s.scratch.used = used // the tool before has been read
		tool, _ := s.scratch.documentOf(v, nil)
		return s.scratch.offer(tool)
	})
}

// listed are the names of the tools in the attributes <prefix><i>.<field>, as offer puts them on the scratch.
func (s *source) listed(prefix, field string, offer func(pcommon.Value) bool) offered {
	s.scratch.names = emptied(s.scratch.names)
	for key, value := range s.attributes.All() {
		rest, ok := cutKey(key, prefix)
		if !ok {
			continue
		}
		if _, rest, ok = cutIndex(rest); ok && rest == field && !offer(value) {
			return nil
		}
	}
	return s.scratch.names
}
