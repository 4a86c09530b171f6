package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestDify(t *testing.T) {
	checkRows(t, []row{
		{
			name: "a tool node",
			span: "Search the shop",
			attributes: map[string]any{
				"gen_ai.span.kind": "TOOL", "gen_ai.framework": "dify", genAIToolName: "Search the shop", genAIArguments: `{"q": "a"}`,
				genAIResult: `{"text": "sunny"}`, openInferenceInput: `{"q": "a"}`,
			},
			status: ptrace.StatusCodeOk,
			want: call("Search the shop").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q": "a"}`), scoring.JSON(`{"text": "sunny"}`)
				r.Call.Status = scoring.StatusOK
			}),
			reason: "the node's title is all there is of a name",
		},
		{
			name:       "a node without the tool's keys",
			span:       "search",
			attributes: map[string]any{"gen_ai.span.kind": "TOOL", "gen_ai.framework": "dify", openInferenceInput: `{}`, openInferenceOutput: `{"n": 1}`},
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{}`), scoring.JSON(`{"n": 1}`)
			}),
			reason: "every node has its inputs and outputs",
		},
		{
			name:       "no content",
			span:       "search",
			attributes: map[string]any{"gen_ai.span.kind": "TOOL", "gen_ai.framework": "dify"},
			want:       call("search"),
			reason:     "a node that did not run to its end has none",
		},
		{
			name:       "another node",
			span:       "If/else",
			attributes: map[string]any{"gen_ai.span.kind": "TASK", "gen_ai.framework": "dify"},
			reason:     "the workflow's own steps are no tools",
		},
		{
			name:       "another framework",
			span:       "search",
			attributes: map[string]any{"gen_ai.span.kind": "TOOL", "gen_ai.framework": "agentscope"},
			reason:     "the key for kinds is not Dify's alone",
		},
		{
			name: "wrong types",
			span: "search",
			attributes: map[string]any{
				"gen_ai.span.kind": "TOOL", "gen_ai.framework": "dify", genAIToolName: []any{"x"}, genAICallID: []any{"x"}, genAIArguments: map[string]any{"q": 1},
			},
			want:   call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"q":1}`) }),
			reason: "what is no name is as good as absent",
		},
	})
}
