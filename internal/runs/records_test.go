package runs_test

import "testing"

// The client and the server of MCP, and the framework around them, record one call.
func TestAProtocolsSpansAreOneCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"client and server", "the server knows how it ended", `
			agent planner [0-9]
			  mcp search{"q":1} [1-8]
			    server search->found [2-7] failed`, `planner: search{"q":1}->found failed`},
		{"in other services, with spans between", "the outermost stays, and the others complete it", `
			agent planner [0-9] from:shop
			  tool search#call_search [1-8] from:shop
			    span [2-8] from:shop
			      mcp search [2-8] from:shop
			        span [3-7] from:shop
			          server search{"q":1} [4-6] from:tools`, `planner: search#call_search{"q":1}`},
		{"a prefix of the server before the name", "frameworks put it there", `
			agent planner [0-9]
			  tool mcp__docs__search{"q":1} [1-8]
			    mcp search{"q":1} [2-7]`, `planner: mcp__docs__search{"q":1}`},
		{"a prefix of a function, and other separators", "case and separators do not distinguish tools", `
			agent planner [0-9]
			  tool functions.docs/getPages{"q":1} [1-8]
			    mcp get-pages [2-7]`, `planner: functions.docs/getPages{"q":1}`},
		{"another tool's name at the end", "no separator is between, so it is no prefix", `
			agent planner [0-9]
			  tool research{"q":1} [1-8]
			    mcp search{"q":1} [2-7]`, `planner: research{"q":1}, search{"q":1}`},
		{"defaults in the protocol's arguments", "no argument has two values", `
			agent planner [0-9]
			  tool search{"q":1} [1-8]
			    mcp search{"q":"1","limit":10} [2-7]`, `planner: search{"q":1}`},
		{"another value of an argument", "the tool called itself", `
			agent planner [0-9]
			  tool search{"q":1} [1-8]
			    mcp search{"q":2} [2-7]`, `planner: search{"q":1}, search{"q":2}`},
		{"two attempts of a call without arguments", "the last one counts", `
			agent planner [0-9]
			  tool search [1-8]
			    mcp search{"q":1} [2-3] failed
			    mcp search{"q":1} [4-7] ok`, `planner: search{"q":1} ok`},
		{"two calls of a tool below one without arguments", "the second contradicts the first", `
			agent planner [0-9]
			  tool search [1-8]
			    mcp search{"q":1} [2-3]
			    mcp search{"q":2} [4-7]`, `planner: search{"q":1}, search{"q":2}`},
		{"a client beside the call, in its time", "it had lost the context", `
			agent planner [0-9]
			  tool docs_search{"q":1} [1-8]
			  mcp search{"q":1} [2-7]`, `planner: docs_search{"q":1}`},
		{"a client beside two such calls", "it is not known whose it is", `
			agent planner [0-9]
			  tool search{"q":1} [0-8]
			  tool search{"q":1} [1-8]
			  mcp search{"q":1} [2-7]`, `planner: search{"q":1}, search{"q":1}, search{"q":1}`},
		{"another value, and the call's ID", "a model gave two calls one ID", `
			agent planner [0-9] by:crew
			  tool search#call_search{"q":1} [1-8] by:crew
			    mcp search#call_search{"q":2} [2-7] by:mcp`, `planner: search#call_search{"q":1}, search#call_search{"q":2} (copies_differ)`},
		{"another value and the call's ID, before it", "likewise", `
			agent planner [0-9] by:crew
			  mcp search#call_search{"q":1} [1-2] by:mcp
			  tool search#call_search{"q":2} [3-4] by:crew`, `planner: search#call_search{"q":1}, search#call_search{"q":2} (copies_differ)`},
		{"defaults beside the call, and its ID", "a framework adds them", `
			agent planner [0-9] by:crew
			  tool search#call_search{"q":1} [1-4] by:crew
			  mcp search#call_search{"q":1,"limit":5} [2-3] by:mcp`, `planner: search#call_search{"q":1}`},
		{"an agent between", "the agent made a call of its own", `
			agent planner [0-9]
			  tool search{"q":1} [1-8]
			    agent searcher [2-7]
			      tool search{"q":1} [3-6]`, `
			planner: search{"q":1}
			searcher: search{"q":1}`},
		{"each below the other", "in a cycle of parents the first stays", `
			agent planner [0-9]
			tool search{"q":1} [1-8] id:a parent:b
			tool search{"q":1} [2-7] id:b parent:a`, `planner: search{"q":1}`},
		{"with two IDs", "two IDs are two calls", `
			agent planner [0-9]
			  tool search#call_one{"q":1} [1-8]
			    tool search#call_two{"q":1} [2-7]`, `planner: search#call_one{"q":1}, search#call_two{"q":1}`},
	})
}

