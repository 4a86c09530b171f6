package tracebuffer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/record"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// named is an agent's span with a name, of a process.
func named(name, spec string, by agentrun.Process) func(*fixture) {
	return func(b *fixture) {
		s := at(spec)
		s.Process = by
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s, Agent: name, Held: ptrace.NewSpan(), Size: 100})
		b.held++
	}
}

// linked is an ordinary span of a process.
func linked(spec string, by agentrun.Process) func(*fixture) {
	return func(b *fixture) {
		s := at(spec)
		s.Process = by
		b.addParent(b.trace(b.now, s), s) // wherever it comes in the order
	}
}

// A wrapper of one run is no run. An agent without calls is one.
func TestWrappers(t *testing.T) {
	for _, tc := range []struct {
		name   string
		steps  []func(*fixture)
		want   []string
		reason string
	}{
		{"a nameless span around a run", []func(*fixture){named("", "a 1-9", 0), named("x", "b<a 2-8", 0), call("t", "c<b 3-4")},
			[]string{"a passthrough", "b: t (anchor)"}, "a run has an agent"},
		{"a nameless span around a wrapper", []func(*fixture){named("", "a 1-9", 0), named("", "b<a 2-8", 0), named("x", "c<b 3-7", 0)},
			[]string{"a passthrough", "b passthrough", "c:  (anchor)"}, "the innermost is left"},
		{"an agent's span twice", []func(*fixture){named("my-agent", "a 1-9", 0), named("my_agent", "b<a 2-8", 0), call("t", "c<b 3-4")},
			[]string{"a passthrough", "b: t (anchor)"}, "two instrumentations spell it in their own ways"},
		{"a name around a nameless run", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-8", 0), call("t", "c<b 3-4")},
			[]string{"a passthrough", "b: t (anchor)"}, "the inner span lacks the name, and the outer one the calls"},
		{"a name around nameless runs", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-4", 0), named("", "c<a 5-8", 0)},
			[]string{"a:  (anchor)", "b:  (anchor)", "c:  (anchor)"}, "it may be the supervisor of other agents, which called nothing"},
		{"a name around runs of which one has a name", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-4", 0), named("y", "c<a 5-8", 0)},
			[]string{"a:  (anchor)", "b:  (anchor)", "c:  (anchor)"}, "it may be their supervisor"},
		{"a name with a call around a nameless run", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-4", 0), call("t", "c<a 5-6")},
			[]string{"a: t (anchor)", "b:  (anchor)"}, "what has calls is a run"},
		{"a name of another process", []func(*fixture){named("x", "a 1-9", 1), named("", "b<a 2-8", 2)},
			[]string{"a:  (anchor)", "b:  (anchor)"}, "a service that an agent calls takes no verdict away"},
		{"an agent around another", []func(*fixture){named("x", "a 1-9", 0), named("y", "b<a 2-8", 0), call("t", "c<b 3-4")},
			[]string{"a:  (anchor)", "b: t (anchor)"}, "it is an agent that called nothing itself"},
		{"a nameless agent with a call", []func(*fixture){named("", "a 1-9", 0), named("x", "b<a 2-8", 0), call("t", "c<a 3-4")},
			[]string{"a: t (anchor)", "b:  (anchor)"}, "what has calls is a run"},
		{"a nameless span around two runs", []func(*fixture){named("", "a 1-9", 0), named("x", "b<a 2-4", 0), named("y", "c<a 5-8", 0)},
			[]string{"a:  (anchor)", "b:  (anchor)", "c:  (anchor)"}, "it may be their supervisor"},
		{"a span of another process inside", []func(*fixture){named("", "a 1-9", 1), named("x", "b<a 2-8", 2)},
			[]string{"a:  (anchor)", "b:  (anchor)"}, "a service that an agent calls takes no verdict away"},
		{"a run of another process inside as well", []func(*fixture){named("x", "a 1-9", 1), named("", "b<a 2-8", 1), named("", "c<a 3-4", 2)},
			[]string{"a passthrough", "b:  (anchor)", "c:  (anchor)"}, "another process takes no name away"},
		{"a link of another process to the run inside", []func(*fixture){named("", "a 1-9", 1), named("x", "b<m 2-8", 1), linked("m<a 2-8", 2)},
			[]string{"a:  (anchor)", "b:  (anchor)"}, "a sender that forges a link takes no verdict away"},
		{"a link of its own to the run inside", []func(*fixture){named("", "a 1-9", 1), named("x", "b<m 2-8", 1), linked("m<a 2-8", 1)},
			[]string{"a passthrough", "b:  (anchor)"}, "its process says that a is around"},
		{"an empty leaf beside the run", []func(*fixture){named("x", "a<z 1-9", 0), named("x", "b<z 2-8", 0), call("t", "c<b 3-4")},
			[]string{"a passthrough", "b: t (anchor)"}, "all is below the other span"},
		{"a run beside a run", []func(*fixture){named("x", "a<z 1-9", 0), named("x", "b<z 2-8", 0), plain("m<a 2-3"), call("t", "c<b 3-4")},
			[]string{"a:  (anchor)", "b: t (anchor)"}, "it did something, and called nothing"},
		{"agents that contain each other", []func(*fixture){named("", "a<b 1-9", 0), named("", "b<a 1-9", 0)},
			[]string{"a passthrough", "b:  (anchor)"}, "one of a cycle stays"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			inEitherOrder(t, nil, tc.steps, func(b *fixture) {
				b.want(b.wait(5*time.Second), tc.want...)
				b.done()
			})
			if t.Failed() {
				t.Log(tc.reason)
			}
		})
	}
}

