package dialect

import (
	"testing"
)

// A framework's own tool is no call where the framework wrote the span, and one elsewhere.
func TestOwnTools(t *testing.T) {
	for tool, all := range ownTools {
		for _, own := range all {
			scope := own.scope
			if scope[0] == '*' {
				scope = scope[1:]
			}
			attributes := map[string]any{
				genAIOperation: executeTool, genAIToolName: tool, genAIToolDescription: own.description, "gen_ai.tool.call_id": "c1",
				openInferenceKind: "TOOL", genAIArguments: `{"a":1}`,
			}
			if scope == "gemini-cli" {
				attributes[genAIOperation] = "tool_call"
			}
			span := newSpan("execute_tool "+tool, attributes)
			if r, is := ScopeOf(scope).Read(span); is {
				t.Errorf("%s of %s is read as %+v", tool, scope, r)
			}
			attributes[genAIOperation] = executeTool
			if r, _ := ScopeOf("app").Read(newSpan("execute_tool "+tool, attributes)); r.Role != ToolCall || r.Call.Name != tool {
				t.Errorf("%s of an application is read as %+v", tool, r)
			}
		}
	}
}
