package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestHaystack(t *testing.T) {
	checkRows(t, []row{
		{
			name:       "a failed tool that ends the run",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": "weather"},
			status:     ptrace.StatusCodeError,
			want:       call("weather").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason:     "the exception leaves the span; no content is traced",
		},
		{
			name:       "a result with an error among other things",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": "weather", "haystack.agent.step.tool.output": `{"error": null, "temp": 7}`},
			want:       call("weather").with(func(r *Reading) { r.Call.Output = scoring.JSON(`{"error": null, "temp": 7}`) }),
			reason:     "it is the tool's own",
		},
		{
			name:       "all tools of a step",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.agent.step.tool.input": `{"messages": []}`, "haystack.agent.step.tool.output": `{"tool_messages": []}`},
			reason:     "an older form that names no tool",
		},
		{
			name:       "an application's own span",
			span:       "report",
			attributes: map[string]any{"haystack.tool.name": "weather"},
			reason:     "the name of the span says what the tool is to it",
		},
		{
			name:       "wrong types",
			span:       "haystack.agent.step.tool",
			attributes: map[string]any{"haystack.tool.name": []any{"weather"}, "haystack.agent.step.tool.input": `{}`},
			reason:     "without a tool's name it is the older form",
		},
	})
}
