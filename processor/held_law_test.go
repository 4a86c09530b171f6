package processor

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// keptMultiple is how many times its own size on the wire a request may have kept of it: see docs/security.md. keptSlack is
// the memory of an idle processor, and the error of a measurement.
const (
	keptMultiple = 20
	keptSlack    = 128 << 10
)

// The processor keeps at most keptMultiple times the size of any request, by the heap and by its own account. The account is
// never below the heap. No limit helps here: it is far away.
func TestNoShapeOfARequestHasMuchKeptOfIt(t *testing.T) {
	for _, s := range someShapes() {
		t.Run(s.name, func(t *testing.T) {
			wire := s.wire(t)
			p := memoryProcessor(t, s.change)
			before := heap()
			td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
			require.NoError(t, err)
			require.NoError(t, p.ConsumeTraces(context.Background(), td))
			s.kept(t, p, len(wire), heap()-before)
			runtime.KeepAlive(wire)
			require.NoError(t, p.Shutdown(context.Background()))
		})
	}
}

// someShapes are shapes of a request whose runs are open.
func someShapes() []shape { return someOf(slices.Concat(heldShapes, recordedShapes, correlatedShapes)) }

// someOf are all shapes, or every sixth with -short.
func someOf(shapes []shape) (some []shape) {
	for i, s := range shapes {
		if i%6 == 0 || !testing.Short() {
			some = append(some, s)
		}
	}
	return some
}

// kept compares what is kept with the size of the request, both without the tables, whose size is bounded.
func (s *shape) kept(t *testing.T, p *Processor, wire int, onHeap int64) {
	t.Helper()
	onHeap -= tables(p)
	account := p.Retained() - tables(p)
	require.LessOrEqual(t, onHeap, account*13/10+keptSlack, "the account is honest")
	t.Logf("%d bytes: %.1f times as much on the heap, %.1f by the account", wire, float64(onHeap)/float64(wire), float64(account)/float64(wire))
	most := int64(keptMultiple*wire) + keptSlack
	require.LessOrEqual(t, onHeap, most, "bytes on the heap, of a request of %d", wire)
	require.LessOrEqual(t, account, most, "bytes by the account, of a request of %d", wire)
	if s.unheld != heldspans.Holdable {
		require.Zero(t, p.waiting.Load(), "held spans")
	}
}

// While runs close with `run.nested: include`, a call is copied into each run that it counts for, and the bound is twice as high.
func TestNoShapeOfARequestTakesMuchWhileItsRunsClose(t *testing.T) {
	for _, agents := range []int{1, 5, 9, 17, 1000} {
		t.Run(strconv.Itoa(agents)+" agents in each other", func(t *testing.T) {
			wire := (&shape{n: 16_000 / shortly(), fill: func(m *maker, n int) {
				for i := range agents {
					m.agent().SetParentSpanID(idOf(uint64(i)))
				}
				for range n {
					m.tool("t").SetParentSpanID(idOf(uint64(agents)))
				}
			}}).wire(t)
			p := memoryProcessor(t, func(s *Settings) { s.Run.Include, s.Run.MaxCalls = true, 1<<20 })
			var closing int64
			p.DryRun(func(evaluate.Report) {
				if closing == 0 { // all runs have closed, and none has gone
					closing = heap()
				}
			})
			before := heap()
			td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
			require.NoError(t, err)
			require.NoError(t, p.ConsumeTraces(context.Background(), td))
			p.Advance(context.Background(), time.Hour)
			require.NotZero(t, closing, "no run was reported, so nothing was measured")
			closing -= before + tables(p)
			t.Logf("%d bytes: %.1f times as much", len(wire), float64(closing)/float64(len(wire)))
			runtime.KeepAlive(wire)
			require.LessOrEqual(t, closing, int64(2*keptMultiple*len(wire))+keptSlack)
			require.NoError(t, p.Shutdown(context.Background()))
		})
	}
}

// A span that is not held because of a bound is forwarded unchanged in its batch, and counted.
func TestWhatIsNotHeldIsForwardedWithoutAVerdict(t *testing.T) {
	for _, s := range append(slices.Clone(heldShapes), tooDeep) {
		if s.unheld == heldspans.Holdable {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			td := s.traces(t)
			r := newRig(t, func(set *Settings, _ *sink) { set.Limits.Bytes = 1 << 30 })
			r.clock.stop()
			r.sent = td.SpanCount()
			require.NoError(t, r.ConsumeTraces(t.Context(), td))
			require.Equal(t, r.sent, r.sink.got(), "in the same call")
			require.Equal(t, r.sent, r.total("spans_forwarded"))
			require.NotZero(t, r.totalWith("spans_unheld", "bound", s.unheld.String()))
			require.NoError(t, r.Shutdown(t.Context()))
			r.conserved()
		})
	}
}

// If a request alone exceeds the memory limit, the processor holds as much as fits and forwards the rest. Closing other runs
// would not help.
func TestARequestHoldsNoMoreThanTheMemoryTakes(t *testing.T) {
	r := newRig(t, func(s *Settings, _ *sink) { s.Limits.OpenRuns = 1 << 20 })
	r.clock.stop()
	m := newMaker()
	for range 5000 {
		m.agent().Attributes().PutStr("x", strings.Repeat("x", 1000))
		m.newTrace()
	}
	r.sent = m.spans
	require.NoError(t, r.ConsumeTraces(t.Context(), m.td))
	held := r.total("spans_held")
	require.InDelta(t, 500, held, 100, "1 MiB takes some 500 spans of 1 KiB")
	require.Equal(t, 5000-held, r.totalWith("spans_unheld", "bound", "memory"))
	require.Equal(t, 5000-held, r.sink.got())
	require.LessOrEqual(t, r.held(), r.set.Limits.Bytes)
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
}

// A resource that several spans share counts once, until the last of them is released. One may wait for its conversation
// after another was delivered.
func TestAResourceCountsAsLongAsItIsKeptAlive(t *testing.T) {
	withFakeClock(t, conversationsOnly, func(t *testing.T, r *rig) {
		m := newMaker()
		m.rs.Resource().Attributes().PutStr("x", strings.Repeat("x", 100_000))
		m.agent()
		m.scope()
		m.newTrace()
		m.agent().Attributes().PutStr("session.id", "talk")
		r.sent = m.spans
		require.NoError(t, r.ConsumeTraces(t.Context(), m.td))
		require.InDelta(t, 100_000, r.origins.Load(), 2000, "once for both")
		r.after(11*time.Second, 1)
		require.InDelta(t, 100_000, r.origins.Load(), 2000, "the other is not yet delivered")
		r.after(2*time.Minute, 2)
		require.Zero(t, r.origins.Load())
	})
}
