package processor

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
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

// A release counts its size on the wire, with the attributes written on its spans: no less than it is, and not much more.
func TestAReleaseKnowsItsSize(t *testing.T) {
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 0))
		r := newRig(t, func(s *Settings, _ *sink) {
			s.AnnotateCalls = seed%2 == 0
			more := s.Metrics[0]
			for i := range seed % 4 {
				more.Name = "another.metric" + strconv.Itoa(int(i))
				s.Metrics = append(s.Metrics, more)
			}
			s.Expectations[0].Metrics = s.Metrics
		})
		r.DryRun(func(evaluate.Report) {})
		requests := 0
		r.next = &picky{r.sink, func(td ptrace.Traces) error {
			if len(r.batches) > 0 {
				requests++
				size := new(ptrace.ProtoMarshaler).TracesSize(td)
				require.GreaterOrEqual(t, r.batches[0].Wire, size)
				require.LessOrEqual(t, r.batches[0].Wire, size*5/4+500*(1+len(r.set.Metrics))*td.SpanCount())
			}
			return nil
		}}
		for _, batch := range batched(random, randomSpans(random, 40)) {
			for i := range batch {
				batch[i] = batch[i].with("gen_ai.agent.name", strings.Repeat("\u202en", random.IntN(300)))
				if name, ok := batch[i].attributes["gen_ai.tool.name"]; ok {
					batch[i] = batch[i].with("gen_ai.tool.name", name.(string)+strings.Repeat("\x1b\xff", random.IntN(200)))
				}
			}
			require.NoError(t, r.send(batch...))
			r.Advance(t.Context(), time.Duration(random.IntN(60))*time.Second)
		}
		r.Advance(t.Context(), time.Hour)
		require.NoError(t, r.Shutdown(t.Context()))
		require.Positive(t, requests)
		r.conserved()
	}
}

// The attributes of verdicts may be much longer than the spans. So they are written only on the spans that are sent next.
func TestVerdictsTakeLittleMemoryBeforeTheyAreSent(t *testing.T) {
	r := newRig(t, func(s *Settings, _ *sink) {
		s.Limits = Limits{OpenRuns: 1 << 20, Bytes: 1 << 30}
		s.Run.Include, s.Run.MaxCalls = true, 5000
	})
	r.DryRun(func(evaluate.Report) {})
	var all []span
	for trace := range byte(80) {
		id := func(name string, i int) string { return fmt.Sprintf("%s%d-%d", name, i, trace) }
		for i := range 9 { // each around the next one, and all the calls count for each
			all = append(all, agent(id("a", i), id("a", i-1), i, 1000-i))
		}
		for i := range 120 {
			all = append(all, tool(id("c", i), id("a", 8), 100, 101, strconv.Itoa(i)+strings.Repeat("x", 250)))
		}
		for i := range all[len(all)-129:] {
			all[len(all)-129+i].trace = trace
		}
	}
	require.NoError(t, r.send(all...))
	var most int64
	r.next = &picky{r.sink, func(ptrace.Traces) error {
		var written int64
		for _, c := range r.batches {
			written += c.Size
		}
		most = max(most, written)
		return nil
	}}
	r.Advance(context.Background(), time.Hour)
	written := 0
	for _, s := range r.sink.spans {
		written += new(ptrace.ProtoMarshaler).SpanSize(s)
	}
	require.Greater(t, written, 20<<20, "bytes that came out")
	require.LessOrEqual(t, most, int64(10<<20), "bytes that were written and not sent")
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
}

// hostile has requests of a sender that wants to keep the processor busy, of about n spans or attributes.
var hostile = []struct {
	name   string
	td     func(n int) ptrace.Traces
	reason string
}{
	{"a protocol's spans of a large resource", func(n int) ptrace.Traces {
		return ofLargeResource(n, func(i int) span { return protocol("p"+strconv.Itoa(i), "", 1, 2, "search") })
	}, "the resource is read once for the batch"},
	{"agents of a large resource, beside a protocol", func(n int) ptrace.Traces {
		td := ofLargeResource(n, func(i int) span { return agent("a"+strconv.Itoa(i), "", 1, 2) })
		beside := traces(protocol("p", "", 1, 2, "search"))
		beside.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
		return td
	}, "the resource is read once for all runs"},
}

// ofLargeResource returns n spans of a resource with n attributes. Its text is made only when it is read.
func ofLargeResource(n int, spanOf func(i int) span) ptrace.Traces {
	spans := make([]span, n)
	for i := range spans {
		spans[i] = spanOf(i)
	}
	td := traces(spans...)
	attributes := td.ResourceSpans().At(0).Resource().Attributes()
	for i := range n {
		attributes.PutInt("key."+strconv.Itoa(i), int64(1000+i))
	}
	return td
}

// Four times as much takes four times the allocations and the memory, or a little more. They are counted, so the result does
// not depend on the machine. What is quadratic takes sixteen times.
func TestWorkGrowsWithTheRequest(t *testing.T) {
	const small, times, most = 250, 4, 6
	for _, tc := range hostile {
		t.Run(tc.name, func(t *testing.T) {
			defer debug.SetGCPercent(debug.SetGCPercent(-1))
			measured := func(n int) (bytes, count uint64) {
				r, td := strict(t, nil), tc.td(n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				r.pass(td)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs
			}
			bytes, count := measured(small)
			moreBytes, more := measured(times * small)
			t.Logf("%d bytes in %d allocations, then %d in %d", bytes, count, moreBytes, more)
			if more > most*count || moreBytes > most*bytes {
				t.Errorf("%d times as much takes %.1f times the allocations and %.1f times the memory: %s",
					times, float64(more)/float64(count), float64(moreBytes)/float64(bytes), tc.reason)
			}
		})
	}
}
