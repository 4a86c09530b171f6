package processor

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const million = 1_000_000

// shortly divides the work of the tests of limits with -short: fewer spans, smaller batches and a lower limit.
func shortly() int {
	if testing.Short() {
		return 8
	}
	return 1
}

// once is a consumer that knows which spans came, by the number in their id.
type once struct {
	consumertest.Consumer
	came  []uint64 // a bit for each
	spans int
	again int
}

func newOnce(spans int) *once {
	return &once{Consumer: consumertest.NewNop(), came: make([]uint64, spans/64+1)}
}

func (o *once) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	for span := range spansOf(td) {
		id := span.SpanID()
		n := binary.BigEndian.Uint64(id[:])
		o.spans++
		if o.came[n/64]>>(n%64)&1 == 1 {
			o.again++
		}
		o.came[n/64] |= 1 << (n % 64)
	}
	return nil
}

// A load is a processor under a limit, what it is given, and the heap before both.
type load struct {
	*Processor
	t        testing.TB
	out      *once
	template []byte // a batch as it comes over the wire
	before   int64
	sent     int
	alike    bool // all calls keep the call id of the template
	worst    int64
}

func newLoad(tb testing.TB, spans int, template ptrace.Traces, change func(*Settings)) *load {
	l := &load{t: tb, out: newOnce(spans), template: toWire(tb, template)}
	l.before = heap()
	l.Processor = memoryProcessor(tb, change)
	l.next = l.out
	return l
}

// send gives the processor another batch, whose spans are numbered on.
func (l *load) send(trace func(span int) pcommon.TraceID) {
	td := fromWire(l.t, l.template)
	for _, span := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		l.sent++
		span.SetTraceID(trace(l.sent))
		span.SetSpanID(idOf(uint64(l.sent)))
		span.SetStartTimestamp(pcommon.Timestamp(l.sent))
		span.SetEndTimestamp(pcommon.Timestamp(l.sent + 1))
		if id, ok := span.Attributes().Get("gen_ai.tool.call.id"); ok && !l.alike {
			id.SetStr(fmt.Sprintf("call_%016x", l.sent))
		}
	}
	require.NoError(l.t, l.ConsumeTraces(context.Background(), td))
}

// measure compares the heap with the limit.
func (l *load) measure(when string) {
	l.t.Helper()
	taken := heap() - l.before
	l.worst = max(l.worst, taken)
	limit := l.set.Limits.Bytes
	require.LessOrEqual(l.t, taken, limit+limit*3/10, "bytes on the heap %s, after %d spans; by the account %d", when, l.sent, l.Retained())
}

// done ends the processor and checks that every span came out once.
func (l *load) done() {
	l.t.Helper()
	l.t.Logf("at most %.1f MiB on the heap, of %d", float64(l.worst)/(1<<20), l.set.Limits.Bytes>>20)
	require.Positive(l.t, l.worst, "it was measured")
	require.NoError(l.t, l.Shutdown(context.Background()))
	require.Equal(l.t, l.sent, l.out.spans, "spans out")
	require.Zero(l.t, l.out.again, "spans that came out twice")
}

// Many times more runs arrive than there is room for, each of one call and its agent. None is due, so only the limit closes
// them. BenchmarkAMillionRuns is the same for longer.
func TestRunsStayWithinTheLimit(t *testing.T) {
	t.Run("runs", func(t *testing.T) { runsWithinTheLimit(t, million/8/shortly(), nil) })
	t.Run("whose spans are held", func(t *testing.T) {
		runsWithinTheLimit(t, million/20/shortly(), func(l *load) { l.set.AnnotateCalls = true })
	})
	t.Run("that may be one, by the ID of their call", func(t *testing.T) {
		runsWithinTheLimit(t, million/20/shortly(), func(l *load) { l.alike = true })
	})
}

