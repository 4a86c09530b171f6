package processor

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// BenchmarkPack: what does a closed run of 3 calls cost, to score, explain, annotate and release it? The spans, of 6
// attributes each, are made outside of the clock. Read ns/run and allocs/run.
//
//	good      the 3 expected tools were called
//	extra     2 tools were expected
//	missing   of 3 expected tools 2 were called, and a third that was not expected
func BenchmarkPack(b *testing.B) {
	for _, run := range []struct {
		name     string
		expected []string
	}{
		{"good", []string{"get_weather", "convert_currency", "search"}},
		{"extra", []string{"get_weather", "convert_currency"}},
		{"missing", []string{"get_weather", "convert_currency", "book_flight"}},
	} {
		for _, metrics := range []int{1, 10} {
			b.Run(fmt.Sprintf("run=%s/metrics=%d", run.name, metrics), func(b *testing.B) {
				benchmarkPack(b, packer(b, run.expected, metrics))
			})
		}
	}
}

// packer expects some tools, and scores runs by n metrics.
func packer(b *testing.B, expected []string, n int) *Processor {
	b.Helper()
	settings := scoring.ExpectationSettings{}
	for _, name := range expected {
		settings.Tools = append(settings.Tools, scoring.Tool{Name: name})
	}
	e, err := scoring.NewExpectation(settings)
	if err != nil {
		b.Fatal(err)
	}
	method, err := scoring.NewNative(scoring.DefaultNative())
	if err != nil {
		b.Fatal(err)
	}
	var metrics []evaluate.Metric
	for i := range n {
		metrics = append(metrics, evaluate.Metric{Name: fmt.Sprintf("tool_correctness.m%d", i), Method: method, Reason: true})
	}
	p, err := New(Settings{
		Limits: Limits{OpenRuns: 100, Bytes: 1 << 20}, Settings: evaluate.Settings{Metrics: metrics},
		Expectations: []evaluate.Expectation{{Name: "0", Expected: e, Metrics: metrics}},
	}, componenttest.NewNopTelemetrySettings(), &counter{Consumer: consumertest.NewNop()})
	if err != nil {
		b.Fatal(err)
	}
	return p
}

func benchmarkPack(b *testing.B, p *Processor) {
	const all = 512
	var mallocs, bytes uint64
	var before, after runtime.MemStats
	always := context.Background()
	for b.Loop() {
		b.StopTimer()
		h := closedRuns(all)
		runtime.ReadMemStats(&before)
		b.StartTimer()
		p.backlog = []closing{{Closed: h}}
		if _, err := p.release(always, always, always); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		runtime.ReadMemStats(&after)
		mallocs += after.Mallocs - before.Mallocs
		bytes += after.TotalAlloc - before.TotalAlloc
		b.StartTimer()
	}
	packed := float64(p.next.(*counter).spans)
	if packed != float64(b.N*all) {
		b.Fatalf("%v spans came out of %d runs", packed, b.N*all)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/packed, "ns/run")
	b.ReportMetric(float64(mallocs)/packed, "allocs/run")
	b.ReportMetric(float64(bytes)/packed, "B/run")
	b.ReportMetric(0, "ns/op") // the runs of an operation are an arbitrary number
}

// closedRuns are n runs whose spans came in one batch.
func closedRuns(n int) (h runs.Closed) {
	origin := &evidence.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	origin.First = origin
	calls := []runs.Call{
		{Call: scoring.Call{Name: "get_weather"}}, {Call: scoring.Call{Name: "convert_currency"}}, {Call: scoring.Call{Name: "search"}},
	}
	for range n {
		held := ptrace.NewSpan()
		for i := range 6 {
			held.Attributes().PutInt(fmt.Sprintf("gen_ai.attribute.%d", i), int64(i))
		}
		h.Runs = append(h.Runs, runs.Run{
			Anchors: []evidence.Held{{Data: held, Origin: origin, Agent: "desk"}}, Calls: calls,
			ClosedBy: evidence.ByAnchor,
		})
	}
	return h
}
