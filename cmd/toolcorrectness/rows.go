package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/processor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// statusNoExpectation is the status of a run that no expectation is for.
const statusNoExpectation = "no_expectation"

// row is what one metric says of one run. Its JSON is a contract.
type row struct {
	TraceID      string   `json:"trace_id"`
	SpanID       string   `json:"span_id"`
	Agent        string   `json:"agent"`
	Conversation string   `json:"conversation"`
	Expectation  string   `json:"expectation"`
	Metric       string   `json:"metric"`
	Status       string   `json:"status"`
	Score        *float64 `json:"score"`
	Passed       bool     `json:"passed"`
	Threshold    float64  `json:"threshold"`
	Reason       string   `json:"reason"`
	Complete     bool     `json:"complete"`
	ClosedBy     string   `json:"closed_by"`
	Expected     []string `json:"expected"`
	Missing      []string `json:"missing"`
	Unexpected   []string `json:"unexpected"`
	Calls        []call   `json:"calls"`

	start pcommon.Timestamp
}

type call struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Status    string          `json:"status"`
	SpanID    string          `json:"span_id"`
}

// failed reports whether the row fails the command.
func (r *row) failed(under float64) bool {
	if r.Status == statusNoExpectation {
		return false
	}
	return !r.Passed || r.Score != nil && *r.Score < under
}

// compareRows puts runs in the order in which they began.
func compareRows(a, b row) int {
	return cmp.Or(
		cmp.Compare(a.start, b.start),
		cmp.Compare(a.TraceID, b.TraceID),
		cmp.Compare(a.SpanID, b.SpanID),
		cmp.Compare(a.Metric, b.Metric),
	)
}

func rowsOf(r processor.Report) []row {
	base := row{
		TraceID: r.Run.Trace.String(), Expectation: r.Expectation, Status: statusNoExpectation,
		Complete: r.Run.Complete, ClosedBy: r.Run.ClosedBy.String(),
		Expected: orEmpty(r.Expected), Missing: orEmpty(r.Missing), Unexpected: orEmpty(r.Unexpected),
		Calls: callsOf(r.Run.Calls),
	}
	if len(r.Run.Calls) > 0 {
		base.start = r.Run.Calls[0].Start
	}
	if len(r.Run.Anchors) > 0 {
		a := r.Run.Anchors[0]
		base.SpanID, base.Agent, base.Conversation, base.start = a.ID.String(), a.Agent, a.Conversation, a.Start
	}
	if len(r.Results) == 0 {
		return []row{base}
	}
	var rows []row
	for _, res := range r.Results {
		row := base
		row.Metric, row.Status, row.Reason = res.Metric, res.Verdict.Status.String(), res.Reason
		row.Passed, row.Threshold = res.Verdict.Passed, res.Verdict.Threshold
		if res.Verdict.Status == scoring.Scored {
			row.Score = &res.Verdict.Score
		}
		rows = append(rows, row)
	}
	return rows
}

func callsOf(calls []agentrun.Call) []call {
	out := make([]call, len(calls))
	for i := range calls {
		c := &calls[i]
		out[i] = call{
			Name: c.Name, Status: c.Status.String(), SpanID: c.ID.String(),
			Arguments: content(c.Arguments), Output: content(c.Output),
		}
	}
	return out
}

// content is a payload as JSON, and as UTF-8 even where a span is not.
func content(p scoring.Payload) json.RawMessage {
	return bytes.ToValidUTF8(p.AppendJSON(nil), []byte("\uFFFD"))
}

// orEmpty makes an empty list of none, so that JSON has [] and not null.
func orEmpty(names []string) []string {
	if names == nil {
		return []string{}
	}
	return names
}

// formats are the ways to print rows.
var formats = map[string]func(io.Writer, []row) error{"table": writeTable, "json": writeJSON}

func writeJSON(w io.Writer, rows []row) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for i := range rows {
		if err := e.Encode(&rows[i]); err != nil {
			return err
		}
	}
	return nil
}

func writeTable(w io.Writer, rows []row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "AGENT\tEXPECTATION\tMETRIC\tEXPECTED\tCALLED\tSCORE\tPASSED\tREASON")
	for i := range rows {
		r := &rows[i]
		fmt.Fprintln(t, strings.Join([]string{
			cell(r.Agent), cell(r.Expectation), cell(r.Metric), names(r.Expected), names(r.called()), r.score(), r.passed(), cell(r.Reason),
		}, "\t"))
	}
	return t.Flush()
}

func (r *row) called() []string {
	var called []string
	for _, c := range r.Calls {
		called = append(called, c.Name)
	}
	return called
}

func (r *row) score() string {
	if r.Score == nil {
		return r.Status
	}
	return strconv.FormatFloat(*r.Score, 'f', 3, 64)
}

func (r *row) passed() string {
	switch {
	case r.Status == statusNoExpectation:
		return "-"
	case r.Passed:
		return "yes"
	}
	return "no"
}

// cell keeps what a span says from breaking the table.
func cell(s string) string {
	s = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return ' '
		}
		return c
	}, s)
	return cmp.Or(strings.TrimSpace(s), "-")
}

func names(list []string) string { return cell(strings.Join(list, ", ")) }
