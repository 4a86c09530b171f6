package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// The span of a group says which agent requested what.
func TestTheSharesOfAGroupGoToItsAgents(t *testing.T) {
	check(t, closeAll(), []row{
		{"one share of each", "each agent has one task and one run", `
			group [0-20] messages share:planner asks:search#call_search share:writer asks:draft#call_draft
			  agent planner [1-5]
			  agent writer [6-9]`, `
			planner: search#call_search asked
			writer: draft#call_draft asked
			passed: group`},
		{"two shares of an agent", "nobody knows which is the run's", `
			group [0-20] messages share:planner asks:search#call_search share:planner asks:draft#call_draft
			  agent planner [1-5]`, `
			planner: (content_unreadable)
			passed: group`},
		{"two runs of an agent", "nobody knows whose it is", `
			group [0-20] messages share:planner asks:search#call_search
			  agent planner [1-5]
			  agent planner [6-9]`, `
			planner: (content_unreadable)
			planner: (content_unreadable)
			passed: group`},
		{"an agent inside of another one", "the group's task may be another run", `
			group [0-20] messages share:writer asks:draft#call_draft
			  agent planner [1-9]
			    tool ask_writer [2-8]
			      agent writer [3-7]`, `
			planner: ask_writer
			writer: (content_unreadable)
			passed: group`},
		{"an agent that may be in the group", "the chain above the second is broken", `
			group [0-20] messages share:planner asks:search#call_search
			  agent planner [1-5]
			- span [0-20]
			  agent planner [6-9]`, `
			planner: (content_unreadable)
			planner:
			passed: group`},
		{"an agent whose model says what it asked for", "the model's own span says more", `
			group [0-20] messages share:planner asks:search#call_search share:planner asks:draft#call_draft
			  agent planner [1-5]
			    model [2-3] asks:search#call_search
			    tool search#call_search [3-4]`, `
			planner: search#call_search
			passed: group`},
		{"one ID in two messages", "one ID is one call, and the first message counts", `
			group [0-20] messages share:planner asks:search#call_search next asks:search#call_search
			  agent planner [1-5]`, `
			planner: search#call_search asked
			passed: group`},
		{"copies with another order", "either may be true", `
			group [0-20] messages share:planner asks:search#call_search next asks:draft#call_draft
			group [0-20] messages share:planner asks:draft#call_draft next asks:search#call_search
			  agent planner [1-5]`, `
			planner: draft#call_draft asked, search#call_search asked (copies_differ)
			passed: group
			passed: group`},
		{"an agent in two groups", "the nearest group knows its agents", `
			group [0-20] messages share:planner asks:draft#call_draft
			  group [1-19] messages share:planner asks:search#call_search
			    agent planner [2-5]`, `
			planner: search#call_search asked
			passed: group
			passed: group`},
		{"a model's span with one ID and another tool", "they are two calls", `
			group [0-20] messages share:planner asks:search#call_search
			  agent planner [1-5]
			    model [2-3] messages asks:pay#call_search`, `
			planner: search#call_search asked, pay#call_search asked
			passed: group`},
		{"a group that could not be read", "the agents right inside of it may lack calls", `
			group [0-20] messages unread
			  agent planner [1-5]
			- span [0-20]
			  agent writer [6-9]`, `
			planner: (content_unreadable)
			writer:
			passed: group`},
	})
	s := closeAll()
	s.WholeTrace = true
	check(t, s, []row{
		{"of a whole trace", "all are the one run's", `
			root [0-30]
			  group [0-20] unheld messages share:planner asks:search#call_search share:planner asks:draft#call_draft
			    agent planner [1-5] unheld`, `root: search#call_search asked, draft#call_draft asked`},
	})
}

// A share without a run waits while spans may still arrive.
func TestAShareWaitsForItsAgent(t *testing.T) {
	log := runstest.Log(t, `
		group [0-20] at:9 messages share:planner asks:search#call_search`)
	require.Empty(t, closeUntil(5).then(t, log, ""))
	require.Equal(t, "planner: search#call_search asked\n", closeUntil(6).then(t, log, `
		- group [0-20]
		  agent planner [1-5] at:6`))
}

// A group keeps the shares around it from its own agents, also if they come after it has nothing more to give.
func TestAGroupInAGroupKeepsItsAgents(t *testing.T) {
	for _, inner := range []string{"", "share:editor asks:edit#call_edit"} {
		log := runstest.Log(t, `
			group id:0 [0-20] unheld messages share:writer asks:draft#call_draft
			  group [1-19] unheld messages `+inner+`
			    agent editor [2-4] at:1`)
		editor := map[bool]string{true: "editor:\n", false: "editor: edit#call_edit asked\n"}[inner == ""]
		require.Equal(t, editor, closeUntil(5).then(t, log, ""), inner)
		require.Equal(t, "writer:\n", closeUntil(9).then(t, log, `
			- group id:0 [0-20]
			  - group [1-19]
			    agent writer [6-9] at:9`), "its task is the inner group's: %s", inner)
	}
}
