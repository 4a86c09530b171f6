package runs_test

import "testing"

// Several loops of model calls below one span that is no agent's are several runs.
func TestEachLoopOfModelCallsIsARun(t *testing.T) {
	check(t, closeAll(), []row{
		{"one after the other", `
			root [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins asks:refund#call_refund
			  model [4-5] messages shows:#call_search asks:answer#call_answer`, `
			root: search#call_search asked, answer#call_answer asked
			?: refund#call_refund asked (anchor_missing)`,
			"the result leads to the loop that asked for the call"},
		{"below an agent's span", `
			agent planner [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins asks:refund#call_refund`, `
			planner: search#call_search asked, refund#call_refund asked`,
			"its calls are one run"},
		{"with spans of the tools", `
			root [0-9]
			  model [1-2] begins asks:search
			  tool search [3-4]
			  model [4-5] begins asks:refund asks:search
			  tool refund [6-7]
			  tool search [7-8] id:again`, `
			root: search
			?: refund, search (anchor_missing)`,
			"a call is in the last loop that asked for its tool before"},
		{"with spans of a tool that none asked for", `
			root [0-9]
			  model [1-2] begins asks:search
			  model [4-5] begins asks:refund
			  tool book [6-7]`, `
			root: book`,
			"the loop that has the span"},
		{"and one that has the span", `
			workflow [0-9]
			  model [1-2] begins asks:search
			  tool search [2-3]
			  model [4-5] begins asks:refund
			  tool refund [5-6]`, `
			workflow: search
			?: refund (anchor_missing)`,
			"the first one"},
		{"with one ID", `
			root [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins offered asks:refund#call_search
			  model [4-5] messages shows:#call_search asks:answer#call_answer`, `
			root: search#call_search asked (owner_unknown)
			?: refund#call_search asked, answer#call_answer asked (anchor_missing)`,
			"nobody knows which loop the result leads to"},
		{"one that was not read", `
			root [0-9]
			  model [1-2] messages begins asks:search#call_search
			  model [2-3] messages begins asks:refund#call_refund
			  model [4-5] messages unread`, `
			root: search#call_search asked (content_unreadable)
			?: refund#call_refund asked (anchor_missing, content_unreadable)`,
			"it may be of either"},
	})
}
