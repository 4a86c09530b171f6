package dialect

import (
	"maps"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestGenkit(t *testing.T) {
	action := func(subtype string, more map[string]any) map[string]any {
		attributes := map[string]any{"genkit:type": "action", "genkit:metadata:subtype": subtype, genkitName: "search"}
		maps.Copy(attributes, more)
		return attributes
	}
	read := call("search").with(func(r *Reading) {
		r.Call.Arguments, r.Call.Output = scoring.JSON(`{"q":"a"}`), scoring.JSON(`"b"`)
	})
	content := map[string]any{genkitInput: `{"q":"a"}`, genkitOutput: `"b"`, "genkit:state": "success"}
	checkRows(t, []row{
		{name: "a tool", attributes: action("tool", content), want: read, reason: "an action of the kind that models may call"},
		{name: "a newer tool", attributes: action("tool.v2", content), want: read, reason: "a tool that may also return media"},
		{
			name: "a tool that failed", attributes: action("tool", map[string]any{"genkit:state": "error"}),
			status: ptrace.StatusCodeError,
			want:   call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason: "there is no output then",
		},
		{
			name: "a tool that failed by its state alone", attributes: action("tool", map[string]any{"genkit:state": "error"}),
			want:   call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason: "the state says what the status says",
		},
		{
			name: "a flow", attributes: action("flow", map[string]any{"genkit:sessionId": "s1"}),
			want:   Reading{Role: Agent, Agent: "search", Conversation: "s1"},
			reason: "Genkit's word for what runs models and tools",
		},
		{
			name: "an older flow", attributes: map[string]any{"genkit:type": "flow", genkitName: "search"},
			want:   Reading{Role: Agent, Agent: "search"},
			reason: "before 1.0 a flow was no action",
		},
		{
			name: "an agent", span: "search", attributes: map[string]any{"genkit:type": "action", "genkit:metadata:subtype": "agent"},
			want:   Reading{Role: Agent, Agent: "search"},
			reason: "newer versions have them; the span bears the name too",
		},
		{
			name: "a model", attributes: action("model", nil),
			want:   Reading{Role: ModelCall, Messages: GenkitMessages},
			reason: "its answer names the calls",
		},
		{
			name: "generate", attributes: map[string]any{"genkit:type": "util", genkitName: "generate"},
			reason: "the loop between the flow and the model",
		},
		{
			name: "wrong types", attributes: map[string]any{"genkit:type": "action", "genkit:metadata:subtype": 1, genkitName: "search"},
			reason: "an action of no kind",
		},
		{
			name: "a marker of the wrong type", attributes: map[string]any{"genkit:type": 1, "genkit:metadata:subtype": "tool"},
			reason: "a marker counts only as a string",
		},
	})
}
