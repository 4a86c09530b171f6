package processor

import (
	"context"
	"encoding/binary"
	"fmt"
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
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				id := span.SpanID()
				n := binary.BigEndian.Uint64(id[:])
				o.spans++
				if o.came[n/64]>>(n%64)&1 == 1 {
					o.again++
				}
				o.came[n/64] |= 1 << (n % 64)
			}
		}
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
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(template)
	require.NoError(tb, err)
	l := &load{t: tb, out: newOnce(spans), template: wire}
	l.before = heap()
	l.Processor = memoryProcessor(tb, change)
	l.next = l.out
	return l
}

// send gives the processor another batch, whose spans are numbered on.
func (l *load) send(trace func(span int) pcommon.TraceID) {
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(l.template)
	require.NoError(l.t, err)
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
func TestRunsStayWithinTheLimit(t *testing.T) { runsWithinTheLimit(t, million/8/shortly(), nil) }

// The spans of the calls are held as well.
func TestSpansOfCallsStayWithinTheLimit(t *testing.T) {
	runsWithinTheLimit(t, million/20/shortly(), func(l *load) { l.set.AnnotateCalls = true })
}

// The runs all have a call of the same id, so that each may be a part of every other one.
func TestRunsThatMayBeOneStayWithinTheLimit(t *testing.T) {
	runsWithinTheLimit(t, million/20/shortly(), func(l *load) { l.alike = true })
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
	calls := million / shortly() / min(shortly(), 2)
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
