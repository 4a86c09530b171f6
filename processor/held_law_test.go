package processor

import (
	"bytes"
	"context"
	"encoding/binary"
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
	"go.opentelemetry.io/collector/pdata/pcommon"
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
			require.NoError(t, p.ConsumeTraces(context.Background(), fromWire(t, wire)))
			s.kept(t, p, len(wire), heap()-before)
			runtime.KeepAlive(wire)
			require.NoError(t, p.Shutdown(context.Background()))
		})
	}
}

// someShapes are shapes of a request whose runs are open. With -short they are every sixth, of no more than some thousand parts.
func someShapes() (some []shape) {
	for i, s := range slices.Concat(heldShapes, recordedShapes, correlatedShapes) {
		if testing.Short() {
			if i%6 > 0 {
				continue
			}
			s.n = min(s.n, 2_500)
		}
		some = append(some, s)
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
			require.NoError(t, p.ConsumeTraces(context.Background(), fromWire(t, wire)))
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
			require.NoError(t, r.consume(td))
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
	require.NoError(t, r.consume(m.td))
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
		require.NoError(t, r.consume(m.td))
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
		r.sink.check = func(td ptrace.Traces) error {
			if batch := r.leaving.Batch; batch != nil {
				requests++
				size := new(ptrace.ProtoMarshaler).TracesSize(td)
				require.GreaterOrEqual(t, batch.Wire, size)
				require.LessOrEqual(t, batch.Wire, size*5/4+500*(1+len(r.set.Metrics))*td.SpanCount())
			}
			return nil
		}
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
	r.sink.check = func(td ptrace.Traces) error {
		most = max(most, r.leaving.Size()+int64(new(ptrace.ProtoMarshaler).TracesSize(td)))
		return nil
	}
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

// A shape is a request of about n parts that makes the processor keep much of it.
type shape struct {
	name string
	n    int
	// fill makes it, or raw makes its bytes.
	fill func(m *maker, n int)
	raw  func(n int) []byte
	// change is what the settings need to have it kept.
	change func(*Settings)
	// unheld is the bound that keeps its spans from being held, if one does.
	unheld heldspans.Bound
}

// each fills a request with n of something.
func each(add func(m *maker, i int)) func(*maker, int) {
	return func(m *maker, n int) {
		for i := range n {
			add(m, i)
		}
	}
}

// wire is the request as it comes.
func (s *shape) wire(tb testing.TB) []byte {
	if s.raw != nil {
		return s.raw(s.n)
	}
	m := newMaker()
	s.fill(m, s.n)
	return toWire(tb, m.td)
}

// traces is the request as a receiver or another processor hands it on.
func (s *shape) traces(tb testing.TB) ptrace.Traces {
	if s.raw == nil {
		m := newMaker()
		s.fill(m, s.n)
		return m.td
	}
	return fromWire(tb, s.raw(s.n))
}

// A maker makes a request, as small on the wire as it can be.
type maker struct {
	td    ptrace.Traces
	rs    ptrace.ResourceSpans
	ss    ptrace.ScopeSpans
	spans int
	trace int
}

func newMaker() *maker {
	m := &maker{td: ptrace.NewTraces()}
	m.rs = m.td.ResourceSpans().AppendEmpty()
	m.ss = m.rs.ScopeSpans().AppendEmpty()
	return m
}

func (m *maker) scope() { m.ss = m.rs.ScopeSpans().AppendEmpty() }

// newTrace starts another trace for the next spans.
func (m *maker) newTrace() { m.trace++ }

// bare adds a span that has nothing but ids.
func (m *maker) bare() ptrace.Span {
	s := m.ss.Spans().AppendEmpty()
	s.SetTraceID(numberedTrace(m.trace))
	m.spans++
	s.SetSpanID(idOf(uint64(m.spans)))
	return s
}

func (m *maker) with(key, value string) ptrace.Span {
	s := m.bare()
	s.Attributes().PutStr(key, value)
	return s
}

func (m *maker) agent() ptrace.Span { return m.with("gen_ai.operation.name", "invoke_agent") }

func (m *maker) tool(name string) ptrace.Span {
	s := m.with("gen_ai.operation.name", "execute_tool")
	s.Attributes().PutStr("gen_ai.tool.name", name)
	return s
}

func (m *maker) chat() ptrace.Span { return m.with("gen_ai.operation.name", "chat") }

// numbers are n attributes, each a small number under a short key.
func numbers(n int) map[string]any {
	raw := make(map[string]any, n)
	for i := range n {
		raw[strconv.Itoa(i)] = 1
	}
	return raw
}

// field is a field of a protocol buffers message that has a length.
func field(number int, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return append(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(all))), all...)
}

