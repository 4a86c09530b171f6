package runs_test

import (
	"testing"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
)

// An agent's span without calls of its own, around or beside the span of the same agent, represents no run.
func TestAWrapperIsNoRun(t *testing.T) {
	check(t, closeAll(), []row{
		{"of the same name", `
			agent planner [0-9]
			  agent Planner [1-8]
			    tool search [2-3]`, `
			Planner: search
			passed: agent planner`,
			"case does not count"},
		{"of another name", `
			agent chief [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			chief:
			planner: search`,
			"a chief that only delegates is a run"},
		{"without a name", `
			agent [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: search
			passed: agent`,
			"nothing tells it from the agent"},
		{"with the name of the nameless agent", `
			agent planner [0-9]
			  agent [1-8]
			    tool search [2-3]`, `
			planner: search
			passed: agent planner`,
			"the inner run gets the name"},
		{"around two runs", `
			agent planner [0-9]
			  agent planner [1-4]
			    tool search [2-3]
			  agent planner [5-8]
			    tool search [6-7]`, `
			planner:
			planner: search
			planner: search`,
			"it called an agent twice"},
		{"with a call of its own", `
			agent planner [0-9]
			  tool book [0-1]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: book
			planner: search`,
			"its call is a run's"},
		{"not in its time", `
			agent planner [0-9]
			  agent planner [1-10]
			    tool search [2-3]`, `
			planner:
			planner: search`,
			"what goes on longer is not wrapped"},
		{"an empty one beside", `
			root [0-9]
			  agent planner [1-9]
			  agent planner [2-8]
			    tool search [3-4]`, `
			planner: search
			passed: agent planner
			passed: root`,
			"one of the two is the record of the other"},
		{"an empty one before", `
			root [0-9]
			  agent planner [1-2]
			  agent planner [3-8]
			    tool search [4-5]`, `
			planner:
			planner: search
			passed: root`,
			"it ended before, so it is a run"},
		{"an empty one beside, with a span of its own", `
			root [0-9]
			  agent planner [1-9]
			    span [1-2]
			  agent planner [2-8]
			    tool search [3-4]`, `
			planner:
			planner: search
			passed: root`,
			"something happened in it"},
	})
	s := closeAll()
	s.Due, s.By = 0, evidence.ByLimit
	check(t, s, []row{
		{"that a limit closed", `
			agent planner [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: (limit)
			planner: search (limit)`,
			"its calls may be missing"},
	})
}
