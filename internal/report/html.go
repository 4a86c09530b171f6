package report

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page/*.html
var pages embed.FS

var templates = template.Must(template.ParseFS(pages, "page/*.html"))

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

//go:embed page/live.js
var liveScript string

// maxPageRows is how many verdicts a page has. A browser gets slow with more.
const maxPageRows = 20_000

// HTML prints a page that needs nothing else: no network, no other file. Its script draws the data: runs by what went wrong, one row each
// with its metrics, and what was expected beside what was called. It has at most [maxPageRows] verdicts; Left is how many other runs there
// are. Times are milliseconds, since 1970. All that spans say is text in it, never mark-up; its policy lets no script run but its own.
func HTML(w io.Writer, rows []Row, o Options) error {
	left, room, shown := 0, maxPageRows, []any{}
	for run := range runs(rows) {
		if passed := o.Gate.outcome(run) <= known; passed && len(rows) > maxPageRows || room < len(run) {
			left++
			continue
		}
		room -= len(run)
		shown = append(shown, pageRun(run, o))
	}
	sum := o.Gate.Summarize(rows)
	values := slices.ContainsFunc(rows, func(r Row) bool {
		return slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Arguments != nil || c.Output != nil })
	})
	data, err := json.Marshal(map[string]any{"Summary": sum, "Values": values, "Counts": o.Gate.counts(rows), "Left": left, "Runs": shown})
	if err != nil {
		return err
	}
	return templates.ExecuteTemplate(w, "page.html", map[string]any{
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript),
		"ScriptHash": hashOf(pageScript), "Live": o.Live, "LiveScript": template.JS(liveScript), "LiveHash": hashOf(liveScript),
		"Summary": sum, "Data": template.JS(EscapeJSON(data)), "Values": values, // json escapes < and >
	})
}

// hashOf is how the page's policy names a script that may run.
func hashOf(script string) template.HTMLAttr {
	hash := sha256.Sum256([]byte(script))
	return template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(hash[:]))
}

func pageRun(run []Row, o Options) map[string]any {
	r, calls, verdicts := &run[0], []any{}, []any{}
	url := strings.NewReplacer("{trace}", r.TraceID, "{span}", r.SpanID).Replace(o.TraceURL)
	for i := range r.Calls {
		c := &r.Calls[i]
		calls = append(calls, map[string]any{
			"Name": c.Name, "Status": c.Status, "Start": milliseconds(c.Start), "Took": took(c.Start, c.End), "Arguments": c.Arguments, "Output": c.Output,
		})
	}
	for i := range run {
		v := &run[i]
		verdicts = append(verdicts, map[string]any{
			"Metric": v.Metric, "Expectation": v.Expectation, "Case": v.Case, "Status": v.Status, "Outcome": o.Gate.outcomeOf(v).String(), "Reason": v.Reason,
			"Fault": v.Fault, "FaultOf": v.FaultOf, "Score": v.Score, "Threshold": max(v.Threshold, o.Gate.FailUnder), "Steps": v.Steps,
		})
	}
	return map[string]any{
		"ID": r.anchor(), "Where": r.where(), "File": r.File, "Trace": r.TraceID, "Span": r.SpanID, "URL": url, "Agent": r.Agent, "Conversation": r.Conversation,
		"Service": r.Service, "Expectation": r.Expectation, "Case": r.Case, "Complete": r.Complete, "ClosedBy": r.ClosedBy, "Because": r.IncompleteBecause,
		"Rejected": r.Rejected, "Start": milliseconds(r.Start), "Took": took(r.Start, r.End), "Calls": calls, "Verdicts": verdicts,
	}
}

// anchor is the part of a link to a run behind the #. Runs without a span, which a trace may have several of, have their number.
func (r *Row) anchor() string {
	return fmt.Sprintf("r-%s-%s", r.TraceID, cmp.Or(r.SpanID, fmt.Sprint("run", r.Run)))
}

// took is the time from start to end. It is 0 if the clocks of a sender disagree.
func took(start, end uint64) float64 { return milliseconds(end - min(start, end)) }

func milliseconds(nanoseconds uint64) float64 { return float64(nanoseconds/1000) / 1000 }

// A Dated report has the verdicts of one time.
type Dated struct {
	Name string // as the user knows the report
	Rows []Row
}

// Time is when the last run began; empty if no run has a time.
func (d Dated) Time() (last string) {
	for i := range d.Rows {
		last = max(last, d.Rows[i].Started)
	}
	return last
}

// Trend prints a page of pass rates over several reports, by case and by expectation. Like the page of [HTML] it needs nothing else;
// it has no script.
func Trend(w io.Writer, reports []Dated) error {
	slices.SortFunc(reports, func(a, b Dated) int {
		return cmp.Or(strings.Compare(a.Time(), b.Time()), strings.Compare(a.Name, b.Name))
	})
	tables := map[string]map[string][]*tally{}
	for by, name := range map[string]func(*Row) string{"case": caseName, "expectation": expectationName} {
		cells := map[string][]*tally{} // nil for a report without judged runs
		for i, report := range reports {
			for _, t := range (Gate{}).tallies(report.Rows, name) {
				if t.Judged() == 0 {
					continue
				}
				if cells[t.name] == nil {
					cells[t.name] = make([]*tally, len(reports))
				}
				cells[t.name][i] = t
			}
		}
		tables[by] = cells
	}
	return templates.ExecuteTemplate(w, "trend.html", map[string]any{
		"Style": template.CSS(pageStyle), "Count": Number(len(reports), "report"), "Reports": reports, "Tables": tables,
	})
}
