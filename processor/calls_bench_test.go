package processor

import (
	"context"
	"fmt"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// BenchmarkCalls: what does a call cost that is collected, scored by name, annotated and released, and what a run besides its
// calls. The traces have only an agent's span and its tool spans. The time is from ConsumeTraces to the release of the held
// spans. Read ns/call and ns/run: they lie on the line through runs of 3 and of 150 calls.
func BenchmarkCalls(b *testing.B) {
	const short, long = 3, 150
	p := benchmarkProcessor(b)
	var trace uint64
	var took [2]time.Duration
	var runs [2]int
	for b.Loop() {
		for i, calls := range [...]int{short, long} {
			trace += 1000
			const spans = 512 // of a request
			n := spans / (calls + 1)
			td := toolTraces(trace, n, calls)
			began := time.Now()
			if err := p.ConsumeTraces(context.Background(), td); err != nil {
				b.Fatal(err)
			}
			p.Advance(context.Background(), 10*time.Second)
			took[i] += time.Since(began)
			runs[i] += n
		}
	}
	if out, in := p.next.(*counter).spans, runs[0]*(short+1)+runs[1]*(long+1); out != in {
		b.Fatalf("%d spans in, %d out", in, out)
	}
	shortRun := float64(took[0].Nanoseconds()) / float64(runs[0])
	longRun := float64(took[1].Nanoseconds()) / float64(runs[1])
	call := (longRun - shortRun) / (long - short)
	b.ReportMetric(call, "ns/call")
	b.ReportMetric(shortRun-short*call, "ns/run")
	b.ReportMetric(0, "ns/op")
}

// toolTraces are n runs of an agent that calls tools one after the other.
func toolTraces(first uint64, n, calls int) ptrace.Traces {
	td := ptrace.NewTraces()
	ss := newScope(td)
	for trace := first; trace < first+uint64(n); trace++ {
		for i := range uint64(calls) {
			benchSpan(ss, trace, 2+i, 1, map[string]any{
				"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": [...]string{"get_weather", "convert_currency", "search"}[i%3],
				"gen_ai.tool.call.id": fmt.Sprintf("call_%012x%04x", trace, i), "gen_ai.tool.call.arguments": `{"city":"Oslo","unit":"celsius"}`,
			})
		}
		benchSpan(ss, trace, 1, 0, map[string]any{"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "desk"})
	}
	return td
}
