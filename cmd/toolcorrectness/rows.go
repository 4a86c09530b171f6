package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// rowsOf is a row for each metric that met an expectation, or one for a run that no expectation is for. Without values the
// rows have no arguments and no outputs, neither of calls nor of expected tools.
func rowsOf(r evaluate.Report, values bool) []report.Row {
	base := report.Row{
		TraceID: r.Run.Trace.String(), Expectation: r.Expectation, Status: report.NoExpectation,
		Complete: r.Run.Doubts.Complete(), ClosedBy: r.Run.ClosedBy.String(), IncompleteBecause: orEmpty(r.Run.Doubts.Names()),
		Expected: orEmpty(r.Expected), Missing: orEmpty(r.Missing), Unexpected: orEmpty(r.Unexpected),
		Calls: callsOf(r.Run.Calls, values), Rejected: evaluate.ShownNames(r.Run.Rejected),
	}
	for i := range r.Run.Calls {
		if i == 0 {
			base.Start = uint64(r.Run.Calls[i].Start)
		}
		base.End = max(base.End, uint64(r.Run.Calls[i].End))
	}
	if len(r.Run.Anchors) > 0 {
		a := r.Run.Anchors[0]
		base.SpanID, base.Agent, base.Conversation, base.Start = a.ID.String(), a.Agent, a.Conversation, uint64(a.Start)
		base.End = max(base.End, uint64(a.End))
	}
	if base.Start > 0 {
		base.Started = time.Unix(0, int64(base.Start)).UTC().Format(time.RFC3339)
	}
	if len(r.Results) == 0 {
		return []report.Row{base}
	}
	var rows []report.Row
	for _, res := range r.Results {
		row := base
		row.Metric, row.Status, row.Reason = res.Metric, res.Verdict.Status.String(), res.Reason
		row.Expectation, row.Case = res.Expectation, res.Case
		row.Expected, row.Missing, row.Unexpected = orEmpty(res.Expected), orEmpty(res.Missing), orEmpty(res.Unexpected)
		row.Passed, row.Threshold = res.Verdict.Passed, res.Verdict.Threshold
		if res.Verdict.Status == scoring.Scored {
			score := res.Verdict.Score
			row.Score = &score
		}
		row.Calls = judgedCalls(base.Calls, res.Verdict.OfCalls())
		row.Steps = stepsOf(res.Verdict, values)
		rows = append(rows, row)
	}
	return rows
}

func callsOf(calls []runs.Call, values bool) []report.Call {
	out := make([]report.Call, len(calls))
	for i := range calls {
		c := &calls[i]
		out[i] = report.Call{Name: c.Name, Status: c.Status.String(), SpanID: c.ID.String(), Start: uint64(c.Start), End: uint64(c.End)}
		if values {
			out[i].Arguments, out[i].Output = content(c.Arguments), content(c.Output)
		}
	}
	return out
}

// judgedCalls returns the calls with what a metric says of each.
func judgedCalls(calls []report.Call, said []scoring.CallVerdict) []report.Call {
	judged := slices.Clone(calls)
	for i := range said {
		judged[i].Verdict = said[i].Class.String()
	}
	return judged
}

// stepsOf returns the alignment of a verdict.
func stepsOf(verdict scoring.Verdict, values bool) []report.Step {
	matches := verdict.Matches()
	steps := make([]report.Step, len(matches))
	for i, m := range matches {
		s := report.Step{Call: m.Called, Class: m.Class.String(), Credit: m.Credit, Paths: pathsOf(m.Differences, values)}
		if m.Expected >= 0 {
			tool := verdict.Alignment.Expected[m.Expected]
			s.Tool = cmp.Or(tool.Name, strings.Join(tool.Names, "|"))
			if values {
				s.Arguments, s.Output = expectedContent(tool.Arguments), expectedContent(tool.Output)
			}
			if m.Called < 0 && m.Class != scoring.CallUncertain {
				s.Class = report.Missing
			}
		}
		steps[i] = s
	}
	return steps
}

// pathsOf are the keys at which an expected tool and its call differ. Keys that only the call has are as private as values.
func pathsOf(differences []scoring.Difference, values bool) []string {
	var paths []string
	for _, d := range differences {
		switch {
		case d.Extra && !values:
			paths = append(paths, "a key that is not expected")
		case d.Path == "":
			paths = append(paths, "as a whole")
		default:
			paths = append(paths, d.Path)
		}
	}
	return slices.Compact(paths)
}

// expectedContent returns an expected payload. It is empty if the expectation has none.
func expectedContent(p scoring.Payload) json.RawMessage {
	if p == (scoring.Payload{}) {
		return nil
	}
	return content(p)
}

// content is a payload as JSON, and as UTF-8 even where a span is not.
func content(p scoring.Payload) json.RawMessage {
	return bytes.ToValidUTF8(p.AppendJSON(nil), []byte("\uFFFD"))
}

// orEmpty returns an empty list instead of nil, so that JSON has [] and not null.
func orEmpty(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}
