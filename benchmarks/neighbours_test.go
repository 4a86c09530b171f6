// Package benchmarks compares what processors cost, side by side in one process: unmarshalling alone, and with tool_correctness,
// tail_sampling and groupbytrace behind it. A benchmark fails where a span does not come out, or where a run gets another score
// than it must. PERFORMANCE.md says how to read the figures.
package benchmarks

import (
	"testing"
	"time"
)

const (
	// spans is how many a workload has, at least.
	spans = 40_000
	// wait is how long each processor waits for the rest of a trace or run, and hold the same while memory is measured: all spans
	// must be sent within it.
	wait, hold = time.Second, 6 * time.Second
)

// BenchmarkSpans sends a workload from its bytes until the last span came out, through each processor. The figures are of one span.
// CPU is the time of the whole process.
func BenchmarkSpans(b *testing.B) {
	compare(b, Contenders(), Run)
}

// BenchmarkAlone does so with spans that were unmarshalled before, because looking at ordinary spans costs too little to be seen
// beside unmarshalling.
func BenchmarkAlone(b *testing.B) {
	compare(b, Contenders(), RunAlone)
}

func compare(b *testing.B, contenders []Contender, run func(Contender, *Load, time.Duration) (Cost, error)) {
	for _, kind := range Kinds() {
		load := kind.Make(spans, 1)
		for _, c := range contenders {
			b.Run("traffic="+kind.Name+"/with="+c.Name, func(b *testing.B) {
				var all Cost
				for range b.N {
					cost, err := run(c, load, wait)
					if err != nil {
						b.Fatal(err)
					}
					all.CPU += cost.CPU
					all.Wall += cost.Wall
					all.Allocs += cost.Allocs
				}
				n := float64(b.N * load.Spans)
				b.ReportMetric(0, "ns/op") // it is that of the wait
				b.ReportMetric(float64(all.CPU)/n, "cpu-ns/span")
				b.ReportMetric(float64(all.Wall)/n, "accepted-ns/span")
				b.ReportMetric(float64(all.Allocs)/n, "allocs/span")
			})
		}
	}
}

// BenchmarkHeld measures the heap while a processor waits for more spans, less what it was when the processor had started.
func BenchmarkHeld(b *testing.B) {
	for _, kind := range Kinds() {
		load := kind.Make(spans, 1)
		for _, c := range Contenders()[1:] {
			b.Run("traffic="+kind.Name+"/with="+c.Name, func(b *testing.B) {
				var bytes int64
				for range b.N {
					held, err := Hold(c, load, hold)
					if err != nil {
						b.Fatal(err)
					}
					bytes += held.Bytes
				}
				b.ReportMetric(0, "ns/op")
				b.ReportMetric(float64(bytes)/float64(b.N*load.Spans), "held-B/span")
				if load.Runs > 0 {
					b.ReportMetric(float64(bytes)/float64(b.N*load.Runs), "held-B/run")
				}
			})
		}
	}
}
