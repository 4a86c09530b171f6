package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

const prefix = "tool_correctness"

// rows are the verdicts that came out, in the order of the files.
func (f traceFiles) rows(got spanSet) []report.Row {
	var all []report.Row
	runs := 0
	for position, name := range f.names() {
		for id := range f[name] {
			span, ok := got[id]
			if !ok {
				continue
			}
			runs++
			for _, row := range read(span) {
				row.File, row.Position, row.Run = name, position, runs
				all = append(all, row)
			}
		}
	}
	report.Sort(all, report.AsRead)
	return all
}

// read finds the metrics of a span by their status, which every verdict has.
func read(span ptrace.Span) []report.Row {
	var all []report.Row
	attributes := span.Attributes()
	for key, status := range attributes.All() {
		metric, ok := strings.CutSuffix(key, ".status")
		passed, judged := attributes.Get(metric + ".passed")
		if !ok || !judged {
			continue
		}
		row := report.Row{
			TraceID: span.TraceID().String(), SpanID: span.SpanID().String(), Start: uint64(span.StartTimestamp()),
			Agent: text(attributes, prefix+".agent"), Expectation: expectation(attributes, metric), Metric: metric,
			Status: status.AsString(), Passed: passed.Bool(), Reason: text(attributes, metric+".reason"),
			Expected: names(attributes, prefix+".expected"),
		}
		if score, ok := attributes.Get(metric + ".score"); ok {
			value := score.Double()
			row.Score = &value
		}
		for _, name := range names(attributes, prefix+".called") {
			row.Calls = append(row.Calls, report.Call{Name: name})
		}
		all = append(all, row)
	}
	slices.SortFunc(all, func(a, b report.Row) int { return strings.Compare(a.Metric, b.Metric) })
	return all
}

// expectation is the one that the metric met. It is written once for a run, and again where metrics met different ones.
func expectation(attributes pcommon.Map, metric string) string {
	if own := text(attributes, metric+".expectation"); own != "" {
		return own
	}
	return text(attributes, prefix+".expectation")
}

func text(attributes pcommon.Map, key string) string {
	v, ok := attributes.Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}

func names(attributes pcommon.Map, key string) []string {
	v, ok := attributes.Get(key)
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	var all []string
	for _, name := range v.Slice().All() {
		all = append(all, name.AsString())
	}
	return all
}

// unscoredFiles names the files that brought no scored verdict.
func unscoredFiles(sent traceFiles, rows []report.Row) error {
	var errs []error
	for _, name := range sent.names() {
		if !slices.ContainsFunc(rows, func(r report.Row) bool { return r.File == name && r.Status == report.Scored }) {
			errs = append(errs, fmt.Errorf("%s brought no scored verdict", name))
		}
	}
	return errors.Join(errs...)
}
