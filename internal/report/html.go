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
	"maps"
	"slices"
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
func HTML(w io.Writer, rows []Row, o Options) error {
	data := pageDataOf(rows, o)
	hash := sha256.Sum256([]byte(pageScript))
	summary := o.Gate.Summarize(rows)
	return pageTemplate.Execute(w, map[string]any{
		"Style": template.CSS(pageStyle), "Script": template.JS(pageScript),
		"ScriptHash": template.HTMLAttr("sha256-" + base64.StdEncoding.EncodeToString(hash[:])),
		"Summary":    summary, "Judged": number(summary.Judged(), "judged run"), "Data": data, "Values": hasValues(rows),
		"Groups":    []pageGroup{groupBy("expectation", rows, o.Gate), groupBy("metric", rows, o.Gate), groupBy("agent", rows, o.Gate)},
		"Histogram": histogram(rows),
		"Selects":   []pageSelect{selectOf("expectation", "Expectation", rows), selectOf("agent", "Agent", rows), selectOf("metric", "Metric", rows)},
	})
}

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
		Start        float64    `json:"start"` // milliseconds since 1970
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
		Fate      string          `json:"fate"`
		Paths     []string        `json:"paths,omitempty"`
		Arguments json.RawMessage `json:"arguments,omitempty"`
		Output    json.RawMessage `json:"output,omitempty"`
	}
)

func pageDataOf(rows []Row, o Options) pageData {
	d := pageData{Runs: []pageRun{}, Rows: []pageRow{}}
	where := placesOf(rows)
	for run := range runs(rows) {
		d.Runs = append(d.Runs, pageRunOf(&run[0], where, o))
		for i := range run {
			r := &run[i]
			row := pageRow{
				ID: r.anchor(), Run: len(d.Runs) - 1, Expectation: escape(r.Expectation), Metric: escape(r.Metric), Status: r.Status,
				Outcome: outcomeNames[o.Gate.outcomeOf(r)], Score: r.Score, Threshold: r.Threshold, Reason: escape(r.Reason), Steps: []pageStep{},
			}
			for _, s := range r.Steps {
				step := pageStep{Tool: escape(s.Tool), Call: s.Call, Fate: s.Fate, Arguments: s.Arguments, Output: s.Output}
				for _, p := range s.Paths {
					step.Paths = append(step.Paths, escape(p))
				}
				row.Steps = append(row.Steps, step)
			}
			d.Rows = append(d.Rows, row)
		}
	}
	return d
}

func pageRunOf(r *Row, where places, o Options) pageRun {
	u := pageRun{
		Where: where.of(r), File: escape(r.File), Trace: r.TraceID, Span: r.SpanID, Agent: escape(r.Agent), Conversation: escape(r.Conversation),
		Complete: r.Complete, ClosedBy: r.ClosedBy, Start: milliseconds(r.Start), Milliseconds: between(r.Start, r.End), Calls: []pageCall{},
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

// anchor is what stands behind the # of a link to a row. Rows of runs without a span, of which a trace may have several, have
// their number.
func (r *Row) anchor() string {
	id := r.SpanID
	if id == "" {
		id = fmt.Sprint("run", r.Run)
	}
	hash := sha256.Sum256([]byte(r.Metric)) // a metric's name may be anything
	return fmt.Sprintf("r-%s-%s-%x", r.TraceID, id, hash[:3])
}

var outcomeNames = map[outcome]string{noExpectation: "no expectation", passed: "passed", notScored: "not scored", failed: "failed"}

func milliseconds(nanoseconds uint64) float64 { return float64(nanoseconds/1000) / 1000 }

func between(start, end uint64) float64 {
	if end < start {
		return 0
	}
	return milliseconds(end - start)
}

func hasValues(rows []Row) bool {
	return slices.ContainsFunc(rows, func(r Row) bool {
		return slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Arguments != nil || c.Output != nil })
	})
}

// A pageGroup says how runs did by one of their properties.
type pageGroup struct {
	By   string
	Rows []pageShare
	More int
}

// A pageShare is one line of a summary. Percent is of those that were judged.
type pageShare struct {
	Name         string
	Runs, Passed int
	Percent      int
}

// maxShares is how many lines a summary has. Names of agents are no fixed set.
const maxShares = 30

// values of rows that they are grouped and filtered by.
var pageKeys = map[string]func(*Row) string{
	"expectation": func(r *Row) string { return r.Expectation },
	"metric":      func(r *Row) string { return r.Metric },
	"agent":       func(r *Row) string { return r.Agent },
}

func groupBy(by string, rows []Row, gate Gate) pageGroup {
	of := map[string][]Row{}
	for i := range rows {
		if rows[i].Status != NoExpectation {
			name := cell(pageKeys[by](&rows[i]))
			of[name] = append(of[name], rows[i])
		}
	}
	g := pageGroup{By: by}
	for name, rows := range of {
		s := gate.Summarize(rows)
		g.Rows = append(g.Rows, pageShare{name, s.Runs, s.Passed, percent(s.Passed, s.Judged())})
	}
	slices.SortFunc(g.Rows, func(a, b pageShare) int {
		return cmp.Or(cmp.Compare(a.Percent, b.Percent), cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Name, b.Name))
	})
	if g.More = len(g.Rows) - maxShares; g.More > 0 {
		g.Rows = g.Rows[:maxShares]
	}
	g.More = max(0, g.More)
	return g
}

// percent is rounded down, so that only all are 100.
func percent(part, of int) int {
	if of == 0 {
		return 0
	}
	return 100 * part / of
}

// histogram counts scores in tenths; 1 is a line of its own.
func histogram(rows []Row) []pageShare {
	shares := make([]pageShare, 11)
	total := 0
	for i := range shares {
		shares[i].Name = fmt.Sprintf("%.1f", float64(i)/10)
	}
	for i := range rows {
		if rows[i].Score != nil {
			shares[min(10, max(0, int(*rows[i].Score*10)))].Runs++
			total++
		}
	}
	for i := range shares {
		shares[i].Percent = percent(shares[i].Runs, total)
	}
	return shares
}

// A pageSelect is a filter.
type pageSelect struct {
	ID, Label string
	Options   []string
}

func selectOf(key, label string, rows []Row) pageSelect {
	seen := map[string]bool{}
	for i := range rows {
		if name := escape(pageKeys[key](&rows[i])); name != "" {
			seen[name] = true
		}
	}
	options := slices.Sorted(maps.Keys(seen))
	return pageSelect{"f-" + key, label, options[:min(len(options), 500)]}
}
