package tracebuffer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// manyTraces has n traces with some calls each, and holds the span of their agent unless it came to another collector.
func manyTraces(t *testing.T, n, calls int, elsewhere bool) *fixture {
	b := newFixture(t, nil)
	for i := range n {
		s := agentrun.Span{Trace: pcommon.TraceID{byte(i), byte(i >> 8), 1}, ID: runtest.SpanOf('a', i), Start: 1, End: 9}
		for c := range calls {
			b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "x"}, Span: agentrun.Span{Trace: s.Trace, ID: runtest.SpanOf('c', c), Parent: s.ID, Start: 2, End: 3}})
		}
		if elsewhere {
			continue
		}
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: ptrace.NewSpan(), Size: 100})
		b.held++
	}
	return b
}

// CloseDue releases the lock in between. For any number of due traces, other callers wait for only a few of them.
func TestClosingStopsBetweenTraces(t *testing.T) {
	const traces, calls = 2_000, 20
	for name, closing := range map[string]func(b *fixture, h *agentrun.ClosedBatch) (more bool){
		"due":         func(b *fixture, h *agentrun.ClosedBatch) bool { return b.CloseDue(b.now.Add(5*time.Second), h) },
		"at shutdown": func(b *fixture, h *agentrun.ClosedBatch) bool { return b.CloseAll(b.now, h) },
		"idle":        func(b *fixture, h *agentrun.ClosedBatch) bool { return b.CloseDue(b.now.Add(time.Hour), h) },
	} {
		t.Run(name, func(t *testing.T) {
			b := manyTraces(t, traces, calls, name == "idle")
			var all agentrun.ClosedBatch
			parts := 0
			for more := true; more; parts++ {
				before := b.work
				var h agentrun.ClosedBatch
				more = closing(b, &h)
				require.LessOrEqual(t, b.work-before, longWork+100*calls, "one trace more than is long")
				all.Add(h)
			}
			require.Len(t, all.Runs, traces)
			require.Greater(t, parts, 3)
			require.Zero(t, b.Size())
		})
	}
}

// PassAll returns all held spans, and leaves nothing.
func TestGivingUpHandsOutAllSpans(t *testing.T) {
	b := manyTraces(t, 100, 3, false)
	s := at("b 1-2")
	for range 3 {
		b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: ptrace.NewSpan(), Size: 100})
		b.held++
	}
	b.tool("x", "t<b 1-2")
	var h agentrun.ClosedBatch
	b.PassAll(&h)
	require.Empty(t, h.Runs)
	require.Len(t, h.Passthrough, 100+3+1)
	b.held -= held(h)
	b.done()
}

// A trace that waits with as many anchors as it may have is closed before the next one, so that no closing examines more.
func TestATraceIsFullOfAnchors(t *testing.T) {
	for _, c := range []struct {
		name            string
		anchors, closed int
		replay          bool
		reason          string
	}{
		{"one less than it may have", MaxAnchors - 1, 0, false, "the trace is not full"},
		{"as many as it may have", MaxAnchors, MaxAnchors, false, "the trace is full"},
		{"some more", MaxAnchors + 3, MaxAnchors, false, "those that arrive later open the trace again"},
		{"in a replay", MaxAnchors + 3, 0, true, "no lock is held in a replay, and all spans arrive before anything closes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.Replay = c.replay })
			g := grower{b, c.anchors}
			g.call(0, runtest.SpanOf('a', 0), 0, 1)
			var h agentrun.ClosedBatch
			for i := range c.anchors {
				s := g.span(runtest.SpanOf('a', i), pcommon.SpanID{}, i, i+1)
				g.anchor(agentrun.Agent, s)
				b.EvictFull(b.now, s.Trace, &h)
			}
			require.Len(t, h.Runs, c.closed, c.reason)
			for _, r := range h.Runs {
				require.Equal(t, agentrun.ByLimit, r.ClosedBy)
				require.False(t, r.Complete, "calls may still arrive")
			}
			if c.closed > 0 {
				require.Len(t, h.Runs[0].Calls, 1, "calls that are known count")
			}
			b.held -= held(h)
			b.held -= held(b.drain())
			b.done()
		})
	}
}
