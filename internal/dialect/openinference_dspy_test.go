package dialect

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestDSPy(t *testing.T) {
	tool := func(input string) map[string]any {
		return map[string]any{openInferenceKind: "TOOL", openInferenceInput: input, openInferenceInputType: "application/json"}
	}
	checkRows(t, []row{
		{
			name: "attributes of wrong types", scope: dspyScope, span: "search.__call__",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceInput: 1, openInferenceToolName: map[string]any{"a": 1}},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("1") }),
			reason:     "the name is the span's",
		},
		{
			name: "a tool with that name and arguments", scope: dspyScope, span: "finish.__call__", attributes: tool(`{"kwargs": {"order": 7}}`),
			want:   call("finish").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{"order":7}`) }),
			reason: "the framework's tool takes none",
		},
		{
			name: "a tool with that name and another output", scope: dspyScope, span: "finish.__call__",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceInput: `{"kwargs": {}}`, openInferenceOutput: "deleted"},
			want: call("finish").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Output = scoring.JSON(`{}`), scoring.Text("deleted")
			}),
			reason: "the framework's tool says that the run is completed",
		},
		{
			name: "a tool named like a method", scope: dspyScope, span: "delete_all.forward.__call__", attributes: tool(`{"kwargs": {}}`),
			want:   call("delete_all.forward").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{}`) }),
			reason: "only the method that a tool is called by is cut off, once",
		},
		{
			name: "a tool's own name like a method", scope: dspyScope, span: "x.__call__",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceToolName: "delete_all.forward"},
			want:       call("delete_all.forward"), reason: "a name is not cut",
		},
		{
			name: "the end of a run elsewhere", span: "finish", attributes: tool(`{}`),
			want:   call("finish").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{}`) }),
			reason: "other frameworks have no such tool, so it is the application's",
		},
	})
}
