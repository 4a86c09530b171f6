package runs_test

import "testing"

// Copies of a span are one span: a retried export sends it again, and some instrumentations send it at its start and at its end.
func TestCopiesOfASpanAreOne(t *testing.T) {
	check(t, closeAll(), []row{
		{"equal", `
			agent planner [0-9]
			  tool search{"q":1} [1-2]
			  tool search{"q":1} [1-2]`, `
			planner: search{"q":1}`,
			"one span, one call"},
		{"at the start and at the end", `
			agent planner [0-0]
			agent planner [0-9]
			  tool search#call_search [1-1]
			  tool search#call_search{"q":1}->found [1-2] ok`, `
			planner x2: search#call_search{"q":1}->found ok`,
			"the one that says more"},
		{"with other arguments", `
			agent planner [0-9]
			  tool search{"q":1} [1-2] id:s
			  tool search{"q":2} [1-2] id:s`, `
			planner: search{"q":1}, search{"q":2} (copies_differ)`,
			"they are copies only by their ID"},
		{"with other parents", `
			agent planner [0-9]
			  tool search [1-2] id:s
			agent writer [0-9]
			  tool search [1-2] id:s`, `
			planner: search (copies_differ)
			writer: search (copies_differ)`,
			"the whole trace is in doubt"},
		{"of spans without IDs", `
			agent planner [0-9]
			  tool search [1-2] id:
			  tool search [1-2] id:`, `
			planner: search, search`,
			"nothing says that they are copies"},
	})
}

func TestAgentsInEachOther(t *testing.T) {
	check(t, closeAll(), []row{
		{"their own parents", `
			agent planner [0-9] id:a parent:b
			  agent writer [1-8] id:b
			    tool draft [2-3]`, `
			planner:
			writer: draft`,
			"a cycle of parents ends"},
		{"its own parent", `
			agent planner [0-9] id:a parent:a
			  tool draft [2-3]`, `
			planner: draft`,
			"a cycle of one span"},
	})
}
