package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page/page.html
var pageText string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

//go:embed page/live.js
var liveScript string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// HTML prints a page that needs nothing else: no network, no other file. It has a summary, a table to sort, filter and search,
// and for each run what was expected beside what was called. All that spans say is text in it, never mark-up; its policy lets no
// script run but its own.
//
// The summary is of all rows. The table has at most [maxPageRows] of them, those that did not pass before others.
func HTML(w io.Writer, rows []Row, o Options) error {
	data, all := pageDataOf(rows, o), o.Gate.Summarize(rows)
	compared := ""
	if o.Compared != nil {
		compared = o.Compared.String()
	}
	expectations := o.Gate.tallies(rows, func(r *Row) string { return escape(r.Expectation) })
	cases := groupOf("case", nil)
	if all := o.Gate.cases(rows); len(all) > 0 {
		k := o.Gate.k(all)
		cases = groupOf("case", all)
		cases.K, cases.Flaky = k, flaky(all)
	}
	metrics := o.Gate.tallies(rows, func(r *Row) string { return escape(r.Metric) })
	agents := o.Gate.tallies(rows, func(r *Row) string { return escape(r.Agent) })
	return pageTemplate.Execute(w, map[string]any{
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript),
		"ScriptHash": hashOf(pageScript), "Live": o.Live, "LiveScript": template.JS(liveScript), "LiveHash": hashOf(liveScript),
		"Summary": all, "Judged": Number(all.Judged(), "judged run"), "Data": data, "Values": haveValues(rows),
		"Groups":    []pageGroup{groupOf("expectation", expectations), groupOf("metric", metrics), groupOf("agent", agents), cases},
		"Selects":   []pageSelect{selectOf("Expectation", expectations), selectOf("Agent", agents), selectOf("Metric", metrics)},
		"Histogram": histogram(rows), "Left": len(rows) - len(data.Rows), "Compared": compared,
	})
}

// hashOf is how the page's policy names a script that may run.
func hashOf(script string) template.HTMLAttr {
	hash := sha256.Sum256([]byte(script))
	return template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(hash[:]))
}

// haveValues reports whether rows have values of arguments or outputs.
func haveValues(rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool {
		return slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Arguments != nil || c.Output != nil })
	})
}

// A pageGroup says how runs did by one of their properties.
type pageGroup struct {
	By   string
	Rows []pageShare
	More int
	// K is the k of pass^k and pass@k; 0: the group has neither.
	K     int
	Flaky string
}

// A pageShare is one line of a summary. Percent is the share of the judged runs that passed.
type pageShare struct {
	Name         string
	Runs, Passed int
	Percent      int
	tally        *tally
}

// PassAll and PassAny are pass^k and pass@k as they are shown.
func (s pageShare) PassAll(k int) string { return estimate(s.tally.passAll(k)) }
func (s pageShare) PassAny(k int) string { return estimate(s.tally.passAny(k)) }

// maxShares is how many lines a summary has.
const maxShares = 30

