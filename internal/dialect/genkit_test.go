package dialect

import (
	"maps"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestGenkit(t *testing.T) {
	action := func(subtype string, more map[string]any) map[string]any {
		attributes := map[string]any{"genkit:type": "action", "genkit:metadata:subtype": subtype, genkitName: "search"}
		maps.Copy(attributes, more)
		return attributes
	}
	checkRows(t, []row{
		{
			name: "a tool that failed by its state alone", attributes: action("tool", map[string]any{"genkit:state": "error"}),
			want:   call("search").with(func(r *Reading) { r.Call.Status = scoring.StatusFailed }),
			reason: "the state says what the status says",
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
			name: "wrong types", attributes: map[string]any{"genkit:type": "action", "genkit:metadata:subtype": 1, genkitName: "search"},
			reason: "an action of no kind",
		},
		{
			name: "a marker of the wrong type", attributes: map[string]any{"genkit:type": 1, "genkit:metadata:subtype": "tool"},
			reason: "a marker counts only as a string",
		},
	})
}
