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
		TraceID: r.Run.Trace.String(), Status: report.NoExpectation, Complete: r.Run.Doubts.Complete(), ClosedBy: r.Run.ClosedBy.String(),
		// JSON has [] and not null.
		IncompleteBecause: append([]string{}, r.Run.Doubts.Names()...), Expected: []string{}, Missing: []string{}, Unexpected: []string{},
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
		if service, has := a.Origin.Resource.Resource().Attributes().Get("service.name"); has {
			base.Service = service.AsString()
		}
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
		row.Expected, row.Missing = append(row.Expected, res.Expected...), append(row.Missing, res.Missing...)
		row.Unexpected = append(row.Unexpected, res.Unexpected...)
		row.Passed, row.Threshold = res.Verdict.Passed, res.Verdict.Threshold
		if res.Verdict.Status == scoring.Scored {
			row.Score = new(res.Verdict.Score)
		}
		row.Calls = slices.Clone(base.Calls)
		row.Steps = stepsOf(res.Verdict, values)
		for _, s := range row.Steps {
			if s.Call >= 0 {
				row.Calls[s.Call].Verdict = s.Class
			}
		}
		row.Fault, row.FaultOf = faultOf(&res.Verdict)
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

// stepsOf returns the alignment of a verdict.
func stepsOf(verdict scoring.Verdict, values bool) []report.Step {
	matches := verdict.Matches()
	steps := make([]report.Step, len(matches))
	for i, m := range matches {
		s := report.Step{Call: m.Called, Class: m.Class.String(), Credit: m.Credit, Faults: m.Faults(scoring.ReasonOptions{Values: values})}
		if m.Expected >= 0 {
			tool := verdict.Alignment.Expected[m.Expected]
			s.Tool = cmp.Or(tool.Name, strings.Join(tool.Names, "|"))
			if values && tool.Arguments != (scoring.Payload{}) {
				s.Arguments = content(tool.Arguments)
			}
			if m.Called < 0 && m.Class != scoring.CallUncertain {
				s.Class = report.Missing
			}
		}
		steps[i] = s
	}
	return steps
}

// faultOf names what went wrong first, as the reason does, and the tool that it concerns.
func faultOf(v *scoring.Verdict) (fault, tool string) {
	if i := slices.IndexFunc(v.Turns, func(t scoring.Verdict) bool { return !t.Passed }); i >= 0 && !v.Passed {
		return faultOf(&v.Turns[i])
	}
	findings, a := v.Findings(), &v.Alignment
	extra := slices.IndexFunc(findings, func(f scoring.Finding) bool { return f.Kind >= scoring.OverLimit })
	switch {
	case v.Passed:
		return "", ""
	case v.Status != scoring.Scored:
		return "Not scored", ""
	case len(findings) > 0 && findings[0].Kind == scoring.ForbiddenCall:
	case len(a.Broken) > 0:
		if at := a.Broken[0].Call; at >= 0 {
			return scoring.OverLimit.String(), a.Called[at].Name
		}
		return "Rule broken", ""
	case a.Extra == scoring.ExtraForbidden && extra > 0:
		findings = findings[extra:]
	case len(findings) == 0:
		return "Low score", ""
	}
	return findings[0].Kind.String(), findings[0].Name
}

// content is a payload as JSON, and as UTF-8 even where a span is not.
func content(p scoring.Payload) json.RawMessage {
	return bytes.ToValidUTF8(p.AppendJSON(nil), []byte("\uFFFD"))
}
