package dialect

import (
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Messages of OpenInference, flattened, and of the frameworks whose own form stands beside them.
//
// Source: https://github.com/Arize-ai/openinference, spec/semantic_conventions.md.
const (
	openInferenceAnswered = "llm.output_messages."
	openInferenceGiven    = "llm.input_messages."
	openInferenceTools    = "llm.tools."
	openInferenceSchema   = "tool.json_schema"
)

func (s source) openInferenceAnswer() Answer {
	var a Answer
	s.flattened(openInferenceAnswered).asked(&a)
	if s.results {
		s.flattened(openInferenceGiven).results(&a)
	}
	if a.Empty() {
		a = s.parts(s.attributes)
	}
	if len(a.Asked) == 0 {
		return a
	}
	s.identify(a.Asked)
	return a.of(s.openInferenceOffered())
}

// identify gives calls without an id the one from LangChain's generation, whose instrumentation for JavaScript leaves
// it out of the flattened form.
func (s source) identify(asked []Asked) {
	for _, call := range asked {
		if call.ID != "" {
			return
		}
	}
	var named Answer
	named.askRaw(s.document(openInferenceOutput, `"generations"`))
	if len(named.Asked) != len(asked) {
		return
	}
	for i, call := range named.Asked {
		if call.Name != asked[i].Name {
			return
		}
	}
	for i, call := range named.Asked {
		asked[i].ID = call.ID
	}
}

// openInferenceOffered reads llm.tools.<i>.tool.json_schema.
func (s source) openInferenceOffered() offered {
	return s.listed(openInferenceTools, openInferenceSchema, func(v pcommon.Value) scoring.Value {
		return documentOf(v, nil)
	})
}

// listed are the names of the tools in the attributes <prefix><i>.<field>.
func (s source) listed(prefix, field string, tool func(pcommon.Value) scoring.Value) offered {
	var names offered
	for key, value := range s.attributes.All() {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		if _, rest, ok = cutIndex(rest); !ok || rest != field {
			continue
		}
		if names = names.with(tool(value)); names == nil {
			return nil
		}
	}
	return names
}
