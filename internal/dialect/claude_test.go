package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestClaude(t *testing.T) {
	execution := func(more map[string]any) map[string]any {
		more[claudeType], more[genAICallID] = "tool.execution", "toolu_1"
		return more
	}
	outcome := func(status scoring.CallStatus) Reading {
		return Reading{
			Role: ToolCall, CallID: "toolu_1", Traits: ResultOnly,
			Call: scoring.Call{Status: status},
		}
	}
	const executionName = "claude_code.tool.execution"
	checkRows(t, []row{
		{
			name: "neither", scope: claudeScope, span: executionName, attributes: execution(map[string]any{claudeSuccess: "no"}),
			want:   outcome(scoring.StatusUnset),
			reason: "a flag that is no boolean is as good as absent",
		},
		{
			name: "wrong types", scope: claudeScope, span: "claude_code.tool",
			attributes: map[string]any{claudeType: []any{"tool"}, genAIOperation: executeTool},
			reason:     "a marker counts only as a string",
		},
	})
}
