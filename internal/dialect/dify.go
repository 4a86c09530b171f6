package dialect

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring"

// Dify's workflows. A tool node's span bears the title that the node has in the workflow, and no other name.
//
// Source: https://github.com/langgenius/dify, api/extensions/otel/parser/base.py, tool.py beside it and
// api/extensions/otel/semconv/gen_ai.py.
const (
	difyKind      = "gen_ai.span.kind"
	difyFramework = "gen_ai.framework"
)

// readDify knows tool nodes. Others use the same key for kinds, so the framework has to be named as well.
func readDify(s source) (Reading, bool) {
	if s.marker(difyKind) != "TOOL" || s.marker(difyFramework) != "dify" {
		return Reading{}, false
	}
	name := s.text(genAIToolName)
	if name == "" {
		name = s.spanName()
	}
	return Reading{
		Role:         ToolCall,
		Conversation: s.text(genAIConversation, sessionID),
		CallID:       s.text(genAICallID),
		Call: scoring.Call{
			Name:      name,
			Arguments: s.payload(genAIArguments, openInferenceInput),
			Output:    s.payload(genAIResult, openInferenceOutput),
			Status:    s.status(),
		},
	}, true
}
