package compare

import (
	"fmt"
	"testing"
	"unique"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// called is a call with arguments and an output; "" was not captured.
func called(name, arguments, output string) *agentrun.PendingCall {
	c := agentrun.PendingCall{Name: unique.Make(name), Payloads: &agentrun.CallPayloads{}}
	if arguments != "" {
		c.Payloads.Arguments = scoring.JSON(arguments)
	}
	if output != "" {
		c.Payloads.Output = scoring.JSON(output)
	}
	return &c
}

func TestWhatTwoRecordsContradict(t *testing.T) {
	one := called("get_weather", `{"a":1,"b":2}`, `"sun"`)
	for _, tc := range []struct {
		name                    string
		other                   *agentrun.PendingCall
		tool, arguments, output bool
		reason                  string
	}{
		{"the same in another form", called("GetWeather", `{ "b": 2, "a": 1 }`, `"s\u0075n"`), true, true, true, "names are folded, and payloads are compared by content"},
		{"nothing captured", called("get_weather", "", ""), true, true, true, "what is unknown contradicts nothing"},
		{"other values", called("search", `{"a":1}`, `"rain"`), false, false, false, "each is another call's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := NewCalls(new(Work))
			got := [...]bool{c.SameTool(one, tc.other), c.SameArguments(one, tc.other), c.SameOutput(one, tc.other)}
			if want := [...]bool{tc.tool, tc.arguments, tc.output}; got != want {
				t.Errorf("tool, arguments and output agree: %v, want %v: %s", got, want, tc.reason)
			}
		})
	}
}

// Few calls are compared one by one and many are hashed. Both find the requested one.
func TestARequestedCallIsFoundAmongAnyNumber(t *testing.T) {
	for _, n := range []int{1, few, few + 1, 100} {
		var calls []agentrun.PendingCall
		for i := range n {
			calls = append(calls, agentrun.PendingCall{CallID: fmt.Sprintf("call_%08d", i), Name: unique.Make("get_weather")})
		}
		ids := CallIDsOf(calls)
		for _, tc := range []struct {
			id, name string
			want     bool
			reason   string
		}{
			{calls[n-1].CallID, "GetWeather", true, "the ID is the last call's, and the name the same tool's"},
			{calls[n-1].CallID, "search", false, "an ID alone proves nothing"},
			{"call_unknown_id", "get_weather", false, "no call has the ID"},
		} {
			if got := ids.Have(&agentrun.ToolRequest{ID: tc.id, Name: tc.name}); got != tc.want {
				t.Errorf("%d calls have %s %s: %v, want %v: %s", n, tc.id, tc.name, got, tc.want, tc.reason)
			}
		}
	}
}
