package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

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
