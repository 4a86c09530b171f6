package tracebuffer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// strays adds n calls below spans that never arrive.
func (b *fixture) strays(n int) {
	for i := range n {
		b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "x"}, Span: agentrun.Span{
			Trace: pcommon.TraceID{1}, ID: runtest.SpanOf('c', i), Parent: runtest.SpanOf('p', i), Start: 50, End: 60,
		}})
	}
}

// stray holds an agent, below a span that never arrives, whose time contains all strays.
func (b *fixture) stray(i int) {
	s := agentrun.Span{Trace: pcommon.TraceID{1}, ID: runtest.SpanOf('a', i), Parent: runtest.SpanOf('q', i), Start: 1, End: 100}
	b.AddAgentSpan(b.now, s, agentrun.Agent)
	b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: ptrace.NewSpan(), Size: 100})
	b.held++
}

// Each closing of an agent, every 200 ms, examined all calls of its trace without an owner. Now a trace rests where its spans
// have not paid for the look, and everything is still released.
func TestATraceThatIsExaminedOverAndOverRests(t *testing.T) {
	const calls, agents, apart = 2_000, 1_500, 200 * time.Millisecond
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 10_000 })
	b.strays(calls)
	held := map[pcommon.SpanID]time.Time{}
	closings := 0
	var latest time.Duration
	take := func() {
		before := len(held)
		h := b.wait(apart)
		for _, r := range h.Runs {
			require.Len(t, r.Anchors, 1)
			latest = max(latest, b.now.Sub(held[r.Anchors[0].ID]))
			delete(held, r.Anchors[0].ID)
		}
		if len(held) < before {
			closings++
		}
		b.held -= heldIn(h)
	}
	for i := range agents {
		b.stray(i)
		held[runtest.SpanOf('a', i)] = b.now
		take()
	}
	require.Less(t, closings, 50, "of %d agents, each of which is alone", agents)
	t.Logf("closed %d times, %d steps, at most %s late", closings, b.work, latest)
	// Without rests it is 37 million. What is not paid for are the looks after which rests double, and one a minute.
	require.Less(t, b.work, compare.Work(300*(calls+agents)), "so many steps for each span, however long it goes on")
	for range b.set.IdleTimeout / apart {
		take()
	}
	for len(held) > 0 {
		take()
	}
	require.LessOrEqual(t, latest, b.set.Wait+b.set.IdleTimeout+apart, "no anchor waits longer than a rest")
	b.held -= heldIn(b.wait(time.Hour))
	b.done()
}

// heldIn is held under another name, for tests with a variable of that name.
func heldIn(h agentrun.ClosedBatch) int { return held(h) }

// A trace whose spans pay for its examinations never rests: its runs close when their wait is over.
func TestATraceOfManyAgentsDoesNotRest(t *testing.T) {
	const agents, calls = 100, 10
	b := newFixture(t, func(s *Settings) { s.MaxCalls = 10_000 })
	b.strays(20) // children leave before their parents, and some parents are lost
	for i := range agents {
		s := agentrun.Span{Trace: pcommon.TraceID{1}, ID: runtest.SpanOf('a', i), Start: pcommon.Timestamp(200 + i), End: 1000}
		for c := range calls {
			b.AddCall(b.now, agentrun.Call{Call: scoring.Call{Name: "x"}, Span: agentrun.Span{
				Trace: s.Trace, ID: runtest.SpanOf('d', i*calls+c), Parent: s.ID, Start: s.Start, End: s.Start + 1,
			}})
		}
		b.AddAgentSpan(b.now, s, agentrun.Agent)
		b.Hold(b.now, agentrun.Anchor{Span: s, Kind: agentrun.Agent, Held: ptrace.NewSpan(), Size: 100})
		b.held++
		h := b.wait(b.set.Wait)
		require.Len(t, h.Runs, 1, "agent %d", i)
		b.held -= held(h)
	}
	b.held -= held(b.wait(time.Hour))
	b.done()
}

// The end of a trace does not wait for its rest, and nothing of a retired trace returns when the rest is over.
func TestATraceThatRestsCanBeClosed(t *testing.T) {
	for name, closing := range map[string]func(b *fixture) agentrun.ClosedBatch{
		"by a limit":   (*fixture).oldest,
		"at shutdown":  (*fixture).drain,
		"at its end":   func(b *fixture) agentrun.ClosedBatch { return b.wait(b.set.IdleTimeout) },
		"by giving up": func(b *fixture) (h agentrun.ClosedBatch) { b.PassAll(&h); return h },
	} {
		t.Run(name, func(t *testing.T) {
			b := newFixture(t, func(s *Settings) { s.MaxCalls = 10_000 })
			b.strays(2_000)
			for i := 0; len(b.resting) == 0; i++ {
				b.stray(i)
				b.held -= held(b.wait(b.set.Wait))
			}
			require.NotZero(t, b.held, "somebody waits for the end of the rest")
			b.held -= held(closing(b))
			require.Zero(t, b.held)
			b.held -= held(b.wait(time.Hour))
			require.Empty(t, b.resting)
			b.done()
		})
	}
}

// All recorded spans arrive before any run closes, and time stands still between two examinations.
func TestRecordedTracesDoNotRest(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxCalls, s.Replay = 10_000, true })
	b.strays(2_000)
	for i := range 50 {
		b.stray(i)
		h := b.wait(b.set.Wait)
		require.NotEmpty(t, h.Runs)
		b.held -= held(h)
	}
	b.done()
}
