package runs_test

import "testing"

// The client and the server of MCP, and the framework around them, record one call.
func TestAProtocolsSpansAreOneCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"client and server", `
			agent planner [0-9]
			  mcp search{"q":1} [1-8]
			    server search->found [2-7] failed`, `
			planner: search{"q":1}->found failed`,
			"the server knows how it ended"},
		{"in other services, with spans between", `
			agent planner [0-9] from:shop
			  tool search#call_search [1-8] from:shop
			    span [2-8] from:shop
			      mcp search [2-8] from:shop
			        span [3-7] from:shop
			          server search{"q":1} [4-6] from:tools`, `
			planner: search#call_search{"q":1}`,
			"the outermost stays, and the others complete it"},
		{"a prefix of the server before the name", `
			agent planner [0-9]
			  tool mcp__docs__search{"q":1} [1-8]
			    mcp search{"q":1} [2-7]`, `
			planner: mcp__docs__search{"q":1}`,
			"frameworks put it there"},
		{"another tool's name at the end", `
			agent planner [0-9]
			  tool research{"q":1} [1-8]
			    mcp search{"q":1} [2-7]`, `
			planner: research{"q":1}, search{"q":1}`,
			"no separator is between, so it is no prefix"},
		{"defaults in the protocol's arguments", `
			agent planner [0-9]
			  tool search{"q":1} [1-8]
			    mcp search{"q":"1","limit":10} [2-7]`, `
			planner: search{"q":1}`,
			"no argument has two values"},
		{"another value of an argument", `
			agent planner [0-9]
			  tool search{"q":1} [1-8]
			    mcp search{"q":2} [2-7]`, `
			planner: search{"q":1}, search{"q":2}`,
			"the tool called itself"},
		{"two attempts of a call without arguments", `
			agent planner [0-9]
			  tool search [1-8]
			    mcp search{"q":1} [2-3] failed
			    mcp search{"q":1} [4-7] ok`, `
			planner: search{"q":1} ok`,
			"the last one counts"},
		{"two calls of a tool below one without arguments", `
			agent planner [0-9]
			  tool search [1-8]
			    mcp search{"q":1} [2-3]
			    mcp search{"q":2} [4-7]`, `
			planner: search{"q":1}, search{"q":2}`,
			"the second contradicts the first"},
		{"an agent between", `
			agent planner [0-9]
			  tool search{"q":1} [1-8]
			    agent searcher [2-7]
			      tool search{"q":1} [3-6]`, `
			planner: search{"q":1}
			searcher: search{"q":1}`,
			"the agent made a call of its own"},
		{"each below the other", `
			agent planner [0-9]
			tool search{"q":1} [1-8] id:a parent:b
			tool search{"q":1} [2-7] id:b parent:a`, `
			planner: search{"q":1}`,
			"in a cycle of parents the first stays"},
		{"with two IDs", `
			agent planner [0-9]
			  tool search#call_one{"q":1} [1-8]
			    tool search#call_two{"q":1} [2-7]`, `
			planner: search#call_one{"q":1}, search#call_two{"q":1}`,
			"two IDs are two calls"},
	})
}

// Some spans record only how a call ended.
func TestASpanWithTheResultCompletesItsCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"beside it", `
			agent planner [0-9]
			  tool search{"q":1} [1-2]
			  tool search{"q":1}->found [3-4] result`, `
			planner: search{"q":1}->found`,
			"the same name and arguments"},
		{"by its ID", `
			agent planner [0-9]
			  tool search#call_one [1-2]
			  tool search#call_two [2-3]
			  tool search#call_two->found [3-4] result`, `
			planner: search#call_one, search#call_two->found`,
			"the ID says which"},
		{"without a name, below it", `
			agent planner [0-9]
			  tool search [1-2]
			    tool ->found [3-4] result`, `
			planner: search->found`,
			"the parent says which"},
		{"without a name, anywhere", `
			agent planner [0-9]
			  tool search [1-2]
			  tool ->found [3-4] result`, `
			planner: search`,
			"it is of no call"},
		{"in the order of two calls", `
			agent planner [0-9]
			  tool search [1-2]
			  tool search [3-4]
			  tool search->one [5-6] result
			  tool search->two [6-7] result`, `
			planner: search->one, search->two`,
			"each result is of the next call"},
		{"without a call", `
			agent planner [0-9]
			  tool search->found [3-4] result`, `
			planner: search->found`,
			"then it is the call"},
	})
}

// Two instrumentations record one call by spans with one ID.
func TestSpansOfOneIDAreOneCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"of two instrumentations", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew
			  tool search#call_search->found [1-3] by:other id:other`, `
			planner: search#call_search{"q":1}->found`,
			"they complete each other"},
		{"of one instrumentation", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew
			  tool search#call_search{"q":1} [3-4] by:crew`, `
			planner: search#call_search{"q":1}, search#call_search{"q":1} (copies_differ)`,
			"it recorded two calls"},
		{"with other arguments", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew
			  tool search#call_search{"q":2} [1-3] by:other id:other`, `
			planner: search#call_search{"q":1}, search#call_search{"q":2} (copies_differ)`,
			"the ID is wrong, and nobody knows whose it is"},
		{"with an ID that is counted up", `
			agent planner [0-9]
			  tool search#call_0 [1-2] by:crew
			  tool search#call_0 [1-3] by:other id:other`, `
			planner: search#call_0, search#call_0`,
			"such IDs mean nothing by themselves"},
		{"without the name of the argument", `
			agent planner [0-9]
			  tool search#call_search{"q":"x"} [1-2] by:crew
			  tool search#call_search"x" [1-3] by:other id:other unnamed`, `
			planner: search#call_search{"q":"x"}`,
			"the value is that of the only argument"},
	})
}

// The output of a call may say that there is no such tool.
func TestAToolThatDoesNotExistWasNotCalled(t *testing.T) {
	check(t, closeAll(), []row{
		{"the agent lists its tools", `
			agent planner [0-9] gen_ai.tool.definitions=[{"name":"search"}]
			  tool serch [1-2] unknown`, `
			planner:`,
			"the agent's list agrees"},
		{"the agent has the tool", `
			agent planner [0-9] gen_ai.tool.definitions=[{"name":"serch"}]
			  tool serch [1-2] unknown`, `
			planner: serch`,
			"the output only looks as if"},
		{"the agent has no list", `
			agent planner [0-9]
			  tool serch [1-2] unknown`, `
			planner: serch`,
			"nothing confirms it"},
	})
}
