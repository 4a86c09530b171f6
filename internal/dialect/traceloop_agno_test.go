package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestAgnoByOpenLLMetry(t *testing.T) {
	tool := func(input, output string) map[string]any {
		attributes := map[string]any{traceloopKind: "tool", traceloopName: "search", genAIToolName: "search"}
		for key, text := range map[string]string{"traceloop.entity.input": input, traceloopOutput: output} {
			if text != "" {
				attributes[key] = text
			}
		}
		return attributes
	}
	const failed, succeeded = `status='failure' result=None error='gone'`, `status='success' result="status='failure' " error=None`
	checkRows(t, []row{
		{
			name: "a result like a failure", scope: "opentelemetry.instrumentation.agno", attributes: tool(`{"q":"x"}`, succeeded),
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"x"}`), scoring.JSON(succeeded)
			}),
			reason: "a result decides nothing",
		},
		{
			name: "another scope", attributes: tool("", failed),
			want: call("search").with(func(r *Reading) { r.Call.Output = scoring.JSON(failed) }), reason: "it is a text like any other",
		},
	})
}
