package main

import (
	"fmt"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// aims are the figures that tool_correctness must reach. The memory of a run excludes its held span, whose size the sender
// decides.
var aims = []struct {
	kind   string
	what   string
	most   float64
	format string
	figure func(r result, ours int) float64
}{
	{workload.Ordinary.Name, "added CPU ns on a span that is no agent's", 40, "%.0f", aloneAdded},
	{workload.Ordinary.Name, "allocations on a span that is no agent's", 0.01, "%.2f", aloneAllocs},
	{workload.Ordinary.Name, "B kept of a further span that is no agent's", 1, "%.1f", keptOfFurther},
	{workload.Agent8.Name, "added CPU ns per span", 400, "%.0f", wholeAdded},
	{workload.Long500.Name, "added CPU ns per span", 300, "%.0f", wholeAdded},
	{workload.Split4.Name, "added CPU ns per span", 300, "%.0f", wholeAdded},
	{workload.Agent8.Name, "B kept of a run of 3 calls, with its held span", 2500 + heldSpan, "%.0f", keptByRun},
	{workload.Long500.Name, "B kept of a run of 150 calls, with its held span", 2500 + 147*100 + heldSpan, "%.0f", keptByRun},
}

// heldSpan is what the agent's span of the workloads takes in memory, with its attributes: 896 B, measured on the heap
// with 5,000 of them.
const heldSpan = 900

func aloneAdded(r result, ours int) float64  { return r.added(r.alone, ours) }
func wholeAdded(r result, ours int) float64  { return r.added(r.whole, ours) }
func aloneAllocs(r result, ours int) float64 { return r.perSpan(r.alone[ours], allocs) }
func keptByRun(r result, ours int) float64   { return float64(r.held[ours].Bytes) / float64(r.load.Runs) }
func keptOfFurther(r result, _ int) float64  { return r.further }

// aims writes which aims are reached.
func (o options) aims(b *strings.Builder, results []result) {
	ours := o.ours()
	if ours == 0 {
		return
	}
	b.WriteString("## Aims\n\n| | | at most | is | |\n|---|---|--:|--:|---|\n")
	for _, aim := range aims {
		for _, r := range results {
			if r.load.Kind.Name != aim.kind {
				continue
			}
			is, reached := aim.figure(r, ours), "reached"
			if is > aim.most {
				reached = "not reached"
			}
			fmt.Fprintf(b, "| %s | %s | "+aim.format+" | "+aim.format+" | %s |\n", aim.kind, aim.what, aim.most, is, reached)
		}
	}
	b.WriteString("\n")
}