// Some spans record only how a call ended.
func TestASpanWithTheResultCompletesItsCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"beside it", "the same name and arguments", `
			agent planner [0-9]
			  tool search{"q":1} [1-2]
			  tool search{"q":1}->found [3-4] result`, `planner: search{"q":1}->found`},
		{"by its ID", "the ID says which", `
			agent planner [0-9]
			  tool search#call_one [1-2]
			  tool search#call_two [2-3]
			  tool search#call_two->found [3-4] result`, `planner: search#call_one, search#call_two->found`},
		{"without a name, below it", "the parent says which", `
			agent planner [0-9]
			  tool search [1-2]
			    tool ->found [3-4] result`, `planner: search->found`},
		{"without a name, anywhere", "it is of a call that nothing names", `
			agent planner [0-9]
			  tool search [1-2]
			  tool ->found [3-4] result`, `planner: search (content_unreadable)`},
		{"without a name, of a request", "the model named its tool", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search
			  tool #call_search->found [3-4] result`, `planner: search#call_search asked`},
		{"in the order of two calls", "each result is of the next call", `
			agent planner [0-9]
			  tool search [1-2]
			  tool search [3-4]
			  tool search->one [5-6] result
			  tool search->two [6-7] result`, `planner: search->one, search->two`},
		{"without a call", "then it is the call", `
			agent planner [0-9]
			  tool search->found [3-4] result`, `planner: search->found`},
	})
}

// Two instrumentations record one call by spans with one ID.
func TestSpansOfOneIDAreOneCall(t *testing.T) {
	check(t, closeAll(), []row{
		{"of two instrumentations", "they complete each other", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew
			  tool search#call_search->found [1-3] by:other id:other`, `planner: search#call_search{"q":1}->found`},
		{"of one instrumentation", "it recorded two calls", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew
			  tool search#call_search{"q":1} [3-4] by:crew`, `planner: search#call_search{"q":1}, search#call_search{"q":1} (copies_differ)`},
		{"with other arguments", "the ID is wrong, and nobody knows whose it is", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew
			  tool search#call_search{"q":2} [1-3] by:other id:other`, `planner: search#call_search{"q":1}, search#call_search{"q":2} (copies_differ)`},
		{"with the same arguments, at the same time", "a model asks for several calls at once", `
			agent planner [0-9]
			  tool search#call_search{"q":1} [1-2] by:crew id:1
			  tool search#call_search{"q":1} [1-2] by:crew id:2`, `planner: search#call_search{"q":1}, search#call_search{"q":1} (copies_differ)`},
		{"in another spelling", "only one of the two may be forbidden", `
			agent planner [0-9]
			  tool se-arch#call_search{"q":1} [1-2] by:crew
			  tool search#call_search{"q":1} [3-4] by:crew`, `planner: se-arch#call_search{"q":1}, search#call_search{"q":1} (copies_differ)`},
		{"with a letter without width", "the names look alike, and are not", `
			agent planner [0-9]
			  tool search` + "\u200b" + `#call_search{"q":1} [1-2] by:crew
			  tool search#call_search{"q":1} [3-4] by:crew`, "planner: search\u200b#call_search{\"q\":1}, search#call_search{\"q\":1} (copies_differ)"},
		{"in one response", "a response has each ID once", `
			agent planner [0-9]
			  model [1-2] messages asks:search#call_search asks:search#call_search`, `planner: search#call_search asked, search#call_search asked (copies_differ)`},
		{"of another tool", "an ID merges calls of one tool only", `
			agent planner [0-9]
			  tool search#call_search [1-2] by:crew
			  tool shell#call_search [3-4] by:crew`, `planner: search#call_search, shell#call_search`},
		{"with an ID that is counted up", "such IDs mean nothing by themselves", `
			agent planner [0-9]
			  tool search#call_0 [1-2] by:crew
			  tool search#call_0 [1-3] by:other id:other`, `planner: search#call_0, search#call_0`},
		{"without the name of the argument", "the value is that of the only argument", `
			agent planner [0-9]
			  tool search#call_search{"q":"x"} [1-2] by:crew
			  tool search#call_search"x" [1-3] by:other id:other unnamed`, `planner: search#call_search{"q":"x"}`},
		{"without the name of the argument, and another value", "a model gave two calls one ID", `
			agent planner [0-9]
			  tool search#call_search{"q":"x"} [1-4] by:crew
			  tool search#call_search"y" [2-3] by:other id:other unnamed`, `planner: search#call_search{"q":"x"}, search#call_search"y" (copies_differ)`},
	})
}

// The output of a call may say that there is no such tool.
func TestAToolThatDoesNotExistWasNotCalled(t *testing.T) {
	check(t, closeAll(), []row{
		{"the agent lists its tools", "the agent's list agrees", `
			agent planner [0-9] gen_ai.tool.definitions=[{"name":"search"}]
			  tool serch [1-2] unknown`, `planner: rejected:serch`},
		{"the agent has the tool", "the output only looks as if", `
			agent planner [0-9] gen_ai.tool.definitions=[{"name":"serch"}]
			  tool serch [1-2] unknown`, `planner: serch`},
		{"the agent has no list", "nothing confirms it", `
			agent planner [0-9]
			  tool serch [1-2] unknown`, `planner: serch`},
	})
}
