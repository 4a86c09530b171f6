package runs_test

import "testing"

// Several loops of model calls below one span that is no agent's are several runs.
func TestEachLoopOfModelCallsIsARun(t *testing.T) {
	check(t, closeAll(), []row{
		{"one after the other", "the result leads to the loop that asked for the call", `
			root [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins asks:refund#call_refund
			  model [4-5] messages shows:#call_search asks:answer#call_answer`, `
			root: search#call_search asked, answer#call_answer asked
			?: refund#call_refund asked (anchor_missing)`},
		{"of which the first called nothing", "the span represents nothing, and the other loop is a run", `
			root [0-9]
			  model [1-2] messages begins
			  model [2-3] messages begins asks:refund#call_refund
			  tool refund#call_refund [3-4]`, `
			?: refund#call_refund (anchor_missing)
			passed: root`},
		{"below an agent's span", "its calls are one run", `
			agent planner [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins asks:refund#call_refund`, `planner: search#call_search asked, refund#call_refund asked`},
		{"with spans of the tools", "a call is in the last loop that asked for its tool before", `
			root [0-9]
			  model [1-2] begins asks:search
			  tool search [3-4]
			  model [4-5] begins asks:refund asks:search
			  tool refund [6-7]
			  tool search [7-8] id:again`, `
			root: search
			?: refund, search (anchor_missing)`},
		{"with spans of a tool that none asked for", "the loop that has the span", `
			root [0-9]
			  model [1-2] begins asks:search
			  model [4-5] begins asks:refund
			  tool book [6-7]`, `root: book`},
		{"and one that has the span", "the first one", `
			workflow [0-9]
			  model [1-2] begins asks:search
			  tool search [2-3]
			  model [4-5] begins asks:refund
			  tool refund [5-6]`, `
			workflow: search
			?: refund (anchor_missing)`},
		{"with one ID", "nobody knows which loop the result leads to", `
			root [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins offered asks:refund#call_search
			  model [4-5] messages shows:#call_search asks:answer#call_answer`, `
			root: search#call_search asked (owner_unknown)
			?: refund#call_search asked, answer#call_answer asked (anchor_missing)`},
		{"one that was not read", "it may be of either", `
			root [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins asks:refund#call_refund
			  model [4-5] messages unread`, `
			root: search#call_search asked (content_unreadable)
			?: refund#call_refund asked (anchor_missing, content_unreadable)`},
	})
}
