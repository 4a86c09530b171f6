package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page/page.html
var pageText string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// HTML prints a page that needs nothing else: no network, no other file. It has a summary, a table to sort, filter and search,
// and for each run what was expected beside what was called. All that spans say is text in it, never mark-up; its policy lets no
// script run but its own.
//
// The summary is of all rows. The table has at most [maxPageRows] of them, those that did not pass before others.
func HTML(w io.Writer, rows Rows, o Options) error {
	data, err := pageDataOf(rows, o)
	if err != nil {
		return err
	}
	sums, err := pageSumsOf(rows, o.Gate)
	if err != nil {
		return err
	}
	hash := sha256.Sum256([]byte(pageScript))
	compared := ""
	if o.Compared != nil {
		compared = o.Compared.String()
	}
	return pageTemplate.Execute(w, map[string]any{
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript),
		"ScriptHash": template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(hash[:])),
		"Summary":    sums.all, "Judged": number(sums.all.Judged(), "judged run"), "Data": data, "Values": sums.values,
		"Groups":    []pageGroup{sums.group("expectation"), sums.group("metric"), sums.group("agent")},
		"Histogram": sums.histogram(),
		"Selects":   []pageSelect{sums.choice("expectation", "Expectation"), sums.choice("agent", "Agent"), sums.choice("metric", "Metric")},
		"Left":      sums.rows - len(data.Rows), "Compared": compared,
	})
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

func pageDataOf(rows Rows, o Options) (*pageData, error) {
	d := &pageData{Runs: []pageRun{}, Rows: []pageRow{}}
	where, err := placesOf(rows)
	if err != nil {
		return nil, err
	}
	bad := 0
	err = rows.Each(func(run []Row) error {
		if o.Gate.outcome(run) > known {
			bad += len(run)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	roomBad := maxPageRows
	roomGood := max(0, maxPageRows-bad)
	return d, rows.Each(func(run []Row) error {
		room := &roomGood
		if o.Gate.outcome(run) > known {
			room = &roomBad
		}
		if *room -= len(run); *room >= 0 {
			d.add(run, where, o)
		}
		return nil
	})
}

// add takes the rows of a run.
func (d *pageData) add(run []Row, where places, o Options) {
	d.Runs = append(d.Runs, pageRunOf(&run[0], where, o))
	for i := range run {
		r := &run[i]
		row := pageRow{
			ID: r.anchor(), Run: len(d.Runs) - 1, Expectation: escape(r.Expectation), Metric: escape(r.Metric), Status: r.Status,
			Outcome: outcomeNames[o.Gate.outcomeOf(r)], Score: r.Score, Threshold: r.Threshold, Reason: escape(r.Reason), Steps: []pageStep{},
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
		Complete: r.Complete, ClosedBy: r.ClosedBy, Because: r.IncompleteBecause, Start: milliseconds(r.Start), Milliseconds: between(r.Start, r.End), Calls: []pageCall{},
	}
	if o.TraceURL != "" {
		u.URL = strings.NewReplacer("{trace}", r.TraceID, "{span}", r.SpanID).Replace(o.TraceURL)
	}
	for i := range r.Calls {
		c := &r.Calls[i]
		u.Calls = append(u.Calls, pageCall{escape(c.Name), c.Status, milliseconds(c.Start), between(c.Start, c.End), c.Arguments, c.Output})
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

var outcomeNames = map[outcome]string{noExpectation: "no expectation", passed: "passed", known: "as before", notScored: "not scored", failed: "failed"}

func milliseconds(nanoseconds uint64) float64 { return float64(nanoseconds/1000) / 1000 }

func between(start, end uint64) float64 {
	if end < start {
		return 0
	}
	return milliseconds(end - start)
}