// BenchmarkAMillionRuns fails where a million runs of one call take more than the limit. Read ns/run.
func BenchmarkAMillionRuns(b *testing.B) {
	for b.Loop() {
		runsWithinTheLimit(b, million, nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/million, "ns/run")
	b.ReportMetric(0, "ns/op")
}

func runsWithinTheLimit(tb testing.TB, runs int, change func(*load)) {
	tb.Helper()
	batch := 1000 / shortly()
	template := newArriving()
	for range batch / 2 {
		template.call(0, 1, 0, 0)
		template.anchor(0)
	}
	l := newLoad(tb, 2*runs+1, template.td, func(s *Settings) { s.Limits.Bytes = int64(32 << 20 / shortly()) })
	if change != nil {
		change(l)
	}
	for i := range 2 * runs / batch {
		l.send(func(span int) pcommon.TraceID { return numberedTrace((span - 1) / 2) })
		look := (i+1)%(2*runs/batch/4) == 0
		if look {
			l.measure("before what closed is released")
		}
		l.Advance(context.Background(), time.Microsecond)
		if look {
			l.measure("then")
		}
	}
	l.done()
}

// One run has a million calls. Those over calls_per_run are not kept, but their links are.
func TestARunOfAMillionCallsStaysWithinTheLimit(t *testing.T) {
	calls := million / shortly() / min(shortly(), 4)
	for name, change := range map[string]func(*Settings){
		"of which one in a hundred is kept":          func(s *Settings) { s.Run.MaxCalls = calls / 100 },
		"of which all are kept":                      func(s *Settings) { s.Run.MaxCalls = calls },
		"of which all are kept and their spans held": func(s *Settings) { s.Run.MaxCalls, s.AnnotateCalls = calls, true },
	} {
		t.Run(name, func(t *testing.T) {
			batch := 1000 / shortly()
			template := newArriving()
			for range batch {
				template.call(0, 1, calls+1, 0)
			}
			l := newLoad(t, calls+1, template.td, func(s *Settings) {
				s.Limits.Bytes = int64(32 << 20 / shortly())
				change(s)
			})
			for i := range calls / batch {
				l.send(func(int) pcommon.TraceID { return numberedTrace(0) })
				if (i+1)%(calls/batch/10) == 0 {
					l.measure("before what closed is released")
				}
				l.Advance(context.Background(), time.Microsecond)
			}
			l.measure("at the end")
			l.done()
		})
	}
}

// The account is near the heap for everything that is kept. With -v the test says how much that is.
func TestTheAccountIsNearTheHeap(t *testing.T) {
	for _, k := range retainedKinds {
		t.Run(k.name, func(t *testing.T) {
			k.n /= 4 * min(shortly(), 4) // with fewer, tables are most of it
			f := k.measure(t)
			share := float64(f.account) / float64(f.heap)
			t.Logf("%d bytes a %s", (f.heap-f.tables)/int64(k.n*k.units), k.unit)
			require.GreaterOrEqual(t, share, 0.8, "%+v", f)
			require.LessOrEqual(t, share, 1.3, "%+v", f)
		})
	}
}

// An idle processor takes hardly any memory, with any limits.
func TestAnIdleProcessorIsSmall(t *testing.T) {
	before := min(idleBytes(t), idleBytes(t), idleBytes(t)) // what other tests leave is collected meanwhile
	require.LessOrEqual(t, before, int64(64<<10))
	p := memoryProcessor(t, nil)
	at := heap()
	for range 10_000 {
		p.Advance(context.Background(), tickInterval)
	}
	require.LessOrEqual(t, heap()-at, int64(16<<10), "bytes that a thousand seconds added")
	require.NoError(t, p.Start(context.Background(), componenttest.NewNopHost()))
	require.NoError(t, p.Shutdown(context.Background()))
}

// heap is how many bytes live on the heap. The second collection frees what the first one only made unreachable, such as
// pools.
func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// arriving makes spans as a receiver does: from the wire, so that every text is a piece of memory of its own.
type arriving struct {
	td ptrace.Traces
	ss ptrace.ScopeSpans
}

func newArriving() *arriving {
	a := &arriving{td: ptrace.NewTraces()}
	rs := a.td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "desk")
	rs.Resource().Attributes().PutStr("deployment.environment", "prod")
	a.ss = rs.ScopeSpans().AppendEmpty()
	a.ss.Scope().SetName("desk")
	return a
}

// numberedTrace spreads as random ids do.
func numberedTrace(n int) (id pcommon.TraceID) {
	binary.LittleEndian.PutUint64(id[:], uint64(n+1)*0x9E3779B97F4A7C15)
	binary.LittleEndian.PutUint64(id[8:], uint64(n+1)*0xBF58476D1CE4E5B9)
	return id
}

