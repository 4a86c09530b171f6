package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/rig"
	"github.com/toolcorrectness/toolcorrectnessprocessor/benchmarks/workload"
)

// ours expects the tools of the workloads' only agent. Every call of the workloads has the arguments that withArguments
// expects, so that its runs get the same scores.
const ours = "run: {wait: WAIT%s}\nexpectations:\n  - {name: desk, tools: [%s]}\n"

// fromFile and fromDataset expect the same tools, which stand in a file. They look at it more often than by default.
const (
	fromFile    = "run: {wait: WAIT}\nreload_interval: 100ms\nexpectation_files: [%q]\n"
	fromDataset = "run: {wait: WAIT}\nreload_interval: 100ms\nexpectations:\n  - {name: desk, dataset: {file: %q, key: 'attributes[\"gen_ai.agent.name\"]'}}\n"
)

// contenders are a pipeline without the processor, the processor without options, and the options that -only names.
func (o options) contenders() []rig.Contender {
	names := strings.Join(workload.Tools(workload.Desk), ", ")
	plain := rig.Ours.With(fmt.Sprintf(ours, "", names)).Named("no options: names, one metric")
	chosen := []rig.Contender{rig.Floor, plain}
	for _, c := range []rig.Contender{
		plain.Named("arguments compared").With(fmt.Sprintf(ours, "", withArguments())).
			Also("metrics: {tool_correctness: {native: {arguments: subset}}}\n"),
		plain.Named("where on each tool").With(fmt.Sprintf(ours, "", withConditions())),
		plain.Named("ignore_arguments on each tool").With(fmt.Sprintf(ours, "", withTolerance())).
			Also("metrics: {tool_correctness: {native: {arguments: exact}}}\n"),
		plain.Named("10 metrics").Also(metrics(10)),
		plain.Named("nested: include").With(fmt.Sprintf(ours, ", nested: include", names)),
		plain.Named("sources: messages").Also("calls: {sources: messages}\n"),
		plain.Named("sources: spans").Also("calls: {sources: spans}\n"),
		plain.Named("annotate.calls").Also("annotate: {calls: true}\n"),
		plain.Named("annotate.as: langwatch").Also("annotate: {as: [native, langwatch]}\n"),
		plain.Named("connector behind it").Recorded(),
		plain.Named("metrics are counted").Metered(),
		plain.Named("metrics with telemetry.agent_names").Metered().Also("telemetry: {agent_names: 10}\n"),
		plain.Named("expectation_files, every 100 ms").With(fmt.Sprintf(fromFile, o.file("desk.yaml"))),
		plain.Named("dataset of 10,000 cases").With(fmt.Sprintf(fromDataset, o.file("cases.jsonl"))),
		plain.Named("storage").Stored(o.dir, false),
		plain.Named("storage, fsync").Stored(o.dir, true),
	} {
		if slices.ContainsFunc(strings.Split(o.only, ","), func(part string) bool { return strings.Contains(c.Name, part) }) {
			chosen = append(chosen, c)
		}
	}
	return chosen
}

func withArguments() string {
	var tools []string
	for _, name := range workload.Tools(workload.Desk) {
		tools = append(tools, fmt.Sprintf(`{name: %s, arguments: {strict: true, tags: [a, b]}}`, name))
	}
	return strings.Join(tools, ", ")
}

// withConditions has a condition for each tool that reads a key of the arguments and an attribute of the run.
func withConditions() string {
	var tools []string
	for _, name := range workload.Tools(workload.Desk) {
		tools = append(tools, fmt.Sprintf(`{name: %s, where: 'arguments["strict"] == true and run.attributes["gen_ai.agent.name"] != "x"'}`, name))
	}
	return strings.Join(tools, ", ")
}

// withTolerance ignores all keys of the arguments but one, and compares that exactly.
func withTolerance() string {
	var tools []string
	for _, name := range workload.Tools(workload.Desk) {
		tools = append(tools, fmt.Sprintf(`{name: %s, arguments: {strict: true}, ignore_arguments: [order_id, limit, query, range, tags]}`, name))
	}
	return strings.Join(tools, ", ")
}

// metrics are n of the native method. The first is the one whose score is checked.
func metrics(n int) string {
	var b strings.Builder
	b.WriteString("metrics:\n  tool_correctness: {native: {}}\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  tool_correctness.m%d: {native: {score: f1}}\n", i)
	}
	return b.String()
}
