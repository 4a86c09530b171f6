package runs_test

import "testing"

func TestRequestsThatCameToNothingAreNoCallsAndKnown(t *testing.T) {
	check(t, closeAll(), []row{
		{"a tool that was not offered", "the model's span lists its tools", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search invents:teleport#call_teleport
			  tool search#call_search [2-3]`, `planner: search#call_search rejected:teleport`},
		{"a tool that was not offered and was called", "the list was not whole", `
			agent planner [0-9]
			  model [1-2] invents:search#call_search
			  tool search [2-3]`, `planner: search`},
		{"several without an ID", "nothing tells them apart", `
			agent planner [0-9]
			  model [1-2] invents:teleport
			  model [3-4] invents:teleport invents:fly`, `planner: rejected:teleport rejected:fly`},
		{"recorded by two instrumentations", "the IDs are equal", `
			agent planner [0-9]
			  model [1-2] invents:teleport#call_teleport by:client
			  model [1.5-3] invents:teleport#call_teleport by:crew`, `planner: rejected:teleport`},
		{"arguments that were refused", "the framework writes spans of tools, and the model was shown a refusal", `
			agent planner [0-9]
			  model [1-2] asks:refund#call_refund_one{"x":1}
			  model [3-4] asks:refund#call_refund_two{"x":2} refused:call_refund_one
			  tool refund#call_refund_two{"x":2} [4-5]
			  model [5-6] made:call_refund_two`, `planner: refund#call_refund_two{"x":2} rejected:refund`},
		{"a call that failed", "its span is there", `
			agent planner [0-9]
			  model [1-2] asks:refund#call_refund_one{"x":1}
			  tool refund{"x":1} [2-3] failed
			  model [3-4] refused:call_refund_one`, `planner: refund#call_refund_one{"x":1} failed`},
		{"a request without a result", "nothing says that it was refused: a handoff looks like that", `
			agent planner [0-9]
			  model [1-2] asks:transfer#call_transfer
			  tool search [2-3]`, `planner: search`},
		{"a span that says so, and the request", "one request", `
			agent planner [0-9]
			  model [1-2] invents:serch#call_serch
			  tool serch#call_serch [2-3] unknown`, `planner: rejected:serch`},
	})
}

func TestAConversationHasTheRejectedRequestsOfItsTurns(t *testing.T) {
	s := closeAll()
	s.Conversations = true
	check(t, s, []row{
		{"two turns", "each rejected one, and the second was shown the first", `
			agent planner [0-9] conversation:c
			  model [1-2] invents:teleport#call_teleport
			trace b
			agent planner [10-19] conversation:c
			  model [11-12] invents:teleport#call_teleport invents:fly#call_fly_away`, `planner + agent planner: rejected:teleport rejected:fly`},
	})
}