func (a *arriving) span(trace, id, parent int) ptrace.Span {
	s := a.ss.Spans().AppendEmpty()
	s.SetTraceID(numberedTrace(trace))
	s.SetSpanID(idOf(uint64(id)))
	if parent > 0 {
		s.SetParentSpanID(idOf(uint64(parent)))
	}
	s.SetStartTimestamp(pcommon.Timestamp(id))
	s.SetEndTimestamp(pcommon.Timestamp(id + 1))
	return s
}

// call adds a tool call with arguments of that length.
func (a *arriving) call(trace, id, parent, arguments int) {
	s := a.span(trace, id, parent)
	s.SetName("execute_tool search_orders")
	s.Attributes().PutStr("gen_ai.operation.name", "execute_tool")
	s.Attributes().PutStr("gen_ai.tool.name", "search_orders")
	s.Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%08x%08x", trace, id))
	if arguments > 0 {
		s.Attributes().PutStr("gen_ai.tool.call.arguments", `{"q":"`+strings.Repeat("x", arguments-8)+`"}`)
	}
}

// anchor adds the span of an agent, whose id is 1, with the attributes that one usually has.
func (a *arriving) anchor(trace int) {
	s := a.span(trace, 1, 0)
	s.SetName("invoke_agent desk")
	s.Attributes().PutStr("gen_ai.operation.name", "invoke_agent")
	s.Attributes().PutStr("gen_ai.agent.name", "desk")
	s.Attributes().PutStr("gen_ai.provider.name", "openai")
	s.Attributes().PutStr("gen_ai.request.model", "gpt-4.1")
	s.Attributes().PutInt("gen_ai.usage.input_tokens", 1200)
	s.Attributes().PutInt("gen_ai.usage.output_tokens", 80)
}

// ordinary adds a span of no agent.
func (a *arriving) ordinary(trace, id, parent int) {
	s := a.span(trace, id, parent)
	s.SetName("GET /orders")
	s.Attributes().PutStr("http.request.method", "GET")
}

func toWire(tb testing.TB, td ptrace.Traces) []byte {
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(tb, err)
	return wire
}

func fromWire(tb testing.TB, wire []byte) ptrace.Traces {
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
	require.NoError(tb, err)
	return td
}

// memoryProcessor has a clock that stands still, and expects five tools.
func memoryProcessor(tb testing.TB, change func(*Settings)) *Processor {
	set := settingsFor(tb, "search_orders", "get_order", "refund_order", "send_mail", "close_case")
	set.Run.MaxCalls, set.Wait, set.Limits = 10_000, 5*time.Second, Limits{OpenRuns: 1 << 30, Bytes: 1 << 40}
	if change != nil {
		change(&set)
	}
	p, err := New(set, componenttest.NewNopTelemetrySettings(), &counter{Consumer: consumertest.NewNop()})
	require.NoError(tb, err)
	p.clock.stop()
	return p
}

// retained is a kind of thing that the processor keeps, and how many are made.
type retained struct {
	name string
	unit string // what the bytes are counted for
	n    int
	// units is how many of them a run has.
	units int
	// fill adds run number i, and base what is there in both measurements.
	fill, base func(a *arriving, i int)
	change     func(*Settings)
	closed     bool // the runs close before they are measured
}

var retainedKinds = []retained{
	{name: "run_of_3_calls_and_its_anchor", unit: "run", n: 20_000, units: 1, fill: callsAndAnchor},
	{name: "run_without_an_anchor", unit: "run", n: 20_000, units: 1, fill: calls(3, 0)},
	{name: "held_anchor", unit: "run", n: 20_000, units: 1, fill: (*arriving).anchor},
	{name: "further_call", unit: "call", n: 500, units: 200, base: calls(1, 0), fill: calls(200, 0)},
	{name: "further_call_with_200_bytes_of_arguments", unit: "call", n: 500, units: 200, base: calls(1, 0), fill: calls(200, 200), change: keepAll},
	{name: "run_of_3_calls_whose_spans_are_held", unit: "run", n: 20_000, units: 1, fill: callsAndAnchor, change: holdCalls},
	{name: "further_call_whose_span_is_held", unit: "call", n: 500, units: 200, base: calls(1, 0), fill: calls(200, 0), change: holdCalls},
	{name: "further_link", unit: "link", n: 500, units: 200, base: calls(1, 0), fill: func(a *arriving, i int) {
		for c := range 200 {
			a.ordinary(i, 10+c, 1)
		}
	}},
	{name: "closed_run", unit: "run", n: 32_000, units: 1, closed: true, fill: func(a *arriving, i int) {
		a.call(i, 2, 1, 0)
		a.anchor(i)
	}},
	{name: "ordinary_trace", unit: "run", n: 20_000, units: 1, fill: func(a *arriving, i int) {
		for s := range 20 {
			a.ordinary(i, 1+s, (1+s)/2)
		}
	}},
}

