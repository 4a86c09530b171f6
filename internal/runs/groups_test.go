package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// A share without a run waits while spans may still arrive.
func TestAShareWaitsForItsAgent(t *testing.T) {
	log := runstest.Log(t, `
		group [0-20] at:9 messages share:planner asks:search#call_search`)
	require.Empty(t, closeUntil(5).then(t, log, ""))
	require.Equal(t, "planner: search#call_search asked\n", closeUntil(6).then(t, log, `
		- group [0-20]
		  agent planner [1-5] at:6`))
}

// A group keeps the shares around it from its own agents, also if they come after it has nothing more to give.
func TestAGroupInAGroupKeepsItsAgents(t *testing.T) {
	for _, inner := range []string{"", "share:editor asks:edit#call_edit"} {
		log := runstest.Log(t, `
			group id:0 [0-20] unheld messages share:writer asks:draft#call_draft
			  group [1-19] unheld messages `+inner+`
			    agent editor [2-4] at:1`)
		editor := map[bool]string{true: "editor:\n", false: "editor: edit#call_edit asked\n"}[inner == ""]
		require.Equal(t, editor, closeUntil(5).then(t, log, ""), inner)
		require.Equal(t, "writer:\n", closeUntil(9).then(t, log, `
			- group id:0 [0-20]
			  - group [1-19]
			    agent writer [6-9] at:9`), "its task is the inner group's: %s", inner)
	}
}
