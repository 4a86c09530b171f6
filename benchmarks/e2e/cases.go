package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// A testCase is one configuration of the collector.
type testCase struct {
	name      string
	processor string // its section; empty: there is none
	judges    bool   // every run must get a score
}

// The first case is what the others are compared with.
func cases(wait time.Duration) []testCase {
	return []testCase{
		{name: "no processor"},
		{"tool_correctness", rig.Ours.Config(wait), true},
		{"tail_sampling", rig.TailSampling.Config(wait), false},
		{"groupbytrace", rig.GroupByTrace.Config(wait), false},
	}
}

// config is the collector's whole configuration. Its queue is short and blocks senders, so the exporter neither keeps nor
// loses spans that arrive faster than it sends.
func (c testCase) config(receiver, sink string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "receivers: {otlp: {protocols: {grpc: {endpoint: %q}}}}\n", receiver)
	fmt.Fprintf(&b, "exporters:\n  otlp_grpc:\n    endpoint: %q\n    tls: {insecure: true}\n    compression: none\n", sink)
	b.WriteString("    sending_queue: {queue_size: 20, block_on_overflow: true}\n")
	name := ""
	if c.processor != "" {
		name = c.name
		fmt.Fprintf(&b, "processors:\n  %s:\n", name)
		for line := range strings.Lines(c.processor) {
			b.WriteString("    " + line)
		}
	}
	b.WriteString("service:\n  telemetry: {metrics: {level: none}}\n")
	fmt.Fprintf(&b, "  pipelines: {traces: {receivers: [otlp], processors: [%s], exporters: [otlp_grpc]}}\n", name)
	return b.String()
}

// A cost is what one round of a case cost.
type cost struct {
	cpu  time.Duration // of the collector, from the first request until the last span came out
	in   time.Duration // until the last request was acknowledged
	out  time.Duration // until the last span came out
	peak int64         // the most memory that the collector had, in bytes
}

// rate is how many spans a second were acknowledged.
func (c cost) rate(l *workload.Load) float64 { return float64(l.Spans) / c.in.Seconds() }

// table compares the cases. What is relative is a median of ratios within rounds.
func table(load *workload.Load, costs [][]cost) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%d spans (%d B each) in %d requests, %d runs; medians of %d rounds.\n\n",
		load.Kind.Name, load.Spans, load.Bytes/load.Spans, len(load.Requests), load.Runs, len(costs[0]))
	b.WriteString("| | spans/s acknowledged | × | s until all were out | CPU s per million spans | × | peak RSS MB | × |\n|---|--:|--:|--:|--:|--:|--:|--:|\n")
	rate := func(c cost) float64 { return c.rate(load) }
	cpu := func(c cost) float64 { return c.cpu.Seconds() / float64(load.Spans) * 1e6 }
	out := func(c cost) float64 { return c.out.Seconds() }
	peak := func(c cost) float64 { return float64(c.peak) / 1e6 }
	for i, c := range cases(0) {
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.1f | %.2f | %.2f | %.0f | %.2f |\n", c.name,
			median(costs[i], rate), paired(costs[i], costs[0], rate), median(costs[i], out),
			median(costs[i], cpu), paired(costs[i], costs[0], cpu), median(costs[i], peak), paired(costs[i], costs[0], peak))
	}
	b.WriteString("\n")
	return b.String()
}

func median(costs []cost, f func(cost) float64) float64 {
	var values []float64
	for _, c := range costs {
		values = append(values, f(c))
	}
	return rig.Median(values)
}

func paired(costs, base []cost, f func(cost) float64) float64 {
	var values []float64
	for i, c := range costs {
		values = append(values, f(c)/f(base[i]))
	}
	return rig.Median(values)
}
