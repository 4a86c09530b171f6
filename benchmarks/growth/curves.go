package main

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// mostCalls is the largest calls_per_run that the configuration takes.
const mostCalls = 50_000

func curves(most int) []curve {
	return []curve{
		{
			"runs", "Runs that are open", "Runs of one call that are open at the same time, each of two spans.",
			[]string{"CPU ns per span in", "CPU ns per run judged", "heap B per run"}, 2, upTo(1000, most), runs,
		},
		{
			"calls", "Calls in one run", fmt.Sprintf("Calls in one run. Of more than %d, the rest is not kept.", mostCalls),
			[]string{"CPU ns per call in", "CPU ns per call judged", "heap B per call"}, 2, upTo(10, most), calls,
		},
		{
			"expectations", "Expectations", "Expectations, each for an agent of its own, and 2,000 runs of all agents in turn.",
			[]string{"CPU ns per run judged"}, 1, upTo(1, 1000), expectations,
		},
		{
			"cores", "Cores, with two senders", "GOMAXPROCS with two senders, spans of a_agent8.",
			[]string{"CPU ns per span", "spans per second", "spans per second, unmarshalling alone"}, 1, []int{1, 2}, cores,
		},
	}
}

// upTo are first and its multiples by ten.
func upTo(first, last int) []int {
	var sizes []int
	for n := first; n <= last; n *= 10 {
		sizes = append(sizes, n)
	}
	return sizes
}

// held is how long runs wait: until the end of the measurement closes them.
const held = time.Hour

func ours(limits, expectations string) rig.Contender {
	return rig.Ours.With("run: {wait: WAIT}\nlimits: {" + limits + "}\nexpectations:\n" + expectations)
}

const oneTool = "  - tools: [search_orders]\n"

func runs(n int) ([]float64, error) {
	c := ours("open_runs: 10000000, memory_mib: 65536", oneTool)
	g, err := rig.Grow(c, workload.Runs(n, 1, "desk"), held)
	spans := float64(2 * n)
	return []float64{float64(g.In) / spans, float64(g.Out) / float64(n), float64(g.Heap) / float64(n)}, err
}

// calls measures several runs at a time, with 20,000 calls together, because a small run alone is too short to time.
func calls(n int) ([]float64, error) {
	c := ours(fmt.Sprintf("calls_per_run: %d, memory_mib: 65536", min(n, mostCalls)), oneTool)
	many := max(1, 20_000/n)
	g, err := rig.Grow(c, workload.Runs(many, n, "desk"), held)
	all := float64(many * n)
	return []float64{float64(g.In) / all, float64(g.Out) / all, float64(g.Heap) / all}, err
}

func expectations(n int) ([]float64, error) {
	var yaml strings.Builder
	var agents []string
	for i := range n {
		agent := fmt.Sprintf("agent-%d", i)
		agents = append(agents, agent)
		fmt.Fprintf(&yaml, "  - when: attributes[\"gen_ai.agent.name\"] == %q\n    tools: [search_orders]\n", agent)
	}
	const judged = 2000
	g, err := rig.Grow(ours("open_runs: 100000", yaml.String()), workload.Runs(judged, 1, agents...), held)
	return []float64{float64(g.Out) / judged}, err
}

// cores measures the CPU time as well: where other programs keep the cores busy, the speed depends on those. What
// unmarshalling alone gains by a core is what a machine gives at most.
func cores(n int) ([]float64, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	load := workload.Agent8.Make(160_000, 1)
	spans := float64(load.Spans)
	cost, err := rig.RunBy(2, rig.Ours, load, time.Second)
	if err != nil {
		return nil, err
	}
	floor, err := rig.RunBy(2, rig.Floor, load, time.Second)
	return []float64{float64(cost.CPU) / spans, spans / cost.Wall.Seconds(), spans / floor.Wall.Seconds()}, err
}
