package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	prefix = "tool_correctness"
	// reasonWidth keeps the table inside the width of a usual terminal, more or less.
	reasonWidth = 60
	cellWidth   = 28
)

// A verdict is one line of the table: what one metric said of one run.
type verdict struct {
	file, agent, metric   string
	expected, called      string
	score, passed, reason string
	scored                bool
	start                 pcommon.Timestamp
}

// verdicts collects the verdicts that came out, by file, then by the start of the run, then by metric.
func (f traceFiles) verdicts(got spanSet) []verdict {
	var all []verdict
	for _, name := range f.names() {
		var ofFile []verdict
		for id := range f[name] {
			if span, ok := got[id]; ok {
				ofFile = append(ofFile, read(name, span)...)
			}
		}
		slices.SortFunc(ofFile, func(a, b verdict) int {
			return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.agent, b.agent), cmp.Compare(a.metric, b.metric))
		})
		all = append(all, ofFile...)
	}
	return all
}

// read finds the metrics of a span by their status, which every verdict has.
func read(file string, span ptrace.Span) []verdict {
	var all []verdict
	attributes := span.Attributes()
	for key, status := range attributes.All() {
		metric, ok := strings.CutSuffix(key, ".status")
		if _, passed := attributes.Get(metric + ".passed"); !ok || !passed {
			continue
		}
		all = append(all, verdict{
			file: file, agent: agent(span), metric: metric,
			expected: names(attributes, prefix+".expected"),
			called:   names(attributes, prefix+".called"),
			score:    score(attributes, metric, status.AsString()),
			passed:   text(attributes, metric+".passed"),
			reason:   text(attributes, metric+".reason"),
			scored:   status.AsString() == "scored",
			start:    span.StartTimestamp(),
		})
	}
	return all
}

func agent(span ptrace.Span) string {
	for _, key := range []string{"gen_ai.agent.name", "agent.name", "graph.node.id", "ai.telemetry.functionId"} {
		if name := text(span.Attributes(), key); name != "" {
			return name
		}
	}
	return span.Name()
}

func score(attributes pcommon.Map, metric, status string) string {
	if v, ok := attributes.Get(metric + ".score"); ok {
		return strconv.FormatFloat(v.Double(), 'f', 2, 64)
	}
	return status
}

func text(attributes pcommon.Map, key string) string {
	v, ok := attributes.Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func names(attributes pcommon.Map, key string) string {
	v, ok := attributes.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice || v.Slice().Len() == 0 {
		return "-"
	}
	var all []string
	for _, name := range v.Slice().All() {
		all = append(all, name.AsString())
	}
	return strings.Join(all, ", ")
}

// unscoredFiles names the files that brought no scored verdict.
func unscoredFiles(sent traceFiles, verdicts []verdict) error {
	var errs []error
	for _, name := range sent.names() {
		if !slices.ContainsFunc(verdicts, func(v verdict) bool { return v.file == name && v.scored }) {
			errs = append(errs, fmt.Errorf("%s brought no scored verdict", name))
		}
	}
	return errors.Join(errs...)
}

// printTable writes one row a verdict, under the name of its file. Long cells go on in the lines below.
func printTable(w io.Writer, verdicts []verdict) error {
	manyMetrics := slices.ContainsFunc(verdicts, func(v verdict) bool { return v.metric != prefix })
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "AGENT\tEXPECTED\tCALLED\tSCORE\tPASSED\tREASON")
	heights := make([]int, len(verdicts))
	for i, v := range verdicts {
		rows := v.rows(manyMetrics)
		for _, row := range rows {
			fmt.Fprintln(tw, row)
		}
		heights[i] = len(rows)
	}
	if err := tw.Flush(); err != nil {
		return err
	}

	// The headings are put between the finished lines, where they do not widen a column.
	fmt.Fprint(w, next(&table))
	file := ""
	for i, v := range verdicts {
		if v.file != file {
			file = v.file
			fmt.Fprintf(w, "\n%s\n", file)
		}
		for range heights[i] {
			fmt.Fprint(w, next(&table))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// next is the next line of the table without the blanks at its end.
func next(table *bytes.Buffer) string {
	text, _ := table.ReadString('\n') // the end of the table is not an error
	return strings.TrimRight(text, " \n") + "\n"
}

// rows are the lines of a verdict in the table, cells parted by tabs.
func (v verdict) rows(withMetric bool) []string {
	name := v.agent
	if withMetric {
		name += " (" + v.metric + ")"
	}
	columns := [][]string{
		wrap(name, cellWidth), wrap(v.expected, cellWidth), wrap(v.called, cellWidth),
		{v.score}, {v.passed}, wrap(v.reason, reasonWidth),
	}
	rows := make([]string, longest(columns))
	for i := range rows {
		rows[i] = strings.Join(line(columns, i), "\t")
	}
	return rows
}

func longest(columns [][]string) int {
	n := 0
	for _, c := range columns {
		n = max(n, len(c))
	}
	return n
}

// line is the i-th line of a row.
func line(columns [][]string, i int) []string {
	cells := make([]string, len(columns))
	for c, lines := range columns {
		if i < len(lines) {
			cells[c] = lines[i]
		}
	}
	return cells
}

// wrap breaks text at spaces into lines of at most width bytes; a longer word stands alone.
func wrap(text string, width int) []string {
	var lines []string
	current := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case current == "":
			current = word
		case len(current)+1+len(word) <= width:
			current += " " + word
		default:
			lines = append(lines, current)
			current = word
		}
	}
	return append(lines, current)
}
