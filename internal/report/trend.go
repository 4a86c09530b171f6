package report

import (
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed page/trend.html
var trendText string

var trendTemplate = template.Must(template.New("trend").Parse(trendText))

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
	return trendTemplate.Execute(w, map[string]any{"Style": template.CSS(pageStyle), "Count": Number(len(reports), "report"), "Reports": reports, "Tables": tables})
}
