package dialect

import (
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestDSPy(t *testing.T) {
	tool := func(input string) map[string]any {
		return map[string]any{openInferenceKind: "TOOL", openInferenceInput: input, openInferenceInputType: "application/json"}
	}
	chain := map[string]any{openInferenceKind: "CHAIN"}
	checkRows(t, []row{
		{
			name: "a call", scope: dspyScope, span: "search.__call__", attributes: tool(`{"kwargs": {"q": "a"}}`), status: ptrace.StatusCodeOk,
			want: call("search").with(func(r *Reading) {
				r.Call.Arguments, r.Call.Status = scoring.JSON(`{"q":"a"}`), scoring.StatusOK
			}),
			reason: "the span is named after the tool and the method, and its input is what the method was called with",
		},
		{
			name: "a call in an event loop", scope: dspyScope, span: "search.acall", attributes: tool(`{"kwargs": {}}`),
			want:   call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON(`{}`) }),
			reason: "the method has another name",
		},
		{
			name: "no content", scope: dspyScope, span: "search.__call__", attributes: tool(openInferenceRedacted), want: call("search"),
			reason: "inputs are hidden",
		},
		{
			name: "attributes of wrong types", scope: dspyScope, span: "search.__call__",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceInput: 1, openInferenceToolName: map[string]any{"a": 1}},
			want:       call("search").with(func(r *Reading) { r.Call.Arguments = scoring.JSON("1") }),
			reason:     "the name is the span's",
		},
		{
			name: "the end of a run", scope: dspyScope, span: "finish.__call__", attributes: tool(`{"kwargs": {}}`), want: Reading{},
			reason: "the framework offers it to the model, and the application knows nothing of it",
		},
		{
			name: "the end of a run with its output", scope: dspyScope, span: "finish.acall",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceInput: `{"kwargs": {}}`, openInferenceOutput: `"Completed."`, openInferenceOutputType: "application/json"},
			want:       Reading{}, reason: "as it was recorded",
		},
		{
			name: "the end of a run without content", scope: dspyScope, span: "finish.__call__",
			attributes: map[string]any{openInferenceKind: "TOOL", openInferenceInput: openInferenceRedacted, openInferenceOutput: openInferenceRedacted},
			want:       Reading{}, reason: "each run of the framework ends like that",
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
		{name: "an agent", scope: dspyScope, span: "ReAct.forward", attributes: chain, want: Reading{Role: Agent}, reason: "the class is no agent's name"},
		{name: "an agent in an event loop", scope: dspyScope, span: "ReAct.aforward", attributes: chain, want: Reading{Role: Agent}, reason: "the method has another name"},
		{
			name: "a module that calls a model", scope: dspyScope, span: "Predict.forward", attributes: chain,
			want: Reading{Role: Workflow, Agent: "Predict.forward"}, reason: "as any outermost chain",
		},
	})
}
