package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// An agent's span without calls of its own, around or beside the span of the same agent, represents no run.
func TestAWrapperIsNoRun(t *testing.T) {
	check(t, closeAll(), []row{
		{"of the same name", "case does not count", `
			agent planner [0-9]
			  agent Planner [1-8]
			    tool search [2-3]`, `
			Planner: search
			passed: agent planner`},
		{"of another name", "a chief that only delegates is a run, as far as its model calls are not recorded", `
			agent chief [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			chief:
			planner: search`},
		{"of another name, without a model call of its own", "who delegates asks a model", `
			agent Runner.run [0-9]
			  agent planner [1-8]
			    chat [1-2]
			    tool search [2-3]`, `
			planner: search
			passed: agent Runner.run`},
		{"named after a method", "no agent has such a name", `
			agent AgentRunner.run [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: search
			passed: agent AgentRunner.run`},
		{"named like a site", "an agent may have such a name", `
			agent example.com [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			example.com:
			planner: search`},
		{"with a model call of its own", "it delegates", `
			agent chief [0-9]
			  chat [0-1]
			  agent planner [1-8]
			    chat [1-2]
			    tool search [2-3]`, `
			chief:
			planner: search`},
		{"without a name", "nothing tells it from the agent", `
			agent [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: search
			passed: agent`},
		{"with the name of the nameless agent", "the inner run gets the name", `
			agent planner [0-9]
			  agent [1-8]
			    tool search [2-3]`, `
			planner: search
			passed: agent planner`},
		{"around several runs", "it is a workflow's", `
			agent [0-9]
			  agent coordinator [1-4]
			    chat [2-3]
			  agent math [5-8]
			    tool multiply [6-7]`, `
			coordinator:
			math: multiply
			passed: agent`},
		{"of the same name, by one instrumentation", "the agent called itself", `
			agent planner [0-9] by:crew
			  agent planner [1-4] by:crew
			    tool search [2-3]
			  agent planner [5-8] by:crew
			    tool search [6-7]`, `
			planner:
			planner: search
			planner: search`},
		{"with a call of its own", "its call is a run's", `
			agent planner [0-9]
			  tool book [0-1]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: book
			planner: search`},
		{"not in its time", "what goes on longer is not wrapped", `
			agent planner [0-9]
			  agent planner [1-10]
			    tool search [2-3]`, `
			planner:
			planner: search`},
		{"an empty one beside", "one of the two is the record of the other", `
			root [0-9]
			  agent planner [1-9]
			  agent planner [2-8]
			    tool search [3-4]`, `
			planner: search
			passed: agent planner
			passed: root`},
		{"of the same name in another service", "the client's span of a remote agent is no run of its own", `
			agent support [0-9] by:crew
			  agent refunds [1-8] by:crew from:desk
			    agent refunds [2-7] by:crew from:refunds
			      tool refund [3-4]`, `
			support:
			refunds: refund
			passed: agent refunds`},
		{"an empty one beside, by one instrumentation", "two ran at once, and one called nothing", `
			root [0-9]
			  agent planner [1-9] by:crew
			  agent planner [2-8] by:crew
			    tool search [3-4]`, `
			planner:
			planner: search
			passed: root`},
		{"an empty one before", "it ended before, so it is a run", `
			root [0-9]
			  agent planner [1-2]
			  agent planner [3-8]
			    tool search [4-5]`, `
			planner:
			planner: search
			passed: root`},
		{"an empty one beside, with a span of its own", "something happened in it", `
			root [0-9]
			  agent planner [1-9]
			    span [1-2]
			  agent planner [2-8]
			    tool search [3-4]`, `
			planner:
			planner: search
			passed: root`},
	})
	s := closeAll()
	s.Due, s.By = 0, evidence.ByLimit
	check(t, s, []row{
		{"that a limit closed", "its calls may be missing", `
			agent planner [0-9]
			  agent planner [1-8]
			    tool search [2-3]`, `
			planner: (limit)
			planner: search (limit)`},
	})
}

// What it wraps may have closed before a wrapper comes. Whether the trace had model calls is known then.
func TestAWrapperThatComesLater(t *testing.T) {
	for _, tc := range []struct{ name, chat, want, reason string }{
		{"with model calls", "chat [1-2]", "passed: agent runner\n", "who delegates asks a model"},
		{"without", "span [1-2]", "runner:\n", "its model calls may not be recorded"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := new(evidence.Log)
			require.Equal(t, "planner: search\n", closeUntil(5).then(t, log, `
				agent planner [1-4] parent:9
				  `+tc.chat+`
				  tool search [2-3]`))
			require.Equal(t, tc.want, closeAll().then(t, log, `
				agent runner [0-9] id:9`), tc.reason)
		})
	}
}

// An agent that was under way when the processor began is no wrapper, but in doubt: what it called may have come before.
func TestAnAgentThatWasUnderWayIsNoWrapper(t *testing.T) {
	const log = `
		agent Runner.run [0-9]
		  agent planner [1-8]
		    chat [1-2]
		    tool search [2-3]`
	s := closeAll()
	for begun, want := range map[float64]string{-1: "planner: search\npassed: agent Runner.run\n", 5: "Runner.run: (restarted)\nplanner: search\n"} {
		s.UnderWay = func(span *evidence.Span) bool { return span.Start < runstest.Time(begun) }
		require.Equal(t, want, s.then(t, new(evidence.Log), log), "it began at %v", begun)
	}
}
