package processor

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor/internal/verdictmetrics"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The metrics of verdicts have as many names of agents as the settings allow.
func TestAgentsOnMetrics(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		name   string
		most   int
		agents []string
		want   map[string]int // verdicts by the agent's name
		reason string
	}{
		{"none asked for", 0, []string{"a", "b"}, map[string]int{"a": 0, "b": 0, verdictmetrics.OtherAgents: 0}, "senders choose names, so the default has none"},
		{"as many as come", 2, []string{"a", "b", "a"}, map[string]int{"a": 2, "b": 1, verdictmetrics.OtherAgents: 0}, "a known name needs no further place"},
		{"more than asked for", 2, []string{"a", "b", "c", "a", "d"}, map[string]int{"a": 2, "b": 1, "c": 0, "d": 0, verdictmetrics.OtherAgents: 2}, "the first names keep their places"},
		{"an agent without a name", 1, []string{"", "a"}, map[string]int{"": 0, "a": 1, verdictmetrics.OtherAgents: 0}, "no name takes no place"},
		{"a long name", 1, []string{long}, map[string]int{long: 0, evaluate.ShownName(long): 1}, "a name is cut as on the span"},
		{"text that is not visible", 1, []string{"a\x00b"}, map[string]int{"a\x00b": 0, evaluate.ShownName("a\x00b"): 1}, "a name is escaped as on the span"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, _ *sink) { s.AgentNames = tc.most }, func(t *testing.T, r *rig) {
				for i, name := range tc.agents {
					s := agent(strconv.Itoa(i), "", 0, 10)
					s.trace = byte(i + 1)
					if name != "" {
						s.attributes["gen_ai.agent.name"] = name
					}
					require.NoError(t, r.send(s))
					r.after(time.Minute, i+1) // one run after the other, so that the first name comes first
				}
				require.Equal(t, len(tc.agents), r.total("verdicts"))
				for name, want := range tc.want {
					require.Equal(t, want, r.totalWith("verdicts", "agent", name), "%q: %s", name, tc.reason)
				}
			})
		})
	}
}

// Each call of a forbidden tool is counted for each metric, so that one call is enough for an alert.
func TestForbiddenCallsAreCounted(t *testing.T) {
	forbids := func(s *Settings, _ *sink) {
		expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}, Forbidden: []scoring.Tool{{Name: "shell"}}})
		require.NoError(t, err)
		s.Expectations[0].Expected = expected
		s.AgentNames = 1
	}
	withFakeClock(t, forbids, func(t *testing.T, r *rig) {
		good := agent("a", "", 0, 10)
		require.NoError(t, r.send(good, tool("t", "a", 1, 2, "search")))
		r.after(time.Minute, 2)
		require.Zero(t, r.total("forbidden_calls"))
		bad := agent("b", "", 0, 10)
		bad.trace, bad.attributes["gen_ai.agent.name"] = 2, "desk"
		first, second := tool("u", "b", 1, 2, "shell"), tool("v", "b", 3, 4, "shell")
		first.trace, second.trace = 2, 2
		require.NoError(t, r.send(bad, first, second))
		r.after(time.Minute, 5)
		require.Equal(t, 2, r.total("forbidden_calls"))
		require.Equal(t, 2, r.totalWith("forbidden_calls", "expectation", "0"))
		require.Equal(t, 2, r.totalWith("forbidden_calls", "metric", "tool_correctness"))
		require.Equal(t, 2, r.totalWith("forbidden_calls", "agent", "desk"))
	})
}

// A run that met no expectation is counted, because an agent that was renamed meets none.
func TestRunsWithoutExpectationAreCounted(t *testing.T) {
	asks := func(s *Settings, _ *sink) { s.AgentNames, s.Expectations = 1, nil }
	withFakeClock(t, asks, func(t *testing.T, r *rig) {
		desk := agent("a", "", 0, 10)
		desk.attributes["gen_ai.agent.name"] = "desk"
		require.NoError(t, r.send(desk, tool("t", "a", 1, 2, "search")))
		r.after(time.Minute, 2)
		require.Zero(t, r.total("verdicts"))
		require.Equal(t, 1, r.total("runs_unmatched"))
		require.Equal(t, 1, r.totalWith("runs_unmatched", "agent", "desk"))
	})
}

// An alert on a share of a limit needs the limit.
func TestLimitsAreMetrics(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		require.Equal(t, 1000, r.total("open_runs_limit"))
		require.Equal(t, 1<<20, r.total("retained_bytes_limit"))
	})
}
