package tracebuffer

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/byprocess"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// namingStep is a step of an agent, with the agent's name, of a process.
func namingStep(agent, spec string, by agentrun.Process) func(*fixture) {
	return func(b *fixture) {
		s := at(spec)
		s.Process = by
		b.AddStep(b.now, s, agent)
	}
}

// A nameless agent's span has the name that the steps right below it agree on, and no other span has.
func TestStepsNameTheirAgent(t *testing.T) {
	for _, tc := range []struct {
		claim  string
		spans  []func(*fixture)
		agents map[string]string
		reason string
	}{
		{"one step", []func(*fixture){named("", "a 1-9", 1), namingStep("desk", "s<a 2-3", 1)},
			map[string]string{"a": "desk"}, "no other span has the name"},
		{"steps that agree", []func(*fixture){named("", "a 1-9", 1), namingStep("desk", "s<a 2-3", 1), namingStep("desk", "u<a 4-5", 1)},
			map[string]string{"a": "desk"}, "an agent begins each turn with a step"},
		{"steps that spell it otherwise", []func(*fixture){named("", "a 1-9", 1), namingStep("my-desk", "s<a 2-3", 1), namingStep("MyDesk", "u<a 4-5", 1)},
			map[string]string{"a": "MyDesk"}, "case and separators make no other agent"},
		{"steps that disagree", []func(*fixture){
			named("", "a 1-9", 1), namingStep("desk", "s<a 2-3", 1), namingStep("orders", "u<a 4-5", 1), namingStep("desk", "v<a 6-7", 1)},
			map[string]string{"a": ""}, "the span represents several agents, one after the other"},
		{"a step without a name", []func(*fixture){named("", "a 1-9", 1), namingStep("", "s<a 2-3", 1), namingStep("desk", "u<a 4-5", 1)},
			map[string]string{"a": "desk"}, "it says nothing about the name"},
		{"an agent that has a name", []func(*fixture){named("desk", "a 1-9", 1), namingStep("orders", "s<a 2-3", 1)},
			map[string]string{"a": "desk"}, "its own span knows better"},
		{"a copy that has a name", []func(*fixture){named("desk", "a 1-9", 1), named("", "a 1-9", 1), namingStep("orders", "s<a 2-3", 1)},
			map[string]string{"a": "desk"}, "the copies are of one span"},
		{"a step of another process", []func(*fixture){named("", "a 1-9", 1), namingStep("desk", "s<a 2-3", 2)},
			map[string]string{"a": ""}, "a sender that knows a span's ID must not name its agent"},
		{"a step of an agent inside", []func(*fixture){named("", "a 1-9", 1), call("t", "c<a 2-8"), named("", "b<c 3-7", 1), namingStep("desk", "s<b 4-5", 1)},
			map[string]string{"a": "", "b": "desk"}, "a step is of the nearest agent"},
		{"a text that is too long", []func(*fixture){named("", "a 1-9", 1), namingStep(strings.Repeat("x", byprocess.MaxStepName+1), "s<a 2-3", 1)},
			map[string]string{"a": ""}, "a name is kept until its run closes"},
		{"a step that repeats", []func(*fixture){named("", "a 1-9", 1), namingStep("desk", "s<a 2-3", 1), namingStep("desk", "s<a 2-3", 1)},
			map[string]string{"a": "desk"}, "exports are retried"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			inEitherOrder(t, nil, tc.spans, func(b *fixture) {
				require.Equal(t, tc.agents, agentsOf(b), tc.reason)
				b.done()
			})
		})
	}
}

// agentsOf are the agents' names of the runs that close, by their spans.
func agentsOf(b *fixture) map[string]string {
	agents := map[string]string{}
	for range 10 {
		h := b.wait(time.Second)
		b.held -= held(h)
		for i := range h.Runs {
			for _, a := range h.Runs[i].Anchors {
				agents[runtest.Letter(a.ID)] = a.Agent
			}
		}
	}
	return agents
}

// A wrapper is known by the name that its steps give: an agent that ran another one, and called nothing, is a run.
func TestAnAgentThatItsStepsNameIsNoWrapper(t *testing.T) {
	spans := []func(*fixture){named("", "a 1-9", 1), namingStep("desk", "s<a 2-3", 1), named("", "b<a 4-8", 1), namingStep("orders", "u<b 5-6", 1)}
	inEitherOrder(t, nil, spans, func(b *fixture) {
		require.Equal(t, map[string]string{"a": "desk", "b": "orders"}, agentsOf(b))
		b.done()
	})
}

// Names survive a crash: those of spans, and those in the evidence after a closing.
func TestNamesOfStepsAreRestored(t *testing.T) {
	set := agentrun.Settings{MaxPayload: 1 << 10}
	step := func(agent, spec string) func(*record.Evidence) {
		return func(e *record.Evidence) { e.AddStep(at(spec), agent) }
	}
	for _, tc := range []struct {
		claim string
		facts []func(*record.Evidence)
		want  string
	}{
		{"one name", []func(*record.Evidence){step("desk", "s<a 2-3"), step("Desk", "u<a 4-5")}, "Desk"},
		{"two names", []func(*record.Evidence){step("desk", "s<a 2-3"), step("orders", "u<a 4-5")}, ""},
		{"no name", []func(*record.Evidence){step("", "s<a 2-3")}, ""},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			e := record.NewEvidence(&set, at("a 1-9").Trace)
			for _, add := range tc.facts {
				add(e)
			}
			evidence := e.Bytes()
			for _, claim := range []string{"from spans", "from what a closing left", "once more"} {
				b := newFixture(t, func(s *Settings) { s.Stored = true })
				for range 2 {
					_, err := b.Restore(b.now, evidence)
					require.NoError(t, err)
				}
				// A closing leaves this record only if calls wait behind it, and then the run would not be the same.
				left := b.traces[at("a 1-9").Trace].remainder(b.set)
				named("", "a 1-9", 0)(b)
				require.Equal(t, map[string]string{"a": tc.want}, agentsOf(b), claim)
				b.done()
				evidence = left
			}
		})
	}
}

// The name of steps is dropped when the run has closed.
func TestNamesOfStepsAreForgotten(t *testing.T) {
	b := newFixture(t, nil)
	named("", "a 1-9", 1)(b)
	before := b.Size()
	namingStep("desk", "s<a 2-3", 1)(b)
	require.Greater(t, b.Size(), before, "what is kept is counted")
	b.now = b.now.Add(time.Second)
	named("", "z 1-9", 1)(b)
	b.held -= held(b.wait(4 * time.Second))
	// Size has the other parts of the trace as well, which closings make smaller and larger.
	trace := b.traces[at("z 1-9").Trace]
	require.Less(t, trace.stepNames.Bytes(), 60, "the process is left")
	require.Equal(t, trace.measure(), trace.size)
	b.held -= held(b.wait(time.Hour))
	b.done()
}
