package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// The span of a call waits as long as the run that has the call.
func TestTheSpanOfACallWaitsForItsRun(t *testing.T) {
	log := runstest.Log(t, `
		agent planner [0-9] at:9
		  tool search [1-2] held`)
	require.Empty(t, closeUntil(5).then(t, log, ""))
	require.Equal(t, "agent planner, tool search, held agent planner, held tool search", left(log))
}

// A call that arrives after its run has closed is late, and counts for nothing.
func TestACallOfAClosedRunIsLate(t *testing.T) {
	log := runstest.Log(t, `
		agent planner [0-9] at:5
		  tool search [1-2]
		agent writer [0-9] at:9`)
	require.Equal(t, "planner: search\n", closeUntil(5).then(t, log, ""))
	require.Equal(t, "late: 1\n", closeUntil(5).then(t, log, `
		- agent planner [0-9]
		  tool book [3-4]`))
	require.Equal(t, "writer: draft\n", closeAll().then(t, log, `
		- agent writer [0-9]
		  tool draft [3-4]`))
}

// The conversation of a run is that of its span, else that of a run around it, else the lowest of its trace.
func TestTheConversationOfARun(t *testing.T) {
	for _, tc := range []struct{ log, want string }{
		{"agent planner [0-9] conversation:b", "b"},
		{"agent chief [0-9] conversation:b\n agent planner [1-2]\n  tool search [1-2] conversation:a", "b"},
		{"agent planner [1-2]\n tool search [1-2] conversation:b\n tool draft [1-2] conversation:a", "a"},
		{"root [0-9] conversation:a\n agent planner [1-2]\n  tool search [1-2]", ""}, // the root is held only if it came before the agent
	} {
		s := closeAll()
		closed := runs.Runs(runstest.Log(t, tc.log), &s.Options, &s.Examination)
		require.Equal(t, tc.want, closed.Runs[len(closed.Runs)-1].Conversation, tc.log)
	}
}

// An open trace remembers a bounded number of closed runs. What it forgot may have had calls of runs that began before.
func TestForgottenRunsAreADoubt(t *testing.T) {
	var text strings.Builder
	for i := range 1100 {
		fmt.Fprintf(&text, "agent planner [%d-%d] at:5\n", i, i+1)
	}
	log := runstest.Log(t, text.String()+"agent writer [0-9] at:9\nagent reader [5000-5001] at:9\n")
	require.NotEmpty(t, closeUntil(5).then(t, log, ""))
	past := 0
	for _, f := range log.Traces[0].Facts {
		if f.Closed {
			past++
		}
	}
	require.Equal(t, 512, past)
	require.Equal(t, "writer: (limit)\nreader:\n", closeAll().then(t, log, ""))
}

// An agent whose span was seen and is not held yet stays, also where its trace has nothing to judge and another trace of the log closes.
func TestAnAgentThatIsNotHeldYetStays(t *testing.T) {
	log := runstest.Log(t, `
		trace a
		agent planner [0-9]
		trace b
		agent writer [0-9] unheld`)
	require.Equal(t, "planner:\n", closeUntil(5).then(t, log, ""))
	require.Equal(t, "agent writer", left(log))
	require.False(t, log.Traces[1].IsEmpty())
	require.Empty(t, closeAll().then(t, log, ""))
	require.Empty(t, left(log), "nothing comes any more")
}

// Requests of a model that arrive after their run has closed are late calls.
func TestRequestsOfAClosedRunAreLate(t *testing.T) {
	log := runstest.Log(t, `
		agent planner [0-9]
		agent writer [10-19] at:9`)
	require.Equal(t, "planner:\n", closeUntil(5).then(t, log, ""))
	require.Equal(t, "late: 3\n", closeUntil(5).then(t, log, `
		- agent planner [0-9]
		  tool search#call_search [1-2]
		  model [3-4] messages asks:book#call_book asks:mail#call_mail
		  model [4-5] asks:search#call_search`), "a tool span may record the last one")
	require.Empty(t, closeUntil(5).then(t, log, ""), "once")
}