// anAgentWith is a request of one agent's span that has n empty fields of a number. Field 9 is an attribute, 11 an event
// and 13 a link.
func anAgentWith(number int) func(n int) []byte {
	return func(n int) []byte {
		return request(nil, nil, field(9, field(1, []byte("gen_ai.operation.name")), field(2, field(1, []byte("invoke_agent")))),
			bytes.Repeat(field(number), n))
	}
}

// aListOf is a request of one agent's span with a list of n elements.
func aListOf(element []byte) func(n int) []byte {
	return func(n int) []byte {
		list := field(5, bytes.Repeat(field(1, element), n))
		return request(nil, nil, field(9, field(1, []byte("gen_ai.operation.name")), field(2, field(1, []byte("invoke_agent")))),
			field(9, field(1, []byte("x")), field(2, list)))
	}
}

// request is one span of some fields, in a scope of some fields, of a resource of some fields.
func request(resource, scope []byte, span ...[]byte) []byte {
	ids := slices.Concat(field(1, bytes.Repeat([]byte{7}, 16)), field(2, bytes.Repeat([]byte{7}, 8)))
	return field(1, field(1, resource), field(2, field(1, scope), field(2, append([][]byte{ids}, span...)...)))
}

func keepAll(s *Settings) { s.Run.KeepArguments, s.Run.KeepOutput = true, true }

func conversations(s *Settings) {
	s.Run.Conversations = true
	s.ConversationAttributes = []string{"session.id"}
}

func conversationsOnly(s *Settings, _ *sink) { conversations(s) }

// heldShapes have spans that are held, or would be held without a bound.
var heldShapes = []shape{
	{name: "a large resource, and scopes with an agent each", n: 2000, fill: func(m *maker, n int) {
		_ = m.rs.Resource().Attributes().FromRaw(numbers(5 * n))
		for range n {
			m.agent()
			m.newTrace()
			m.scope()
		}
	}},
	{name: "a resource that is too large to be held", n: 2000, unheld: heldspans.TooWide, fill: func(m *maker, n int) {
		_ = m.rs.Resource().Attributes().FromRaw(numbers(50 * n))
		for range n {
			m.agent()
			m.newTrace()
			m.scope()
		}
	}},
	{name: "resources with an agent each", n: 2000, fill: each(func(m *maker, _ int) { m.agent(); m.newTrace(); m.rs = m.td.ResourceSpans().AppendEmpty(); m.scope() })},
	{name: "agents without an id, of one trace", n: 5000, fill: each(func(m *maker, _ int) { m.agent().SetSpanID(pcommon.SpanID{}) })},
	{name: "agents of traces of their own", n: 5000, fill: each(func(m *maker, _ int) { m.agent(); m.newTrace() })},
	{name: "copies of an agent", n: 5000, fill: each(func(m *maker, _ int) { m.agent().SetSpanID(idOf(1)) })},
	{name: "roots that stand in", n: 10_000, fill: func(m *maker, n int) {
		m.tool("x")
		for range n {
			m.bare()
		}
	}},
	{name: "roots that stand in and have no id", n: 10_000, unheld: heldspans.TooDense, fill: func(m *maker, n int) {
		m.tool("x").SetParentSpanID(idOf(1))
		for range n {
			m.bare().SetSpanID(pcommon.SpanID{})
		}
	}},
	{name: "an agent with a huge attribute", n: 1, fill: func(m *maker, n int) {
		m.agent().Attributes().PutStr("x", strings.Repeat("x", 1<<20))
	}},
	{name: "agents with a long conversation", n: 500, change: conversations, fill: each(func(m *maker, i int) {
		m.agent().Attributes().PutStr("session.id", strings.Repeat("x", 2000)+strconv.Itoa(i))
		m.newTrace()
	})},
	{name: "an agent with attributes of numbers", n: 100_000, fill: func(m *maker, n int) {
		s := m.agent()
		raw := numbers(n)
		raw["gen_ai.operation.name"] = "invoke_agent"
		_ = s.Attributes().FromRaw(raw)
	}},
	{name: "an agent with empty attributes", n: 100_000, unheld: heldspans.TooDense, raw: anAgentWith(9)},
	{name: "an agent with events of one attribute", n: 20_000, fill: func(m *maker, n int) {
		s := m.agent()
		for range n {
			s.Events().AppendEmpty().Attributes().PutStr("k", "v")
		}
	}},
	{name: "an agent with empty links", n: 50_000, unheld: heldspans.TooDense, raw: anAgentWith(13)},
	{name: "an agent with a list of nothing", n: 200_000, unheld: heldspans.TooDense, raw: aListOf(nil)},
	{name: "an agent with a list of numbers", n: 200_000, raw: aListOf([]byte{3 << 3, 1})},
	{name: "an agent with a list of empty lists", n: 100_000, unheld: heldspans.TooDense, raw: aListOf(field(5))},
	{name: "agents with lists in lists", n: 1200, unheld: heldspans.TooDense, fill: each(func(m *maker, _ int) {
		list := m.agent().Attributes().PutEmptySlice("x")
		for range 40 { // the Collector refuses bytes of 50 and more
			list = list.AppendEmpty().SetEmptySlice()
		}
	})},
}

