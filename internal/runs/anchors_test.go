package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// The spans of the best kind in a trace represent runs: agents, else workflows, else roots.
func TestTheBestKindRepresentsRuns(t *testing.T) {
	check(t, closeAll(), []row{
		{"agents", "a workflow's own calls go to the agent that began first", `
			workflow [0-20]
			  agent planner [1-9]
			    tool search [2-3]
			  tool draft [8-10]`, `
			planner: search, draft
			passed: workflow`},
		{"workflows", "no agent's span is there", `
			root [0-20]
			  workflow [1-9]
			    tool search [2-3]`, `
			workflow: search
			passed: root`},
		{"roots", "nothing else is there", `
			root [0-20]
			  tool search [2-3]`, `root: search`},
		{"a root without calls", "only agents are runs without calls", `
			root [0-20]
			  span [1-2]`, `passed: root`},
		{"an agent without calls", "it could have called tools", `
			agent planner [0-9]`, `planner:`},
		{"a workflow inside of a workflow", "the outermost stand-in has the calls of all", `
			workflow [0-20] id:w
			  workflow [1-9]
			    tool search [2-3]`, `
			workflow: search
			passed: workflow`},
	})
}

func TestAnAnchorThatIsNotThere(t *testing.T) {
	check(t, closeAll(), []row{
		{"never came", "calls are a run even then", `
			- agent planner [0-9]
			  tool search [1-2]`, `?: search (anchor_missing)`},
		{"was refused with its batch", "it was seen, and never came again", `
			agent planner [0-9] unheld
			  tool search [1-2]`, `?: search (anchor_missing)`},
		{"was seen as an agent, and is held as a workflow", "the last examination leaves nothing behind", `
			agent planner [0-9] id:x unheld
			workflow [0-9] id:x`, `passed: workflow`},
	})
	check(t, closeUntil(5), []row{
		{"may come again", "its sender repeats it", `
			agent planner [0-9] unheld
			  tool search [1-2]`, ``},
	})
}

// Some instrumentations have no span of an agent, only steps of it, below the span of the call that ran it.
func TestStepsShowAgents(t *testing.T) {
	check(t, closeAll(), []row{
		{"below a call", "the writer's run has no span", `
			agent planner [0-20]
			  tool ask_writer [1-9]
			    step writer [2-8]
			      tool draft [3-4]`, `
			planner: ask_writer
			?: draft (anchor_missing)`},
		{"below an agent's span", "the agent is there", `
			agent planner [0-20]
			  step planner [2-8]
			    tool draft [3-4]`, `planner: draft`},
		{"that call each other", "each call that ran an agent is the outer one's", `
			tool ask_writer [1-9]
			  step writer [2-8]
			    tool ask_reader [3-7]
			      step reader [4-6]
			        tool read [5-6]`, `
			?: ask_reader (anchor_missing)
			?: read (anchor_missing)
			?: ask_writer (anchor_missing)`},
		{"name a nameless agent", "the same name in two spellings", `
			agent [0-20]
			  step Writer [2-8]
			  step writer [9-10]`, `Writer:`},
		{"disagree", "it stays nameless", `
			agent [0-20]
			  step writer [2-8]
			  step reader [9-10]`, `agent:`},
	})
}

// A run closes when the wait of its anchor is over, and the others of its trace later.
func TestEachAnchorWaits(t *testing.T) {
	log := runstest.Log(t, `
		agent planner [0-9] at:6
		  agent writer [2-5] at:5
		    tool draft [3-4]
		  tool search [6-7]`)
	require.Equal(t, "writer: draft\n", closeUntil(5).then(t, log, ""))
	require.Equal(t, "agent planner, tool search, held agent planner", runstest.Left(log))
	require.Equal(t, "planner: search, book\n", closeUntil(6).then(t, log, `
		- agent planner [0-9]
		  tool book [7-8]`))
	require.Empty(t, runstest.Left(log))
}

// A copy of an anchor closes with the first one.
func TestCopiesOfAnAnchorLeaveTogether(t *testing.T) {
	check(t, closeUntil(5), []row{
		{"one waits", "the wait began with the first copy", `
			agent planner [0-9] at:9
			agent planner [0-9] at:5
			  tool search [1-2]`, `planner x2: search`},
	})
	s := closeAll()
	s.By = evidence.ByShutdown
	check(t, s, []row{
		{"with other attributes", "a verdict may depend on the attribute", `
			agent planner [0-9] model=small
			agent planner [0-9] model=large`, `planner x2: (copies_differ)`},
		{"with more attributes", "it was exported before it was complete", `
			agent planner [0-9]
			agent planner [0-9] model=large`, `planner x2:`},
	})
}
