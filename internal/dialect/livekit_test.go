package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestLiveKit(t *testing.T) {
	checkRows(t, []row{
		{
			name: "a tool",
			span: "function_tool",
			attributes: map[string]any{
				liveKitTool: "weather", "lk.function_tool.id": "call_1", "lk.pii.function_tool.arguments": `{"city":"Oslo"}`, "lk.pii.function_tool.output": "{'temp': 7}",
				liveKitIsError: false, genAIOperation: executeTool, genAIToolName: "weather",
			},
			want: call("weather").with(func(r *Reading) {
				r.CallID, r.Call.Status = "call_1", scoring.StatusOK
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"city":"Oslo"}`), scoring.JSON(`{"temp":7}`)
			}),
			reason: "the result is the text that str() makes of it",
		},
		{
			name: "an older version",
			span: "function_tool",
			attributes: map[string]any{
				liveKitTool: "weather", "lk.function_tool.arguments": `{}`, "lk.function_tool.output": "no such city", liveKitIsError: true,
			},
			want: call("weather").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output, r.Call.Status = scoring.JSON(`{}`), scoring.JSON("no such city"), scoring.StatusFailed
			}),
			reason: "the keys before they were marked as personal",
		},
		{
			name:       "content taken out",
			span:       "function_tool",
			attributes: map[string]any{liveKitTool: "weather"},
			status:     ptrace.StatusCodeError,
			want:       call("weather").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "what is personal may be stripped on the way",
		},
		{
			name: "wrong types",
			span: "function_tool",
			attributes: map[string]any{
				liveKitTool: "weather", "lk.function_tool.id": []any{"x"}, "lk.pii.function_tool.output": []any{int64(1)}, liveKitIsError: "true",
			},
			want:   call("weather").with(func(r *Reading) { r.Call.Output = scoring.JSON("[1]") }),
			reason: "a text is no boolean",
		},
		{
			name:       "no name",
			span:       "function_tool",
			attributes: map[string]any{liveKitTool: []any{"weather"}, "lk.pii.function_tool.arguments": `{}`},
			reason:     "a marker counts only as a name",
		},
	})
}
