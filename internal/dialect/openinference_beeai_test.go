package dialect

import (
	"maps"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestBeeAI(t *testing.T) {
	event := func(path string, rest map[string]any) map[string]any {
		attributes := map[string]any{
			openInferenceKind: "TOOL", beeAITarget: path, openInferenceParameters: `{"order_id":"A-404"}`,
		}
		maps.Copy(attributes, rest)
		return attributes
	}
	lookup := call("lookupOrder").with(func(r *Reading) {
		r.Traits, r.Call.Arguments = NormalizedName, scoring.JSON(`{"order_id":"A-404"}`)
	})
	rows := []row{
		{
			name:       "a call begins",
			span:       "tool.dynamic.lookupOrder.start-1",
			attributes: event("tool.dynamic.lookupOrder.start", nil),
			want:       lookup,
			reason:     "the event shows that the call is made, and its path has the name in camel case",
		},
		{
			name:       "without the path",
			span:       "tool.dynamic.lookupOrder.start-12",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceParameters: `{"order_id":"A-404"}`},
			want:       lookup,
			reason:     "the span's name is the path with a number",
		},
		{
			name: "it succeeds",
			attributes: event("tool.dynamic.lookupOrder.success", map[string]any{
				openInferenceOutput: `{"result":{"status":"shipped"}}`,
			}),
			want: lookup.with(func(r *Reading) {
				r.Traits |= ResultOnly
				r.Call.Status, r.Call.Output = scoring.StatusOK, scoring.JSON(`{"status":"shipped"}`)
			}),
			reason: "the same call once more, with what came out of it",
		},
		{
			name: "it fails",
			attributes: event("tool.dynamic.lookupOrder.error", map[string]any{
				"exception.message": `Tool "lookup_order" has occurred an error!`,
			}),
			want:   lookup.with(func(r *Reading) { r.Traits |= ResultOnly; r.Call.Status = scoring.StatusFailed }),
			reason: "the message has the tool's real name, but the span that began the call has not",
		},
		{
			name:       "it ends",
			attributes: event("tool.dynamic.lookupOrder.finish", nil),
			reason:     "the event of success or failure had all",
		},
		{
			name:       "a server's tool with the name of the final answer",
			attributes: event("tool.mcp.finalAnswer.start", nil),
			want: call("finalAnswer").with(func(r *Reading) {
				r.Traits, r.Call.Arguments = NormalizedName, scoring.JSON(`{"order_id":"A-404"}`)
			}),
			reason: "the framework's is a tool of another kind",
		},
		{
			name: "switched-off content",
			attributes: event("tool.dynamic.lookupOrder.success", map[string]any{
				openInferenceOutput: openInferenceRedacted,
			}),
			want:   lookup.with(func(r *Reading) { r.Traits |= ResultOnly; r.Call.Status = scoring.StatusOK }),
			reason: "the instrumentation hides the output, but not tool.parameters",
		},
		{
			name:       "hidden arguments",
			attributes: event("tool.dynamic.lookupOrder.start", map[string]any{openInferenceParameters: openInferenceRedacted}),
			want:       call("lookupOrder").with(func(r *Reading) { r.Traits = NormalizedName }),
			reason:     "a placeholder is not captured",
		},
		{
			name:       "no path at all",
			span:       "tool",
			attributes: map[string]any{openInferenceKind: "TOOL"},
			reason:     "a span of this instrumentation that is no event of a tool",
		},
		{
			name: "wrong types",
			span: "tool.dynamic.lookupOrder.start-1",
			attributes: map[string]any{
				openInferenceKind: "TOOL", beeAITarget: []any{"a"}, openInferenceParameters: map[string]any{"order_id": "A-404"},
			},
			want:   lookup,
			reason: "a path that is no text is as good as absent",
		},
	}
	for i := range rows {
		rows[i].scope = beeAIScope
	}
	checkRows(t, rows)
}