// The run of a nameless agent has the name of the span that wraps it, also if that closes later. No other span gives a name.
func TestNamesOfWrappers(t *testing.T) {
	for _, tc := range []struct {
		claim  string
		steps  []func(*fixture)
		agents map[string]string
	}{
		{"from the wrapper", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-8", 0), call("t", "c<b 3-4")}, map[string]string{"b": "x"}},
		{"before the wrapper closes", []func(*fixture){named("", "b<a 2-8", 0), call("t", "c<b 3-4"), func(b *fixture) { b.now = b.now.Add(time.Second) }, named("x", "a 1-9", 0)},
			map[string]string{"b": "x"}},
		{"not from one with calls", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-8", 0), call("t", "c<a 3-4")}, map[string]string{"a": "x", "b": ""}},
		{"not from another process", []func(*fixture){named("x", "a 1-9", 1), named("", "b<a 2-8", 2)}, map[string]string{"a": "x", "b": ""}},
		{"not from one that ran two", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-4", 0), named("", "c<a 5-8", 0)},
			map[string]string{"a": "x", "b": "", "c": ""}},
		{"not from one that ran another, too", []func(*fixture){named("x", "a 1-9", 0), named("", "b<a 2-4", 0), named("y", "c<a 5-8", 0)},
			map[string]string{"a": "x", "b": "", "c": "y"}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			b := newFixture(t, nil)
			for _, step := range tc.steps {
				step(b)
			}
			agents := map[string]string{}
			for range 10 {
				h := b.wait(time.Second)
				for i := range h.Runs {
					agents[runtest.Letter(h.Runs[i].Anchors[0].ID)] = h.Runs[i].Anchors[0].Agent
				}
			}
			require.Equal(t, tc.agents, agents)
		})
	}
}

// A closed run in the storage still has its name, in the record of the closing and in the one after its release.
func TestAWrapperThatComesAfterARestart(t *testing.T) {
	stored := func(s *Settings) { s.Stored = true }
	first := newFixture(t, stored)
	named("my_agent", "b<a 2-8", 0)(first)
	call("t", "c<b 3-4")(first)
	first.TrackRecord(at("b<a 2-8").Trace, 7)
	h := first.wait(5 * time.Second)
	first.want(h, "b: t (anchor)")
	require.Len(t, h.Checkpoints, 1)
	left := h.Checkpoints[0].Closed
	require.NotNil(t, left)
	var released []byte
	AddClosed(&agentrun.Checkpoint{}, first.set, &agentrun.Anchor{Span: at("b<a 2-8"), Agent: "my_agent"}, first.now,
		func(evidence []byte) uint32 { released = evidence; return 8 })
	for name, evidence := range map[string][]byte{"what the closing left": left, "what the release stored": released} {
		t.Run(name, func(t *testing.T) {
			second := newFixture(t, stored)
			restored, err := record.Decode(evidence)
			require.NoError(t, err)
			require.Len(t, restored.ClosedRuns, 1)
			require.Equal(t, compare.NameHash("my-agent"), restored.ClosedRuns[0].Name)
			require.NoError(t, second.RestoreClosed(evidence))
			named("my-agent", "a 1-9", 0)(second)
			second.want(second.wait(5*time.Second), "a passthrough")
		})
	}
}

// A run that closed before its wrapper arrived still has its name.
func TestAWrapperThatComesLater(t *testing.T) {
	b := newFixture(t, nil)
	named("my_agent", "b<a 2-8", 0)(b)
	call("t", "c<b 3-4")(b)
	b.want(b.wait(5*time.Second), "b: t (anchor)")
	named("my-agent", "a 1-9", 0)(b)
	b.want(b.wait(5*time.Second), "a passthrough")
	b.done()
}
