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

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

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

// received returns the spans as they arrive from the wire.
func (a *arriving) received(tb testing.TB) ptrace.Traces {
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(a.td)
	require.NoError(tb, err)
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(wire)
	require.NoError(tb, err)
	return td
}

// memoryProcessor has a clock that stands still, and expects five tools.
func memoryProcessor(tb testing.TB, change func(*Settings)) *Processor {
	var tools []scoring.Tool
	for _, name := range []string{"search_orders", "get_order", "refund_order", "send_mail", "close_case"} {
		tools = append(tools, scoring.Tool{Name: name})
	}
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: tools})
	require.NoError(tb, err)
	native, err := scoring.NewNative(scoring.DefaultNative())
	require.NoError(tb, err)
	metrics := []evaluate.Metric{{Name: "tool_correctness", Method: native, Reason: true}}
	set := Settings{
		Run:  runs.Options{MaxCalls: 10_000},
		Wait: 5 * time.Second, IdleTimeout: 2 * time.Minute, MaxPayload: 1 << 16,
		Limits:       Limits{OpenRuns: 1 << 30, Bytes: 1 << 40},
		Settings:     evaluate.Settings{Metrics: metrics},
		Expectations: []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: metrics}},
	}
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
	{name: "run_of_3_calls_and_its_anchor", unit: "run", n: 20_000, units: 1, fill: func(a *arriving, i int) {
		for c := range 3 {
			a.call(i, 2+c, 1, 0)
		}
		a.anchor(i)
	}},
	{name: "run_without_an_anchor", unit: "run", n: 20_000, units: 1, fill: func(a *arriving, i int) {
		for c := range 3 {
			a.call(i, 2+c, 1, 0)
		}
	}},
	{name: "held_anchor", unit: "run", n: 20_000, units: 1, fill: func(a *arriving, i int) { a.anchor(i) }},
	{name: "run_of_1_call", unit: "run", n: 20_000, units: 1, fill: func(a *arriving, i int) { a.call(i, 2, 1, 0) }},
	{name: "further_call", unit: "call", n: 500, units: 200, base: oneCall, fill: func(a *arriving, i int) {
		for c := range 200 {
			a.call(i, 10+c, 1, 0)
		}
	}},
	{
		name: "further_call_with_200_bytes_of_arguments", unit: "call", n: 500, units: 200, base: oneCall,
		fill: func(a *arriving, i int) {
			for c := range 200 {
				a.call(i, 10+c, 1, 200)
			}
		},
		change: func(s *Settings) { s.Run.KeepArguments = true },
	},
	{
		name: "run_of_3_calls_whose_spans_are_held", unit: "run", n: 20_000, units: 1,
		fill: func(a *arriving, i int) {
			for c := range 3 {
				a.call(i, 2+c, 1, 0)
			}
			a.anchor(i)
		},
		change: func(s *Settings) { s.AnnotateCalls = true },
	},
	{
		name: "further_call_whose_span_is_held", unit: "call", n: 500, units: 200, base: oneCall,
		fill: func(a *arriving, i int) {
			for c := range 200 {
				a.call(i, 10+c, 1, 0)
			}
		},
		change: func(s *Settings) { s.AnnotateCalls = true },
	},
	{name: "further_link", unit: "link", n: 500, units: 200, base: oneCall, fill: func(a *arriving, i int) {
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

func oneCall(a *arriving, i int) { a.call(i, 2, 1, 0) }

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
		require.NoError(tb, p.ConsumeTraces(context.Background(), a.received(tb)))
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
