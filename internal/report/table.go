package report

import (
	"fmt"
	"io"
	"slices"
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
	// longWord is the width from which a word may be broken as if it were several.
	longWord = 20
	// narrowest is the width below which no column is made narrower.
	narrowest = 8
)

// A column of the table has a title and says what it has of a row.
type column struct {
	title string
	cell  func(*Row) string
	// least is the width that the column keeps on a narrow terminal, and weight how much of the rest it gets beside others;
	// 0 is as wide as its widest cell.
	least, weight int
}

// Table prints a row a line under a line of titles, and in a last line how many runs there are. On a terminal, cells go
// on in further lines rather than be wider than it. Values of arguments are in no cell, except where the reason has them.
func Table(w io.Writer, rows []Row, o Options) error {
	columns := columnsFor(rows, o.Gate)
	t := table.NewWriter()
	t.SetStyle(style())
	t.AppendHeader(line(columns, func(c column) string { return c.title }))
	for i := range rows {
		t.AppendRow(line(columns, func(c column) string { return c.cell(&rows[i]) }))
	}
	t.SetColumnConfigs(configure(columns, fit(columns, rows, o.Width), o.Color))
	var b strings.Builder
	if len(rows) > 0 {
		for l := range strings.Lines(t.Render() + "\n") {
			b.WriteString(strings.TrimRight(l, " \n") + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(o.Gate.Summarize(rows).String() + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// style has neither lines nor borders, so that a table can be searched and cut.
func style() table.Style {
	s := table.StyleDefault
	s.Options = table.OptionsNoBordersAndSeparators
	s.Box.PaddingLeft, s.Box.PaddingRight = "", gap
	s.Format.Header = text.FormatDefault
	return s
}

func columnsFor(rows []Row, gate Gate) []column {
	where := placesOf(rows)
	columns := []column{
		{title: "RUN", cell: where.of, least: where.longestID(), weight: 1},
		{title: "AGENT", cell: func(r *Row) string { return cell(r.Agent) }, least: narrowest, weight: 1},
		{title: "EXPECTATION", cell: func(r *Row) string { return cell(r.Expectation) }, least: narrowest, weight: 1},
		{title: "METRIC", cell: func(r *Row) string { return cell(r.Metric) }, least: narrowest, weight: 1},
		{title: "EXPECTED", cell: func(r *Row) string { return names(r.Expected) }, least: narrowest, weight: 1},
		{title: "CALLED", cell: func(r *Row) string { return names(r.called()) }, least: narrowest, weight: 1},
		{title: "SCORE", cell: (*Row).score},
		{title: "PASSED", cell: func(r *Row) string { return marks[gate.outcomeOf(r)] }},
		{title: "REASON", cell: func(r *Row) string { return cell(r.Reason) }, least: narrowest, weight: 2},
	}
	if !severalMetrics(rows) {
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.title == "METRIC" })
	}
	return columns
}

// severalMetrics reports whether the name of a metric says anything.
func severalMetrics(rows []Row) bool {
	seen := map[string]bool{}
	for i := range rows {
		if rows[i].Metric != "" {
			seen[rows[i].Metric] = true
		}
	}
	return len(seen) > 1
}

func line(columns []column, cell func(column) string) table.Row {
	row := make(table.Row, len(columns))
	for i, c := range columns {
		row[i] = cell(c)
	}
	return row
}

// fit gives each column the width of its widest cell. Then it makes the widest columns narrower until the table is no wider
// than the terminal: first as long as words stay whole, then as long as anything can be narrower. A width of 0 is no
// terminal.
func fit(columns []column, rows []Row, width int) []int {
	widths, words := make([]int, len(columns)), make([]int, len(columns))
	excess := -len(gap) - width
	for i, c := range columns {
		widths[i] = len(c.title)
		for j := range rows {
			content := c.cell(&rows[j])
			widths[i] = max(widths[i], text.StringWidth(content))
			for word := range strings.FieldsSeq(content) {
				words[i] = max(words[i], min(text.StringWidth(word), longWord))
			}
		}
		excess += widths[i] + len(gap)
	}
	if width == 0 {
		return widths
	}
	excess = shrink(columns, widths, words, excess)
	shrink(columns, widths, make([]int, len(columns)), excess)
	return widths
}

// shrink takes the excess from the widest columns, as far as each keeps its floor. It returns what it could not take.
func shrink(columns []column, widths, floor []int, excess int) int {
	for ; excess > 0; excess-- {
		widest := -1
		for i, c := range columns {
			narrower := c.weight > 0 && widths[i] > max(floor[i], c.least, len(c.title))
			if narrower && (widest < 0 || widths[i]*columns[widest].weight > widths[widest]*c.weight) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return excess
}

func configure(columns []column, widths []int, color bool) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: i + 1, WidthMax: widths[i], WidthMaxEnforcer: text.WrapSoft, Align: text.AlignLeft}
		if color && c.title == "PASSED" {
			configs[i].Transformer = func(cell any) string { return colors[cell.(string)].Sprint(cell) }
		}
	}
	return configs
}

// colors are those of the words of the column PASSED.
var colors = map[string]text.Colors{"yes": {text.FgGreen}, "no": {text.FgRed, text.Bold}}

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
	return strconv.FormatFloat(*r.Score, 'f', 3, 64)
}

// marks say whether a row passed the gate.
var marks = map[outcome]string{noExpectation: "-", passed: "yes", notScored: "no", failed: "no"}

// cell keeps a cell from being empty, which would look like a fault of the table.
func cell(s string) string {
	if s = strings.TrimSpace(escape(s)); s == "" {
		return "-"
	}
	return s
}

func names(list []string) string {
	more := ""
	if n := len(list) - maxNames; n > 0 {
		list, more = list[:maxNames], fmt.Sprintf(", and %d more", n)
	}
	return cell(strings.Join(list, ", ") + more)
}
