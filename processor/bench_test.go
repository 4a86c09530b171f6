package processor

import (
	"context"
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// BenchmarkConsumeTraces: what does the processor add to the cost of a span? The time is from ConsumeTraces to the release of
// the held spans, without making the traces. Read ns/span and allocs/span.
//
//	ordinary   traces of 20 spans without any agent span
//	agent      traces of 8 spans: an agent, 4 model calls with messages of 1 to 4 KiB, 3 tool calls
//	mixed      95 ordinary spans in 100
//	long       one run of 500 spans with 150 calls, in 25 batches
func BenchmarkConsumeTraces(b *testing.B) {
	for _, w := range []struct {
		name string
		make func(trace uint64) []ptrace.Traces
	}{
		{"ordinary", ordinaryTraces},
		{"agent", agentTraces},
		{"mixed", mixedTraces},
		{"long", longRun},
	} {
		b.Run("spans="+w.name, func(b *testing.B) { benchmark(b, w.make) })
	}
}

// rounds is how many inputs are made before the clock starts.
const rounds = 8

func benchmark(b *testing.B, input func(trace uint64) []ptrace.Traces) {
	p := benchmarkProcessor(b)
	inputs := make([][]ptrace.Traces, rounds)
	var trace, mallocs uint64
	var before, after runtime.MemStats
	spans := 0
	for b.Loop() {
		b.StopTimer()
		for i := range inputs {
			trace += 1000
			inputs[i] = input(trace)
			for _, td := range inputs[i] {
				spans += td.SpanCount()
			}
		}
		runtime.ReadMemStats(&before)
		b.StartTimer()
		for _, tds := range inputs {
			for _, td := range tds {
				if err := p.ConsumeTraces(context.Background(), td); err != nil {
					b.Fatal(err)
				}
			}
			p.Advance(context.Background(), 10*time.Second)
		}
		b.StopTimer()
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		b.StartTimer()
	}
	if out := p.next.(*counter).spans; out != spans {
		b.Fatalf("%d spans in, %d out", spans, out)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(spans), "ns/span")
	b.ReportMetric(float64(spans)/b.Elapsed().Seconds(), "spans/s")
	b.ReportMetric(float64(mallocs)/float64(spans), "allocs/span")
	b.ReportMetric(0, "ns/op") // the spans of an operation are an arbitrary number
}

type counter struct {
	consumertest.Consumer
	spans int
}

func (c *counter) ConsumeTraces(_ context.Context, td ptrace.Traces) error {
	c.spans += td.SpanCount()
	return nil
}

func benchmarkProcessor(b *testing.B) *Processor {
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "get_weather"}, {Name: "convert_currency"}}})
	if err != nil {
		b.Fatal(err)
	}
	native, err := scoring.NewNative(scoring.DefaultNative())
	if err != nil {
		b.Fatal(err)
	}
	metrics := []evaluate.Metric{{Name: "tool_correctness", Method: native, Reason: true}}
	p, err := New(Settings{
		Run:  runs.Options{MaxCalls: 10_000},
		Wait: 5 * time.Second, IdleTimeout: time.Minute, MaxPayload: 1 << 16,
		Limits:       Limits{OpenRuns: 100_000, Bytes: 1 << 28},
		Settings:     evaluate.Settings{Metrics: metrics},
		Expectations: []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: metrics}},
	}, componenttest.NewNopTelemetrySettings(), &counter{Consumer: consumertest.NewNop()})
	if err != nil {
		b.Fatal(err)
	}
	p.clock.stop()
	return p
}

func benchSpan(ss ptrace.ScopeSpans, trace, id, parent uint64, attributes map[string]any) {
	s := ss.Spans().AppendEmpty()
	var t pcommon.TraceID
	binary.LittleEndian.PutUint64(t[:], trace*0x9E3779B97F4A7C15)
	binary.LittleEndian.PutUint64(t[8:], trace*0xBF58476D1CE4E5B9)
	s.SetTraceID(t)
	s.SetSpanID(idOf(id))
	if parent != 0 {
		s.SetParentSpanID(idOf(parent))
	}
	s.SetStartTimestamp(pcommon.Timestamp(id))
	s.SetEndTimestamp(pcommon.Timestamp(id + 1))
	_ = s.Attributes().FromRaw(attributes)
}

func idOf(n uint64) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

func newScope(td ptrace.Traces) ptrace.ScopeSpans {
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "bench")
	return rs.ScopeSpans().AppendEmpty()
}

var httpAttributes = map[string]any{
	"http.request.method": "GET", "url.path": "/orders", "http.response.status_code": 200, "server.address": "orders",
	"server.port": 443, "network.protocol.version": "1.1", "user_agent.original": "curl", "thread.id": 7,
}

func ordinaryTraces(first uint64) []ptrace.Traces {
	td := ptrace.NewTraces()
	ss := newScope(td)
	for trace := first; trace < first+10; trace++ {
		for i := range uint64(20) {
			benchSpan(ss, trace, i+1, i/2, httpAttributes)
		}
	}
	return []ptrace.Traces{td}
}

func agentTraces(first uint64) []ptrace.Traces {
	td := ptrace.NewTraces()
	ss := newScope(td)
	for trace := first; trace < first+10; trace++ {
		for i := range uint64(4) {
			benchSpan(ss, trace, 2+2*i, 1, map[string]any{
				"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 10,
				"gen_ai.input.messages":  strings.Repeat("x", 1024*int(i+1)),
				"gen_ai.output.messages": benchAnswer(trace, i),
			})
			if i < 3 {
				benchSpan(ss, trace, 3+2*i, 1, map[string]any{
					"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": benchTools[i],
					"gen_ai.tool.call.id": benchCallID(trace, i), "gen_ai.tool.call.arguments": `{"city":"Oslo","unit":"celsius"}`,
				})
			}
		}
		benchSpan(ss, trace, 1, 0, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"})
	}
	return []ptrace.Traces{td}
}

var benchTools = [...]string{"get_weather", "convert_currency", "search"}

func benchCallID(trace, i uint64) string { return fmt.Sprintf("call_%012x%04x", trace, i) }

// benchAnswer requests the next call; the last one requests none.
func benchAnswer(trace, i uint64) string {
	if i == 3 {
		return `[{"role":"assistant","parts":[{"type":"text","content":"It is 7 C in Oslo."}],"finish_reason":"stop"}]`
	}
	return fmt.Sprintf(`[{"role":"assistant","parts":[{"type":"tool_call","id":%q,"name":%q,"arguments":{"city":"Oslo","unit":"celsius"}}]}]`, benchCallID(trace, i), benchTools[i])
}

func mixedTraces(first uint64) []ptrace.Traces {
	var all []ptrace.Traces
	for i := range uint64(8) {
		all = append(all, ordinaryTraces(first+20*i)...)
	}
	return append(all, agentTraces(first+500)...)
}

func longRun(trace uint64) []ptrace.Traces {
	var all []ptrace.Traces
	for batch := range uint64(25) {
		td := ptrace.NewTraces()
		ss := newScope(td)
		for i := range uint64(20) {
			id := 2 + batch*20 + i
			attributes := httpAttributes
			if i%10 < 3 {
				attributes = map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "get_weather"}
			}
			benchSpan(ss, trace, id, max(1, id/4), attributes)
		}
		if batch == 24 {
			benchSpan(ss, trace, 1, 0, map[string]any{"gen_ai.operation.name": "invoke_agent"})
		}
		all = append(all, td)
	}
	return all
}