// groupOf is the summary by one property, the lowest pass rate first.
func groupOf(by string, tallies []*tally) pageGroup {
	g := pageGroup{By: by}
	for _, t := range tallies {
		if judged := t.Judged(); judged > 0 {
			g.Rows = append(g.Rows, pageShare{cell(t.name), judged, t.Passed, percent(t.Passed, judged), t})
		}
	}
	slices.SortFunc(g.Rows, func(a, b pageShare) int {
		return cmp.Or(cmp.Compare(a.Percent, b.Percent), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	if g.More = max(0, len(g.Rows)-maxShares); g.More > 0 {
		g.Rows = g.Rows[:maxShares]
	}
	return g
}

// percent is rounded down, so that only all are 100.
func percent(part, of int) int {
	if of == 0 {
		return 0
	}
	return 100 * part / of
}

// histogram counts scores in tenths; 1 has a line of its own.
func histogram(rows []Row) []pageShare {
	shares, total := make([]pageShare, 11), 0
	for i := range rows {
		if score := rows[i].Score; score != nil {
			shares[min(10, max(0, int(*score*10)))].Runs++
			total++
		}
	}
	for i := range shares {
		shares[i].Name, shares[i].Percent = fmt.Sprintf("%.1f", float64(i)/10), percent(shares[i].Runs, total)
	}
	return shares
}

// A pageSelect is a filter.
type pageSelect struct {
	ID, Label string
	Options   []string
}

// maxOptions is how many values a filter lists. The search finds others.
const maxOptions = 500

func selectOf(label string, tallies []*tally) pageSelect {
	s := pageSelect{ID: "f-" + strings.ToLower(label), Label: label}
	for _, t := range tallies {
		if t.name != "" {
			s.Options = append(s.Options, t.name)
		}
	}
	slices.Sort(s.Options)
	s.Options = s.Options[:min(len(s.Options), maxOptions)]
	return s
}

// maxPageRows is how many verdicts a page has. A browser gets slow with more.
const maxPageRows = 20_000

// The data of the page's script.
type (
	pageData struct {
		Runs []pageRun `json:"runs"`
		Rows []pageRow `json:"rows"`
	}
	pageRun struct {
		Where        string     `json:"where"`
		File         string     `json:"file"`
		Trace        string     `json:"trace"`
		Span         string     `json:"span"`
		URL          string     `json:"url,omitempty"`
		Agent        string     `json:"agent"`
		Conversation string     `json:"conversation"`
		Complete     bool       `json:"complete"`
		ClosedBy     string     `json:"closedBy"`
		Because      []string   `json:"because,omitempty"` // why the run is not complete
		Start        float64    `json:"start"`             // milliseconds since 1970
		Milliseconds float64    `json:"ms"`
		Calls        []pageCall `json:"calls"`
		Rejected     []string   `json:"rejected,omitempty"`
	}
	pageCall struct {
		Name         string          `json:"name"`
		Status       string          `json:"status"`
		Start        float64         `json:"start"`
		Milliseconds float64         `json:"ms"`
		Arguments    json.RawMessage `json:"arguments,omitempty"`
		Output       json.RawMessage `json:"output,omitempty"`
	}
	pageRow struct {
		ID          string     `json:"id"`
		Run         int        `json:"run"`
		Expectation string     `json:"expectation"`
		Case        string     `json:"case,omitempty"`
		Metric      string     `json:"metric"`
		Status      string     `json:"status"`
		Outcome     string     `json:"outcome"`
		Score       *float64   `json:"score"`
		Threshold   float64    `json:"threshold"`
		Reason      string     `json:"reason"`
		Steps       []pageStep `json:"steps"`
	}
	pageStep struct {
		Tool      string          `json:"tool"`
		Call      int             `json:"call"`
		Class     string          `json:"fate"`
		Paths     []string        `json:"paths,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		Output    json.RawMessage `json:"output,omitempty"`
	}
)

func pageDataOf(rows []Row, o Options) *pageData {
	d := &pageData{Runs: []pageRun{}, Rows: []pageRow{}}
	bad := 0
	for run := range runs(rows) {
		if o.Gate.outcome(run) > known {
			bad += len(run)
		}
	}
	where, roomBad, roomGood := placesOf(rows), maxPageRows, max(0, maxPageRows-bad)
	for run := range runs(rows) {
		room := &roomGood
		if o.Gate.outcome(run) > known {
			room = &roomBad
		}
		if *room -= len(run); *room >= 0 {
			d.add(run, where, o)
		}
	}
	return d
}

// add takes the rows of a run.
func (d *pageData) add(run []Row, where places, o Options) {
	d.Runs = append(d.Runs, pageRunOf(&run[0], where, o))
	for i := range run {
		r := &run[i]
		row := pageRow{
			ID: r.anchor(), Run: len(d.Runs) - 1, Expectation: escape(r.Expectation), Case: escape(r.Case), Metric: escape(r.Metric), Status: r.Status,
			Outcome: o.Gate.outcomeOf(r).String(), Score: r.Score, Threshold: r.Threshold, Reason: escape(r.Reason), Steps: []pageStep{},
		}
		for _, s := range r.Steps {
			step := pageStep{Tool: escape(s.Tool), Call: s.Call, Class: s.Class, Arguments: s.Arguments, Output: s.Output}
			for _, p := range s.Paths {
				step.Paths = append(step.Paths, escape(p))
			}
			row.Steps = append(row.Steps, step)
		}
		d.Rows = append(d.Rows, row)
	}
}

func pageRunOf(r *Row, where places, o Options) pageRun {
	u := pageRun{
		Where: where.of(r), File: escape(r.File), Trace: r.TraceID, Span: r.SpanID, Agent: escape(r.Agent), Conversation: escape(r.Conversation),
		Complete: r.Complete, ClosedBy: r.ClosedBy, Because: r.IncompleteBecause, Start: milliseconds(r.Start), Milliseconds: milliseconds(since(r.Start, r.End)), Calls: []pageCall{},
	}
	for _, name := range r.Rejected {
		u.Rejected = append(u.Rejected, escape(name))
	}
	if o.TraceURL != "" {
		u.URL = strings.NewReplacer("{trace}", r.TraceID, "{span}", r.SpanID).Replace(o.TraceURL)
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		u.Calls = append(u.Calls, pageCall{escape(c.Name), c.Status, milliseconds(c.Start), milliseconds(since(c.Start, c.End)), c.Arguments, c.Output})
	}
	return u
}

// anchor is the part of a link to a row behind the #. Rows of runs without a span, which a trace may have several of, have
// their number.
func (r *Row) anchor() string {
	id := r.SpanID
	if id == "" {
		id = fmt.Sprint("run", r.Run)
	}
	hash := sha256.Sum256([]byte(r.Metric)) // a metric's name may be any text
	return fmt.Sprintf("r-%s-%s-%x", r.TraceID, id, hash[:3])
}

func milliseconds(nanoseconds uint64) float64 { return float64(nanoseconds/1000) / 1000 }
