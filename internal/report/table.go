package report

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	// maxNames is how many names of tools a cell has. A run of thousands of calls would make each line as long.
	maxNames = 20
	// gap parts two columns.
	gap = "  "
	// narrowest is the width below which no column is made narrower.
	narrowest = 8
	// wide is the width of a terminal that has room for what was expected. On others, the reason has what is missing.
	wide = 120
)

// Table prints a row a line under a line of titles, then the counts, and in the last line how many runs there are. On a terminal, cells
// continue in further lines and are never wider than it. Values of arguments are in no cell, except where the reason has them.
func Table(w io.Writer, rows []Row, o Options) error {
	sum := o.Gate.Summarize(rows)
	last := sum.String()
	if sum.Judged() == 0 && sum.Runs > 0 {
		last = Number(sum.Runs, "run")
	}
	b := bufio.NewWriter(w) // Flush returns the first error
	for i, g := range append([]grid{gridOf(rows, o.Gate, o.Width)}, o.Gate.counts(rows)...) {
		if len(g.Lines) > 1 || i != 1 && len(g.Lines) > 0 { // a single expectation has the counts of the last line
			g.draw(b, o.Width)
			fmt.Fprintln(b)
		}
	}
	fmt.Fprintln(b, last)
	return b.Flush()
}

// A grid is a table of texts and numbers, with a title for each column.
type grid struct {
	Titles table.Row
	Lines  []table.Row
}

// counts are tables of how runs did, by expectation and by case, of those that have lines.
func (g Gate) counts(rows []Row) (grids []grid) {
	if g.Summarize(rows).Judged() > 0 {
		grids = append(grids, g.byExpectation(rows))
	}
	if cases := g.cases(rows); len(cases) > 0 {
		grids = append(grids, g.byCase(cases))
	}
	return grids
}

// A decimal is a number as tables show it.
type decimal float64

func (d decimal) String() string { return strconv.FormatFloat(float64(d), 'f', 3, 64) }

// MarshalText is for the page.
func (d decimal) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// gridOf has a line for each row, in the columns that say something and that a terminal has room for.
func gridOf(rows []Row, gate Gate, width int) (g grid) {
	judged, cases, metrics := false, false, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		judged, cases = judged || r.Status != NoExpectation, cases || r.Case != ""
		if r.Metric != "" {
			metrics[r.Metric] = true
		}
	}
	g.Lines = make([]table.Row, len(rows))
	for _, c := range []struct {
		title string
		shown bool
		cell  func(*Row) any
	}{
		{"RUN", true, func(r *Row) any { return r.where() }},
		{"AGENT", true, func(r *Row) any { return cell(r.Agent) }},
		{"EXPECTATION", judged, func(r *Row) any { return cell(r.Expectation) }},
		{"CASE", cases, func(r *Row) any { return cell(r.Case) }},
		{"METRIC", len(metrics) > 1, func(r *Row) any { return cell(r.Metric) }},
		{"EXPECTED", judged && (width == 0 || width >= wide), func(r *Row) any { return names(r.Expected) }},
		{"CALLED", true, func(r *Row) any { return names(r.called()) }},
		{"SCORE", judged, func(r *Row) any {
			if r.Score == nil {
				return r.Status
			}
			return decimal(*r.Score)
		}},
		{"PASSED", judged, func(r *Row) any { return marks[gate.outcomeOf(r)] }},
		{"REASON", judged, func(r *Row) any { return cell(r.Reason) }},
	} {
		if c.shown {
			g.Titles = append(g.Titles, c.title)
			for i := range rows {
				g.Lines[i] = append(g.Lines[i], c.cell(&rows[i]))
			}
		}
	}
	return g
}

// byExpectation counts runs by expectation.
func (g Gate) byExpectation(rows []Row) grid {
	all := grid{Titles: table.Row{"EXPECTATION", "RUNS", "PASSED", "FAILED", "NOT SCORED", "MEAN SCORE"}}
	for _, t := range g.tallies(rows, expectationName) {
		all.Lines = append(all.Lines, table.Row{t.name, t.Runs, t.Passed, t.Failed, t.NotScored, t.mean()})
	}
	return all
}

// widths are those of the columns: of the widest cell or, on a terminal that is too narrow for that, less, the widest first. The last
// column may be twice as wide as others, because it has sentences or lists. A terminal of 0 is none.
func (g grid) widths(terminal int) []int {
	widths, least := make([]int, len(g.Titles)), make([]int, len(g.Titles))
	last, excess := len(g.Titles)-1, -len(gap)-terminal
	for i, title := range g.Titles {
		widths[i], least[i] = len(title.(string)), max(len(title.(string)), narrowest)
		for _, line := range g.Lines {
			widths[i] = max(widths[i], text.StringWidth(fmt.Sprint(line[i])))
		}
		excess += widths[i] + len(gap)
	}
	for ; terminal > 0 && excess > 0; excess-- {
		widest, weight := -1, 0
		for i, width := range widths {
			if i < last {
				width *= 2
			}
			if widths[i] > least[i] && width > weight {
				widest, weight = i, width
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}

// draw writes the titles and the lines. It has neither lines nor borders, so that a table can be searched and cut.
func (g grid) draw(w io.Writer, width int) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SuppressTrailingSpaces()
	style := table.StyleDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", gap
	style.Options = table.OptionsNoBordersAndSeparators
	t.SetStyle(style)
	columns := make([]table.ColumnConfig, len(g.Titles))
	for i, width := range g.widths(width) {
		columns[i] = table.ColumnConfig{Number: i + 1, WidthMax: width, WidthMaxEnforcer: text.WrapSoft}
	}
	t.SetColumnConfigs(columns)
	t.AppendHeader(g.Titles)
	t.AppendRows(g.Lines)
	t.Render()
}

func (r *Row) called() []string {
	called := make([]string, len(r.Calls))
	for i := range r.Calls {
		called[i] = r.Calls[i].Name
	}
	return called
}

func (r *Row) score() string {
	if r.Score == nil {
		return r.Status
	}
	return decimal(*r.Score).String()
}

// marks say whether a row passed the gate.
var marks = map[outcome]string{noExpectation: "-", passed: "yes", known: "as before", notScored: "no", failed: "no"}

// cell keeps a cell from being empty, which would look like a fault of the table.
func cell(s string) string {
	if s = strings.TrimSpace(escape(s)); s == "" {
		return "-"
	}
	return s
}

func names(list []string) string { return cell(Few(list, maxNames, ", ")) }
