package processor

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
)

// Conditions read the agent's name from one attribute. Only spans with a verdict keep it.
func TestOneAttributeNamesTheAgent(t *testing.T) {
	const key = "tool_correctness.agent"
	forDesk := func(s *Settings, _ *sink) {
		s.Expectations[0].When = conditionOf(t, componenttest.NewNopTelemetrySettings(), `attributes["tool_correctness.agent"] == "desk"`)
	}
	withFakeClock(t, forDesk, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(
			agent("a", "", 1, 9).with("gen_ai.agent.name", "desk"),
			span{id: "b", start: 1, end: 9, attributes: map[string]any{"ai.operationId": "ai.generateText", "ai.telemetry.functionId": "desk"}}.in(2),
			agent("c", "", 1, 9).with("gen_ai.agent.name", "other").in(3),
			agent("d", "", 1, 9).with("gen_ai.agent.name", "other").with(key, "of an earlier processor").in(4),
			agent("e", "", 1, 9).with(key, "desk").in(5),
		))
		r.after(15*time.Second, 5)
		require.Equal(t, "desk", r.verdict("a")[key])
		require.Equal(t, "desk", r.verdict("b")[key], "whatever the dialect")
		require.Equal(t, "0", r.verdict("b")["tool_correctness.expectation"])
		require.NotContains(t, r.verdict("c"), key, "no expectation is for it")
		require.NotContains(t, r.verdict("d"), key, "what another wrote there goes, too")
		require.NotContains(t, r.verdict("e"), key, "its name is not known, and that of no other span is taken")
	})
}

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
