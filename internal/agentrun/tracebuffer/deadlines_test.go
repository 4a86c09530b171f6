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

// manyTraces holds n traces of an agent with some calls each.
func manyTraces(t *testing.T, n, calls int) *fixture {
	b := newFixture(t, nil)
	for i := range n {
		s := agentrun.Span{Trace: pcommon.TraceID{byte(i), byte(i >> 8), 1}, ID: runtest.SpanOf('a', i), Start: 1, End: 9}
		for c := range calls {
			b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "x"}, Span: agentrun.Span{Trace: s.Trace, ID: runtest.SpanOf('c', c), Parent: s.ID, Start: 2, End: 3}})
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
		"idle": func(b *fixture, h *agentrun.ClosedBatch) bool {
			for _, t := range b.traces { // their anchors were another collector's
				t.waiting = nil
			}
			return b.CloseDue(b.now.Add(time.Hour), h)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := manyTraces(t, traces, calls)
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
	b := manyTraces(t, 100, 3)
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
