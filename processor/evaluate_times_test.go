package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// expectOrdered scores names in an order of either kind.
func expectOrdered(order scoring.Order, concurrent scoring.Concurrent, tools ...string) func(*testing.T) func(*Settings, *sink) {
	return func(t *testing.T) func(*Settings, *sink) {
		o := scoring.DefaultNative()
		o.Order, o.Concurrent = order, concurrent
		native, err := scoring.NewNative(o)
		require.NoError(t, err)
		var settings scoring.ExpectationSettings
		for _, name := range tools {
			settings.Tools = append(settings.Tools, scoring.Tool{Name: name})
		}
		expected := expect(t, settings)
		return func(s *Settings, k *sink) {
			expected(s, k)
			s.Metrics[0].Method = native
		}
	}
}

// Times, and the response that requested the calls, decide which calls have an order.
func TestConcurrentCallsOfSpans(t *testing.T) {
	call := func(id string, start, end int, name, callID string) span {
		return tool(id, "a", start, end, name).with("gen_ai.tool.call.id", callID)
	}
	apart := []span{call("b", 4, 5, "fetch", "call_of_fetch"), call("c", 6, 7, "search", "call_of_search")}
	both := model("m", "a", 2, 3, nil, "fetch call_of_fetch", "search call_of_search")
	for _, tc := range []struct {
		name            string
		spans           []span
		either, started float64
		reason          string
	}{
		{"at the same time", []span{call("b", 4, 6, "fetch", ""), call("c", 5, 7, "search", "")}, 1, 0.5, "they overlap"},
		{"one after the other", apart, 0.5, 0.5, "fetch was over"},
		{"asked for at once", append([]span{both}, apart...), 1, 0.5, "the model left the order open"},
		{"asked for one by one", append([]span{
			model("m", "a", 2, 3, nil, "fetch call_of_fetch"), model("n", "a", 5, 6, nil, "search call_of_search"),
		}, apart...), 0.5, 0.5, "the second response came after the first call"},
		{"asked for, and no spans", []span{both}, 1, 0.5, "both calls have the time of the response"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for concurrent, want := range map[scoring.Concurrent]float64{
				scoring.ConcurrentAnyOrder: tc.either, scoring.ConcurrentAsStarted: tc.started,
			} {
				withFakeClock(t, expectOrdered(scoring.InOrder, concurrent, "search", "fetch")(t), func(t *testing.T, r *rig) {
					require.NoError(t, r.send(append([]span{agent("a", "", 1, 9)}, tc.spans...)...))
					r.after(time.Minute, 1+len(tc.spans))
					require.Equal(t, want, r.verdict("a")["tool_correctness.score"], "%s: %s", concurrent, tc.reason)
				})
			}
		})
	}
}
