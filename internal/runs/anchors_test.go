package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// A run closes when the wait of its anchor is over, and the others of its trace later.
func TestEachAnchorWaits(t *testing.T) {
	log := runstest.Log(t, `
		agent planner [0-9] at:6
		  agent writer [2-5] at:5
		    tool draft [3-4]
		  tool search [6-7]`)
	require.Equal(t, "writer: draft\n", closeUntil(5).then(t, log, ""))
	require.Equal(t, "agent planner, tool search, held agent planner", left(log))
	require.Equal(t, "planner: search, book\n", closeUntil(6).then(t, log, `
		- agent planner [0-9]
		  tool book [7-8]`))
	require.Empty(t, left(log))
}