func holdCalls(s *Settings) { s.AnnotateCalls = true }

// calls adds calls with arguments of that length.
func calls(n, arguments int) func(*arriving, int) {
	return func(a *arriving, trace int) {
		for c := range n {
			a.call(trace, 1+n+c, 1, arguments) // other IDs than with another n
		}
	}
}

func callsAndAnchor(a *arriving, trace int) {
	calls(3, 0)(a, trace)
	a.anchor(trace)
}

// footprint is the growth of the heap and of the processor's account, in bytes, and the part of it in tables of fixed size.
type footprint struct{ heap, account, tables int64 }

// measure returns what k adds.
func (k retained) measure(tb testing.TB) footprint {
	p := memoryProcessor(tb, k.change)
	if k.base != nil {
		k.feed(tb, p, k.base)
	}
	before := footprint{heap(), p.Retained(), tables(p)}
	k.feed(tb, p, k.fill)
	f := footprint{heap() - before.heap, p.Retained() - before.account, tables(p) - before.tables}
	require.NoError(tb, p.Shutdown(context.Background()))
	return f
}

func tables(p *Processor) int64 { return p.parents.Size() + p.agentic.Size() }

func (k retained) feed(tb testing.TB, p *Processor, add func(*arriving, int)) {
	for i := range k.n {
		a := newArriving()
		add(a, i)
		require.NoError(tb, p.ConsumeTraces(context.Background(), fromWire(tb, toWire(tb, a.td))))
		if k.closed && (i+1)%closedTogether == 0 {
			p.Advance(context.Background(), 10*time.Second)
		}
	}
}

// closedTogether is how many runs are open before they close. The next ones reuse their memory.
const closedTogether = 500

// idleBytes is the memory of an idle processor.
func idleBytes(tb testing.TB) int64 {
	memoryProcessor(tb, nil) // what is made once for all processors
	before := heap()
	p := memoryProcessor(tb, nil)
	require.NoError(tb, p.Start(context.Background(), componenttest.NewNopHost()))
	bytes := heap() - before
	require.NoError(tb, p.Shutdown(context.Background()))
	return bytes
}

func idOf(n uint64) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

// counter is a consumer that counts spans.
type counter struct {
	consumertest.Consumer
	spans int
}

func (c *counter) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	c.spans += td.SpanCount()
	return nil
}

// BenchmarkCalls: what does a call cost that is collected, scored by name and released, and what a run besides its calls? The time is
// from ConsumeTraces to the release of the held spans. Read ns/call and ns/run: they lie on the line through runs of 3 and of 150 calls.
func BenchmarkCalls(b *testing.B) {
	const short, long, spans = 3, 150, 512 // spans of a request
	p := memoryProcessor(b, func(s *Settings) { s.Limits = Limits{OpenRuns: 100_000, Bytes: 1 << 28} })
	var took, runs [2]int64
	trace, sent := 0, 0
	for b.Loop() {
		for i, calls := range [...]int{short, long} {
			a := newArriving()
			for range spans / (calls + 1) {
				trace++
				runs[i]++
				for c := range calls {
					a.call(trace, 2+c, 1, 40)
				}
				a.anchor(trace)
			}
			sent += a.td.SpanCount()
			began := time.Now()
			require.NoError(b, p.ConsumeTraces(context.Background(), a.td))
			p.Advance(context.Background(), 10*time.Second)
			took[i] += time.Since(began).Nanoseconds()
		}
	}
	require.Equal(b, sent, p.next.(*counter).spans, "spans that came out")
	shortRun, longRun := float64(took[0])/float64(runs[0]), float64(took[1])/float64(runs[1])
	call := (longRun - shortRun) / (long - short)
	b.ReportMetric(call, "ns/call")
	b.ReportMetric(shortRun-short*call, "ns/run")
	b.ReportMetric(0, "ns/op")
}
