package runs_test

import "testing"

// A call belongs to the nearest agent above it, and if the chain of parents leads to none, to the run at its time.
func TestTheNearestAgentAboveOwnsACall(t *testing.T) {
	check(t, closeAll(), []row{
		{"above", "the times say nothing: both calls are in the time of both", `
			agent planner [0-9]
			  agent writer [2-5]
			    tool draft [3-4]
			  tool search [3-6]`, `
			planner: search
			writer: draft`},
		{"through other spans", "ordinary spans have no calls", `
			agent planner [0-9]
			  span [1-8]
			    span [2-7]
			      tool search [3-6]`, `planner: search`},
		{"in another service", "spans of a trace belong together whoever sent them", `
			agent planner [0-9] from:shop
			  span [2-5] from:shop
			    span [3-4] from:tools
			      tool search [3-4] from:tools`, `planner: search`},
		{"of a tool that runs an agent", "the tool's call is the outer agent's", `
			agent planner [0-9]
			  tool ask_writer [1-8]
			    agent writer [2-7]
			      tool draft [3-4]`, `
			planner: ask_writer
			writer: draft`},
		{"after the agent had ended", "the parent is known, so the time does not matter", `
			agent planner [0-9]
			  tool search [10-11]`, `planner: search`},
		{"in a cycle of parents", "a cycle leads nowhere, so the time decides", `
			agent planner [0-9]
			span [1-8] id:x parent:y
			  tool search [3-4] id:y`, `planner: search`},
	})
}

func TestTheTimeOwnsACallOfABrokenChain(t *testing.T) {
	check(t, closeAll(), []row{
		{"one run contains it", "only the planner ran then", `
			agent planner [0-9] id:p
			  agent writer [2-5]
			- span [0-9]
			  tool search [6-7]`, `
			planner: search
			writer:`},
		{"several contain it", "the innermost has it, and all that contain it are in doubt", `
			agent planner [0-9]
			  agent writer [2-5]
			- span [0-9]
			  tool search [3-4]`, `
			planner: (owner_unknown)
			writer: search (owner_unknown)`},
		{"none contains it", "the first that had not ended when it began", `
			agent planner [0-2]
			agent writer [4-9]
			- span [0-9]
			  tool search [1-10]`, `
			planner: search
			writer:`},
		{"it has no parent", "nothing is missing, so nobody is in doubt", `
			agent planner [0-9]
			  agent writer [2-5]
			tool search [3-4]`, `
			planner:
			writer: search`},
	})
}

// While spans may still arrive, a call of a broken chain waits for them.
func TestACallWaitsForItsParent(t *testing.T) {
	check(t, closeUntil(5), []row{
		{"the chain above the run is whole", "no run above the planner can come", `
			agent planner [0-9] at:5
			- span [0-9]
			  tool search [3-4]`, `planner: search`},
		{"the chain above the run is broken, too", "a run between them may come", `
			- span [0-9]
			  agent planner [0-9] at:5
			- span [1-8]
			  tool search [3-4]`, `planner:`},
	})
}

// With include, a call counts for the runs around its own too.
func TestIncludedCallsCountForAllRunsAroundTheirOwn(t *testing.T) {
	s := closeAll()
	s.Include = true
	check(t, s, []row{
		{"of two agents around", "it is the writer's own", `
			agent chief [0-10]
			  agent planner [1-9]
			    agent writer [2-5]
			      tool draft [3-4]`, `
			chief: draft shared
			planner: draft shared
			writer: draft`},
	})
	s = closeUntil(5)
	s.Include = true
	check(t, s, []row{
		{"of one that closes later", "the call waits for the planner", `
			agent planner [0-9] at:6
			  agent writer [2-5] at:5
			    tool draft [3-4]`, `writer: draft`},
	})
}

func TestAWholeTraceIsOneRun(t *testing.T) {
	s := closeAll()
	s.WholeTrace = true
	check(t, s, []row{
		{"all calls", "agents are no runs, and chains do not matter", `
			root [0-20]
			  agent planner [0-9] unheld
			    tool search [1-2]
			  - span [10-19]
			    agent writer [10-19] unheld
			      tool draft [11-12]`, `root: search, draft`},
		{"two roots", "the one that began first", `
			- span [0-30]
			  root [1-9]
			    tool search [3-4]
			  root [0-20] id:outer
			    tool draft [5-6]`, `
			root: search, draft
			passed: root`},
	})
}
