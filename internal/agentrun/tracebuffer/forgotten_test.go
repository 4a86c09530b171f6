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
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
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
			"a limit closed the trace", false, "f 0-0", steps(evicted(1), agent("a 990-1020"), agent("b 1005-1015"), call("x", "1<m 1006-1007")),
			lines("a:  (anchor!)", "b: x (anchor!)"), "it forgot the links of its spans",
		},
		{
			"a limit closed the trace before the agents began", false, "f 0-0", steps(evicted(1), agent("a 1001-1020"), agent("b 1005-1015"), call("x", "1<m 1006-1007")),
			lines("a:  (anchor!)", "b: x (anchor!)"), "calls that came before may be theirs",
		},
		{
			"a limit closed another trace", false, "f 0-0", steps(evicted(2), agent("a 990-1020"), agent("b 1005-1015"), call("x", "1<m 1006-1007")),
			lines("a:  (anchor)", "b: x (anchor)"), "nothing of this one is forgotten",
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
			"an agent around another", false, "f 0-10", steps(named("", "a 1-20", 0), named("", "b<a 5-15", 0), call("x", "1<m 6-7")),
			lines("a:  (anchor!)", "b: x (anchor!)"), "the call may be of a, so a is no wrapper",
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

// evicted lets a limit close a trace of which one link is known. The trace of most spans is number 1.
func evicted(trace byte) func(*fixture) {
	return func(b *fixture) {
		s := at("z 1-2")
		s.Trace = pcommon.TraceID{trace}
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.oldest()
	}
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

// A limit that closes a trace makes the runs incomplete that had begun, although no run of the trace was known.
func TestEvictedEvidence(t *testing.T) {
	for _, tc := range []struct {
		name    string
		evicted bool
		want    string
	}{{"kept", false, "a: x (anchor)"}, {"evicted", true, "a: x (anchor!)"}} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, nil)
			said := agentrun.ModelResponse{Span: at("m<a 991-992")}
			said.Results = append(said.Results, agentrun.ToolResult{ID: "call_abcdefghijkl", Output: scoring.Text("failed")})
			b.AddResponse(b.now, said)
			if tc.evicted {
				b.want(b.oldest())
			}
			b.callWith("x<a 993-994", "call_abcdefghijkl", scoring.Call{Name: "x"})
			b.anchor(agentrun.Agent, "a 990-1000")
			h := b.wait(5 * time.Second)
			require.Equal(t, !tc.evicted, h.Runs[0].Calls[0].Output == scoring.Text("failed"))
			b.want(h, tc.want)
			b.done()
		})
	}
}

// The run inside of another has closed. A late call of it counts for the other run if the closed run is forgotten.
func TestForgottenInnerRun(t *testing.T) {
	const few, many = 8, 4 * maxClosedRuns // closed runs that are remembered
	for _, tc := range []struct {
		name   string
		most   int
		forget func(*fixture)
		call   string
		want   []string
		reason string
	}{
		{"remembered", few, func(b *fixture) { b.others(few - 1) }, "x<b 993-994", lines("a:  (anchor)"), "the call is late"},
		{"forgotten", few, func(b *fixture) { b.others(few) }, "x<b 993-994", lines("a: x (anchor!)"), "it may be a call of a run that is forgotten"},
		{"below the outer run", few, func(b *fixture) { b.others(few) }, "x<a 993-994", lines("a: x (anchor)"), "its agent is known"},
		{"a later call", few, func(b *fixture) { b.others(few) }, "x<c 1016-1017", lines("a: x (anchor!)"), "a run below the outer one may be forgotten"},
		{"trimmed", many, trimmed, "x<b 993-994", lines("a: x (anchor!)"), "a trace remembers so many runs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.MaxClosed = tc.most })
			agent("b<a 991-999")(b)
			b.want(b.wait(b.set.Wait), "b:  (anchor)")
			tc.forget(b)
			b.held = 0
			b.call("x", tc.call)
			agent("a 990-1040")(b)
			b.want(b.wait(b.set.Wait), tc.want...)
		})
	}
}

// trimmed closes more runs of the trace than it remembers.
func trimmed(b *fixture) {
	s := at("z 998-999")
	for i := range maxClosedRuns {
		s.ID = runtest.SpanOf('z', i)
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: ptrace.NewSpan()})
	}
	b.wait(b.set.Wait)
}

// A limit takes no verdict away from an agent whose calls have not come.
func TestALimitMakesNoWrappers(t *testing.T) {
	for _, evicts := range []bool{false, true} {
		b := newFixture(t, nil)
		named("", "a 1-9", 0)(b)
		named("x", "b<a 2-8", 0)(b)
		if evicts {
			b.want(b.oldest(), "a:  (limit!)", "b:  (limit!)")
		} else {
			b.want(b.wait(b.set.Wait), "a passthrough", "b:  (anchor)")
		}
		b.done()
	}
}
