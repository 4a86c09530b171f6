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
		{"a span that says that the call was refused", "its request is no call, whatever the model was shown", `
			agent planner [0-9]
			  model [1-2] asks:refund#call_refund messages
			  tool refund#call_refund [2-3] notmade
			  model [3-4] shows:#call_refund->no made:call_refund messages`, `planner: rejected:refund`},
		{"a refused call that was allowed later", "it has one ID", `
			agent planner [0-9]
			  model [1-2] asks:refund#call_refund
			  tool refund#call_refund [2-3] notmade
			  tool refund#call_refund->paid [4-5] ok`, `planner: refund#call_refund->paid ok`},
		{"a call below one that was refused", "it was made, whatever the span above it says", `
			agent planner [0-9]
			  tool refund [2-5] notmade
			    tool refund [3-4]`, `planner: refund rejected:refund`},
		{"a refused call of a tool that was called as well", "each request has its own ID", `
			agent planner [0-9]
			  tool refund#call_refund_one [2-3] notmade
			  tool refund#call_refund_two [4-5]`, `planner: refund#call_refund_two rejected:refund`},
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

func TestTheTracesOfAConversationAreItsTurns(t *testing.T) {
	s := closeAll()
	s.Conversations = true
	check(t, s, []row{
		{"three turns", "the second called nothing, and counts", `
			agent planner [0-9] conversation:c
			  tool search [1-2]
			trace b
			agent planner [10-19] conversation:c
			trace c
			agent planner [20-29] conversation:c
			  tool refund [21-22]`, `planner + agent planner + agent planner: search, refund turn:2`},
		{"two agents in a trace", "one answered for the other", `
			workflow [0-20]
			  agent planner [0-9] conversation:c
			    tool search [1-2]
			  agent writer [10-19] conversation:c
			    tool write [11-12]
			trace b
			agent planner [30-39] conversation:c
			  tool refund [31-32]`, "planner + agent planner + agent writer: search, write, refund turn:1\npassed: workflow"},
		{"a sub-agent in a trace of its own", "it runs within the turn", `
			agent planner [0-9] conversation:c
			  tool ask_writer [1-8]
			trace b
			agent writer [2-7] conversation:c
			  tool write [3-4]`, `planner + agent writer: ask_writer, write`},
		{"an approval", "the trace before asked for the call, and nobody had allowed it yet", `
			agent planner [0-9] conversation:c
			  tool search#call_search [2-3]
			  model [1-2] asks:search#call_search
			  model [4-5] asks:refund#call_refund
			trace b
			agent planner [100-109] conversation:c
			  tool refund#call_refund [101-102]
			  model [103-104]
			trace c
			agent planner [200-209] conversation:c
			  tool search#call_again [201-202]`, `planner + agent planner + agent planner: search#call_search, refund#call_refund, search#call_again turn:1`},
		{"runs without a conversation", "they are judged by themselves", `
			agent planner [0-9]
			  tool search [1-2]
			trace b
			agent planner [10-19]
			  tool search [11-12]`, "planner: search\nplanner: search"},
		{"two conversations", "each has its own turns", `
			agent planner [0-9] conversation:c
			  tool search [1-2]
			trace b
			agent planner [10-19] conversation:d
			  tool search [11-12]`, "planner: search\nplanner: search"},
	})
}
