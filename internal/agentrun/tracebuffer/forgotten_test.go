package tracebuffer

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
)

// A link that may be forgotten makes runs incomplete where it could decide to which of them a call belongs.
func TestForgottenLinks(t *testing.T) {
	for _, tc := range []struct {
		name      string
		include   bool
		forgotten string // links that came until the end of this span's time
		steps     []func(*fixture)
		want      []string
		reason    string
	}{
		{
			"a call of unknown origin", false, "f 0-10", steps(agent("a 1-20"), agent("b 5-15"), call("x", "1<m 6-7")),
			lines("a:  (anchor!)", "b: x (anchor!)"), "the call may be of a",
		},
		{
			"a call below a remote parent", false, "f 0-10", steps(agent("a<r 1-20"), call("y", "2<a 8-9"), call("x", "1<m 6-7")),
			lines("a: y (anchor!)"), "the call may be of a",
		},
		{
			"nothing is forgotten", false, "f 0-0", steps(agent("a 1-20"), agent("b 5-15"), call("x", "1<m 6-7")),
			lines("a:  (anchor)", "b: x (anchor)"), "its parent has not come",
		},
		{
			"a limit closed a trace", false, "f 0-0", steps(evicted, agent("a 1-20"), agent("b 5-15"), call("x", "1<m 6-7")),
			lines("a:  (anchor!)", "b: x (anchor!)"), "it may have been this one",
		},
		{
			"one agent", false, "f 0-10", steps(agent("a 1-20"), call("x", "1<m 6-7")),
			lines("a: x (anchor)"), "there is no other",
		},
		{
			"before the other agent began", false, "f 0-2", steps(agent("a 3-20"), agent("b 5-15"), call("x", "1<m 6-7")),
			lines("a:  (anchor)", "b: x (anchor)"), "what is forgotten is not below a",
		},
		{
			"a later agent", false, "f 0-30", steps(agent("a 1-9"), agent("b 12-20"), call("x", "1<m 6-7")),
			lines("a: x (anchor)", "b:  (anchor)"), "b began after the call",
		},
		{
			"a known parent", false, "f 0-10", steps(agent("a 1-20"), agent("b 5-15"), call("x", "1<b 6-7")),
			lines("a:  (anchor)", "b: x (anchor)"), "time does not decide",
		},
		{
			"a known chain without an agent", false, "f 0-10", steps(agent("a 1-20"), agent("b 5-15"), plain("m 2-18"), call("x", "1<m 6-7")),
			lines("a:  (anchor)", "b: x (anchor)"), "no link is missing",
		},
		{
			"an agent of unknown origin", true, "f 0-10", steps(agent("a 1-20"), agent("b<m 5-15"), call("x", "1<b 6-7")),
			lines("a:  (anchor!)", "b: x (anchor!)"), "its calls may count for a too",
		},
		{
			"an agent of unknown origin, each run apart", false, "f 0-10", steps(agent("a 1-20"), agent("b<m 5-15"), call("x", "1<b 6-7")),
			lines("a:  (anchor)", "b: x (anchor)"), "its calls are its own",
		},
		{
			"an agent after another", true, "f 0-10", steps(agent("a 1-4"), agent("b<m 5-15"), call("x", "1<b 6-7")),
			lines("a:  (anchor)", "b: x (anchor)"), "a had ended",
		},
		{
			"a workflow of unknown origin", false, "f 0-10", steps(workflow("a 1-20"), workflow("b<m 5-15"), call("x", "1<b 6-7")),
			lines("a passthrough", "b: x (anchor!)"), "the outer one would have the call",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.Include = tc.include })
			b.forgotten = at(tc.forgotten).End
			for _, step := range tc.steps {
				step(b)
			}
			b.want(b.wait(5*time.Second), tc.want...)
		})
	}
}

func steps(all ...func(*fixture)) []func(*fixture) { return all }

