package runs_test

import "testing"

// Copies of a span are one span: a retried export sends it again, and some instrumentations send it at its start and at its end.
func TestCopiesOfASpanAreOne(t *testing.T) {
	check(t, closeAll(), []row{
		{"equal", "one span, one call", `
			agent planner [0-9]
			  tool search{"q":1} [1-2]
			  tool search{"q":1} [1-2]`, `planner: search{"q":1}`},
		{"at the start and at the end", "the one that says more", `
			agent planner [0-0]
			agent planner [0-9]
			  tool search#call_search [1-1]
			  tool search#call_search{"q":1}->found [1-2] ok`, `planner x2: search#call_search{"q":1}->found ok`},
		{"with other arguments", "they are copies only by their ID", `
			agent planner [0-9]
			  tool search{"q":1} [1-2] id:s
			  tool search{"q":2} [1-2] id:s`, `planner: search{"q":1}, search{"q":2} (copies_differ)`},
		{"with other parents", "the whole trace is in doubt", `
			agent planner [0-9]
			  tool search [1-2] id:s
			agent writer [0-9]
			  tool search [1-2] id:s`, `
			planner: search (copies_differ)
			writer: search (copies_differ)`},
		{"of spans without IDs", "nothing says that they are copies", `
			agent planner [0-9]
			  tool search [1-2] id:
			  tool search [1-2] id:`, `planner: search, search`},
	})
}

func TestAgentsInEachOther(t *testing.T) {
	check(t, closeAll(), []row{
		{"their own parents", "a cycle of parents ends", `
			agent planner [0-9] id:a parent:b
			  agent writer [1-8] id:b
			    tool draft [2-3]`, `
			planner:
			writer: draft`},
		{"its own parent", "a cycle of one span", `
			agent planner [0-9] id:a parent:a
			  tool draft [2-3]`, `planner: draft`},
	})
}
