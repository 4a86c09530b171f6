package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// An orphan waits for the run that it belongs to, and a copy that comes later is late.
func TestAnOrphanWaitsForItsRun(t *testing.T) {
	log := runstest.Log(t, `
		- agent planner [0-9]
		  model [1-2] asks:search#call_search
		trace b
		tool search#call_search [3-5] id:search
		root [3-5] id:search`)
	require.Empty(t, closeUntil(10).then(t, log, ""))
	require.Equal(t, "tool search, held root", left(&evidence.Log{Traces: log.Traces[1:]}))
	require.Equal(t, "planner + root: search#call_search\n", closeUntil(20).then(t, log, "agent planner [0-9] at:11"))
	require.Equal(t, "late: 1\n", closeUntil(30).then(t, log, "trace b\ntool search#call_search [3-5] id:search"))
}

// Of an agent that ran very often nobody looks for the run that a span may be of.
func TestASpanOfAnAgentThatRanOften(t *testing.T) {
	for _, often := range []int{64, 65} {
		var log strings.Builder
		log.WriteString("agent planner [0-999]\n  tool print [5-6] of:writer\n")
		for i := range often {
			fmt.Fprintf(&log, "  agent writer [%d-%d] id:w%d\n", 2+10*i, 9+10*i, i)
		}
		closed := closeAll().then(t, new(evidence.Log), log.String())
		require.Equal(t, often == 64, strings.Contains(closed, "writer: print\n"), "%d runs", often)
		require.Equal(t, often == 65, strings.Contains(closed, "planner: print (owner_unknown)\n"), "%d runs", often)
	}
}
