package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// A run without calls gets the score of an empty list from every method, whatever runs closed before it: lists are used again.
func TestNothingCalledIsScored(t *testing.T) {
	quiet := []span{agent("quiet", "", 0, 10).in(1)}
	failed := func(id string) span { return tool(id, "quiet", 1, 2, "search").in(1).with("error.type", "timeout") }
	allFailed := []span{quiet[0], failed("f1"), failed("f2")}
	busy := []span{agent("busy", "", 0, 10).in(2), tool("b1", "busy", 1, 2, "search").in(2)}
	idle := []span{agent("idle", "", 0, 10).in(3)}
	for _, tc := range []struct {
		name, reason string
		deliveries   [][]span
	}{
		{"alone", "no run before it has left a list behind", [][]span{quiet}},
		{"behind a run with calls", "the list of that run is used again", [][]span{append(busy[:2:2], quiet...)}},
		{"before a run with calls", "runs close in the order of their traces", [][]span{append(quiet[:1:1], busy...)}},
		{"behind a run without calls", "a list that stays empty is used again, too", [][]span{append(idle[:1:1], quiet...)}},
		{"in a later delivery", "each delivery begins anew", [][]span{busy, idle, quiet}},
		{"every call failed, behind others", "failed calls are ignored", [][]span{append(busy[:2:2], allFailed...)}},
	} {
		for _, tools := range [][]scoring.Tool{{{Name: "search"}}, {}} {
			t.Run(tc.name, func(t *testing.T) {
				expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
				require.NoError(t, err)
				metrics := comparing(t)
				withFakeClock(t, func(s *Settings, _ *sink) {
					s.IgnoreFailed, s.Metrics = true, metrics
					s.Expectations = []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: metrics}}
				}, func(t *testing.T, r *rig) {
					for _, spans := range tc.deliveries {
						require.NoError(t, r.send(spans...))
						time.Sleep(2 * r.set.Wait)
					}
					got := r.verdict("quiet")
					require.Equal(t, []any{}, got["tool_correctness.called"], tc.reason)
					for _, m := range metrics {
						want := m.Method.Judge(expected, []scoring.Call{})
						require.Equal(t, scoring.Scored, want.Status, "the oracle scores")
						require.Equal(t, "scored", got[m.Name+".status"], "%s: %s", m.Name, tc.reason)
						require.Equal(t, want.Score, got[m.Name+".score"], "%s: %s", m.Name, tc.reason)
						require.Equal(t, want.Passed, got[m.Name+".passed"], "%s: %s", m.Name, tc.reason)
					}
				})
			})
		}
	}
}