// evicted lets a limit close another trace.
func evicted(b *fixture) {
	s := at("z 1-2")
	s.Trace = runtest.TraceNumber(1)
	b.AddAgentSpan(b.now, s, agentrun.Agent)
	b.oldest()
}

func lines(all ...string) []string { return all }

// others closes n runs of other traces, which began just before.
func (b *fixture) others(n int) {
	b.now = b.now.Add(10 * time.Second)
	for i := range n {
		s := agentrun.Span{Trace: runtest.TraceNumber(i), ID: id("z"), End: pcommon.NewTimestampFromTime(b.now)}
		s.Start = s.End - 1e9
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: ptrace.NewSpan()})
	}
	require.Len(b.t, b.wait(b.set.Wait).Runs, n)
}

// A run that may have closed before, and be forgotten, is not complete.
func TestForgottenRuns(t *testing.T) {
	const most = 8               // closed runs that are remembered
	copied := func(b *fixture) { // the agent's span comes, and again after its run has closed
		agent("a 990-999")(b)
		b.wait(b.set.Wait)
	}
	for _, tc := range []struct {
		name   string
		before func(*fixture)
		others int
		spec   string // the agent's span that comes then
		replay bool
		want   []string
		reason string
	}{
		{"a copy", copied, most - 1, "a 990-999", false, nil, "its run is remembered"},
		{"a copy of a forgotten run", copied, most, "a 990-999", false, lines("a:  (anchor!)"), "it has been judged"},
		{"a copy in a replay", copied, most, "a 990-999", true, lines("a:  (anchor)"), "spans come once, so this is another run"},
		{
			"after its calls were idle", func(b *fixture) { b.call("x", "x<a 997-998"); b.wait(b.set.IdleTimeout) }, most, "a 990-1075", false,
			lines("a:  (anchor!)"), "they have been judged without it",
		},
		{
			"after a limit closed its calls", func(b *fixture) { b.call("x", "x<a 997-998"); b.oldest() }, most, "a 990-1015", false,
			lines("a:  (anchor!)"), "they have been judged without it",
		},
		{"a late span", func(*fixture) {}, most, "a 1000-1001", false, lines("a:  (anchor)"), "no run is forgotten"},
		{"a late span after many runs", func(*fixture) {}, 2 * most, "a 1000-1001", false, lines("a:  (anchor!)"), "a run of its time may be forgotten"},
		{"a new run", func(*fixture) {}, 2 * most, "a 1010-1014", false, lines("a:  (anchor)"), "no run has closed in so short a time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.Replay, s.MaxClosed = tc.replay, most })
			tc.before(b)
			b.others(tc.others)
			b.held = 0
			agent(tc.spec)(b)
			b.want(b.wait(b.set.Wait), tc.want...)
		})
	}
}

// A link that may be forgotten makes a run incomplete if it could lead to another conversation.
func TestForgottenLinksToAConversation(t *testing.T) {
	for _, forgotten := range []bool{false, true} {
		b := newFixture(t, func(s *Settings) { s.Conversations = true })
		if forgotten {
			b.forgotten = at("f 0-10").End
		} else {
			plain("m<c 2-18")(b)
		}
		hold := func(spec, conversation string) {
			s := at(spec)
			b.AddAgentSpan(b.now, s, agentrun.Agent)
			b.AddConversation(s.Trace, s.Process, conversation)
			b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Agent: conversation, Held: ptrace.NewSpan(), Conversation: conversation})
		}
		hold("a 1-20", "one")
		hold("c 1-20", "two")
		agent("b<m 5-15")(b)
		for _, calls := range []string{"1<a 6-7", "2<b 6-7", "3<c 6-7"} { // no agent is idle or lacks a name, so none is looked at as a wrapper
			call("x", calls)(b)
		}
		runs := b.wait(b.set.Wait).Runs
		inner := slices.IndexFunc(runs, func(r agentrun.Run) bool { return r.Span().ID == id("b") })
		require.Equal(t, !forgotten, runs[inner].Complete)
		require.Equal(t, !forgotten, runs[inner].Conversation == "two")
	}
}