// tooDeep cannot come as bytes, because the Collector refuses to read them. A processor before this one can make it.
var tooDeep = shape{name: "an agent with lists in lists", n: 10_000, unheld: heldspans.TooDeep, fill: func(m *maker, n int) {
	list := m.agent().Attributes().PutEmptySlice("x")
	for range n {
		list = list.AppendEmpty().SetEmptySlice()
	}
}}

// recordedShapes make the processor record something about spans that are forwarded.
var recordedShapes = []shape{
	{name: "calls of one trace", n: 10_000, fill: each(func(m *maker, _ int) { m.tool("x") })},
	{name: "calls of one trace, whose spans are held", n: 10_000, change: func(s *Settings) { s.AnnotateCalls = true }, fill: each(func(m *maker, _ int) { m.tool("x").SetParentSpanID(idOf(1)) })},
	{name: "calls of traces of their own", n: 10_000, fill: each(func(m *maker, _ int) { m.tool("x").SetParentSpanID(idOf(1)); m.newTrace() })},
	{name: "calls of names of their own", n: 10_000, fill: each(func(m *maker, i int) { m.tool(strconv.Itoa(i)) })},
	{name: "calls with ids", n: 10_000, fill: each(func(m *maker, i int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%010d", i))
	})},
	{name: "calls with arguments", n: 5_000, change: keepAll, fill: each(func(m *maker, i int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.arguments", fmt.Sprint(`{"q":`, i, `}`))
	})},
	{name: "calls with large arguments", n: 100, change: keepAll, fill: each(func(m *maker, _ int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.arguments", `"`+strings.Repeat("x", 60_000)+`"`)
	})},
	{name: "calls with arguments that are a list of nothing", n: 10, change: keepAll, fill: each(func(m *maker, _ int) {
		list := m.tool("x").Attributes().PutEmptySlice("gen_ai.tool.call.arguments")
		for range 10_000 {
			list.AppendEmpty()
		}
	})},
	{name: "parents of one span", n: 50_000, fill: func(m *maker, n int) {
		m.tool("x")
		for i := range n {
			s := m.bare()
			s.SetSpanID(idOf(7))
			s.SetParentSpanID(idOf(uint64(i + 1)))
		}
	}},
	{name: "ordinary traces", n: 50_000, fill: each(func(m *maker, _ int) { m.bare().SetParentSpanID(idOf(1)); m.newTrace() })},
	{name: "a message that asks for many calls", n: 9_000, change: keepAll, fill: func(m *maker, n int) {
		m.chat().Attributes().PutStr("gen_ai.output.messages",
			`[{"parts":[`+strings.Repeat(`{"type":"tool_call","name":"x"},`, n)+`{}]}]`)
	}},
	{name: "a message that asks for a call, and has much else", n: 20, change: keepAll, fill: each(func(m *maker, _ int) {
		m.chat().Attributes().PutStr("gen_ai.output.messages",
			`[{"x":"`+strings.Repeat("x", 50_000)+`","parts":[{"type":"tool_call","id":"call_abcdefgh","name":"x","arguments":{"q":1}}]}]`)
	})},
	{name: "a message with results", n: 20_000, change: keepAll, fill: func(m *maker, n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"tool_call_response","id":"call_%08d"},`, i)
		}
		m.chat().Attributes().PutStr("gen_ai.input.messages", `[{"parts":[`+b.String()+`{}]}]`)
	}},
	{name: "a message with results whose ids mean nothing", n: 20_000, change: keepAll, fill: func(m *maker, n int) {
		m.chat().Attributes().PutStr("gen_ai.input.messages",
			`[{"parts":[`+strings.Repeat(`{"type":"tool_call_response","id":"1"},`, n)+`{}]}]`)
	}},
	{name: "a protocol's calls with long names and ids", n: 200, change: keepAll, fill: each(func(m *maker, i int) {
		a := m.with("mcp.method.name", "tools/call").Attributes()
		a.PutStr("gen_ai.tool.name", strings.Repeat("x", 10_000)+strconv.Itoa(i))
		a.PutStr("gen_ai.tool.call.id", strings.Repeat("x", 10_000)+strconv.Itoa(i))
	})},
	{name: "steps below spans", n: 10_000, fill: each(func(m *maker, i int) { m.with("openinference.span.kind", "LLM").SetParentSpanID(idOf(uint64(i))) })},
}

// talking puts a span into a conversation.
const talking = "session.id"

// correlatedShapes have runs that wait in the correlator for runs of other traces.
var correlatedShapes = []shape{
	{name: "agents with a conversation each", n: 5_000, change: conversations, fill: each(func(m *maker, i int) { m.agent().Attributes().PutStr(talking, strconv.Itoa(i)); m.newTrace() })},
	{name: "agents of one conversation", n: 5_000, change: conversations, fill: each(func(m *maker, _ int) { m.agent().Attributes().PutStr(talking, "x"); m.newTrace() })},
	{name: "calls with a conversation each", n: 5_000, change: conversations, fill: each(func(m *maker, i int) {
		s := m.tool("x")
		s.SetParentSpanID(idOf(1 << 60))
		s.Attributes().PutStr(talking, strconv.Itoa(i))
		m.newTrace()
	})},
	{name: "an agent with calls with ids, of one conversation", n: 10_000, change: conversations, fill: func(m *maker, n int) {
		m.agent().Attributes().PutStr(talking, "x")
		for i := range n {
			s := m.tool("x")
			s.SetParentSpanID(idOf(1))
			s.Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%08d", i))
		}
	}},
	{name: "scopes with an agent of a conversation each", n: 2_000, change: conversations, fill: each(func(m *maker, i int) {
		m.agent().Attributes().PutStr(talking, strconv.Itoa(i))
		m.newTrace()
		m.scope()
	})},
	{name: "agents that share calls with another trace, of a long conversation each", n: 500, fill: func(m *maker, n int) {
		for range 2 {
			m.scope()
			m.ss.Scope().SetName("scope " + strconv.Itoa(m.trace))
			for i := range n {
				a := m.agent()
				if i == 0 {
					a.Attributes().PutStr("gen_ai.conversation.id", strings.Repeat("x", 5_000))
				}
				c := m.tool("x")
				c.SetParentSpanID(a.SpanID())
				c.Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%08d", i))
			}
			m.newTrace()
		}
	}},
	{name: "model steps that ask for a call each", n: 5_000, change: keepAll, fill: each(func(m *maker, i int) {
		m.chat().Attributes().PutStr("gen_ai.output.messages",
			fmt.Sprintf(`[{"parts":[{"type":"tool_call","id":"call_%08d","name":"x"}]}]`, i))
		m.newTrace()
	})},
	{name: "a model step that asks for many calls with ids", n: 9_000, change: keepAll, fill: func(m *maker, n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"tool_call","id":"call_%08d","name":"x"},`, i)
		}
		m.chat().Attributes().PutStr("gen_ai.output.messages", `[{"parts":[`+b.String()+`{}]}]`)
	}},
	{name: "model steps that were shown a result each", n: 5_000, change: keepAll, fill: each(func(m *maker, i int) {
		m.chat().Attributes().PutStr("gen_ai.input.messages",
			fmt.Sprintf(`[{"parts":[{"type":"tool_call_response","id":"call_%08d"}]}]`, i))
		m.newTrace()
	})},
}
