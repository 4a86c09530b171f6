package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A name that only an agent's steps have is on the run's span, in whatever order the spans arrive, and also after a crash.
func TestAnAgentHasTheNameOfItsSteps(t *testing.T) {
	const scope = "openinference.instrumentation.llama_index"
	run := agent("run", "", 1, 10).by(scope)
	run.name, run.attributes = "FunctionAgent.run", map[string]any{"openinference.span.kind": "CHAIN"}
	step := run.with("input.value", `{"ctx": "", "ev": "AgentInput(input=[], current_agent_name='desk')"}`)
	step.id, step.parent, step.name, step.start, step.end = "step", "run", "BaseWorkflowAgent.setup_agent", 2, 3
	for _, tc := range []struct {
		claim         string
		first, second span
		resumed       int // spans that were held before the crash
		want          any
		reason        string
	}{
		{"the step first", step, run, 0, "desk", "children leave before their parents"},
		{"the step last", run, step, 1, "desk", "batches arrive in any order"},
		{"a step of another process", step.from("other"), run, 0, "desk", "spans of a trace belong together, whoever sent them"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			withStorage(t, &host{memoryStorage: newMemoryStorage()}, func(t *testing.T, begin func() *rig) {
				before := begin()
				require.NoError(t, before.send(tc.first))
				before.kill()
				r := begin()
				r.sent += tc.resumed
				require.NoError(t, r.send(tc.second))
				r.after(time.Minute, 1+tc.resumed)
				require.Equal(t, tc.want, r.verdict("run")["tool_correctness.agent"], tc.reason)
			})
		})
	}
}
