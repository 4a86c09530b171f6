package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
	"time"
)

//go:embed page/trend.html
var trendText string

var trendTemplate = template.Must(template.New("trend").Parse(trendText))

// A Dated report has the verdicts of one time.
type Dated struct {
	Time time.Time
	Name string // as the user knows the report
	Rows []Row
}

// Date sets the time of a report to that of its last run, or to the given one if no run has a time.
func (d *Dated) Date(otherwise time.Time) {
	for i := range d.Rows {
		if t, err := time.Parse(time.RFC3339, d.Rows[i].Started); err == nil && t.After(d.Time) {
			d.Time = t
		}
	}
	if d.Time.IsZero() {
		d.Time = otherwise
	}
}

// The data of the page.
type (
	trendTable struct {
		By    string
		Lines []*trendLine
	}
	trendLine struct {
		Name  string
		Cells []trendCell // one for each report
	}
	trendCell struct {
		Judged, Passed, Percent int
		Flaky                   bool
	}
)

// Points are those of a line through the pass rates, in a box of 100 by 24.
func (l *trendLine) Points() string {
	var points []string
	for i, c := range l.Cells {
		if c.Judged > 0 {
			points = append(points, fmt.Sprintf("%d,%d", 3+94*i/max(1, len(l.Cells)-1), 22-c.Percent/5))
		}
	}
	if len(points) == 1 {
		points = append(points, points[0]) // a dot
	}
	return strings.Join(points, " ")
}

// Trend prints a page of pass rates over several reports, by case and by expectation. Like the page of [HTML] it needs nothing else;
// it has no script.
func Trend(w io.Writer, reports []Dated, gate Gate) error {
	slices.SortStableFunc(reports, func(a, b Dated) int { return cmp.Or(a.Time.Compare(b.Time), strings.Compare(a.Name, b.Name)) })
	tables := []trendTable{{By: "case"}, {By: "expectation"}}
	for at, name := range []func(*Row) string{caseName, expectationName} {
		lines := map[string]*trendLine{}
		for i := range reports {
			rows := slices.DeleteFunc(slices.Clone(reports[i].Rows), func(r Row) bool { return r.Status == NoExpectation })
			for _, t := range gate.tallies(rows, name) {
				if lines[t.name] == nil {
					lines[t.name] = &trendLine{t.name, make([]trendCell, len(reports))}
					tables[at].Lines = append(tables[at].Lines, lines[t.name])
				}
				lines[t.name].Cells[i] = trendCell{t.Judged(), t.Passed, percent(t.Passed, t.Judged()), t.flaky()}
			}
		}
		slices.SortFunc(tables[at].Lines, func(a, b *trendLine) int { return strings.Compare(a.Name, b.Name) })
	}
	return trendTemplate.Execute(w, map[string]any{"Style": template.CSS(pageStyle), "Count": Number(len(reports), "report"), "Reports": reports, "Tables": tables})
}
