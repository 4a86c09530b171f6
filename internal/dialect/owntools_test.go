package dialect

import (
	"cmp"
	"strings"
	"testing"
)

// A framework's own tool is no call where the framework wrote the span, and one elsewhere.
func TestOwnTools(t *testing.T) {
	for _, own := range ownTools {
		scope := strings.TrimPrefix(own.scope, "*")
		attributes := map[string]any{
			genAIOperation: executeTool, genAIToolName: own.name, genAIToolDescription: own.description, "gen_ai.tool.call_id": "c1",
			openInferenceKind: "TOOL", genAIArguments: `{"a":1}`,
		}
		if scope == "gemini-cli" {
			attributes[genAIOperation] = "tool_call"
		}
		span := newSpan(cmp.Or(own.span, "execute_tool "+own.name), attributes)
		if r, is := ScopeOf(scope).Read(span); is {
			t.Errorf("%s of %s is read as %+v", own.name, scope, r)
		}
		attributes[genAIOperation] = executeTool
		if r, _ := ScopeOf("app").Read(newSpan("execute_tool "+own.name, attributes)); r.Role != ToolCall || r.Call.Name != own.name {
			t.Errorf("%s of an application is read as %+v", own.name, r)
		}
	}
}
