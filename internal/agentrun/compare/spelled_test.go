package compare

import (
	"strconv"
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestMayMean(t *testing.T) {
	lost := agentrun.Traits{NormalizedName: true}
	for _, tc := range []struct {
		called string
		traits agentrun.Traits
		tool   scoring.Tool
		want   bool
		reason string
	}{
		{"deleteUser", lost, scoring.Tool{Name: "delete_user"}, true, "the span has lost the separator"},
		{"deleteUser", agentrun.Traits{}, scoring.Tool{Name: "delete_user"}, false, "the span has the name as it was written, so it is another tool"},
		{"deleteUser", lost, scoring.Tool{Name: "deleteUser"}, false, "the method itself finds an equal name"},
		{"deleteUser", lost, scoring.Tool{Name: "delete*"}, false, "and a name that the pattern matches"},
		{"deleteUser", lost, scoring.Tool{Name: "delete_*"}, true, "the pattern matches without the separator only"},
		{"deleteUser", lost, scoring.Tool{Names: []string{"shell", "delete_user"}}, true, "an alternative is a name, too"},
		{"search", lost, scoring.Tool{Name: "delete_user"}, false, "another tool"},
	} {
		calls := []agentrun.Call{{Call: scoring.Call{Name: "other"}}, {Call: scoring.Call{Name: tc.called}, Traits: tc.traits}}
		if got := MayMean(calls, []scoring.Tool{{Name: "refund"}, tc.tool}); got != tc.want {
			t.Errorf("%q may mean %+v: %v, want %v: %s", tc.called, tc.tool, got, tc.want, tc.reason)
		}
	}
}

// Senders decide how many calls there are, and configurations how many tools. Beyond the bound a call may mean any tool.
func TestMayMeanIsBounded(t *testing.T) {
	calls, tools := make([]agentrun.Call, maxSpellings/256), make([]scoring.Tool, 257)
	for i := range calls {
		calls[i] = agentrun.Call{Call: scoring.Call{Name: "call" + strconv.Itoa(i)}, Traits: agentrun.Traits{NormalizedName: true}}
	}
	for i := range tools {
		tools[i].Name = "tool_" + strconv.Itoa(i)
	}
	if MayMean(calls, tools[:256]) {
		t.Error("a call may mean a tool of another name")
	}
	if !MayMean(calls, tools) {
		t.Error("more names were compared than the bound allows")
	}
}
