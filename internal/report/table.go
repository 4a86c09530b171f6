package report

import (
	"errors"
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
	// least is the width that the column keeps on a narrow terminal, and weight its share of the rest. With weight 0 it is as
	// wide as its widest cell.
	least, weight int
	// spare is a column that a narrow terminal does without, so that words stay whole in the others.
	spare bool
}

// partRows is how many rows are drawn at a time.
const partRows = 1000

// Table prints a row a line under a line of titles, then counts by expectation, and in the last line how many runs there are. On
// a terminal, cells continue in further lines and are never wider than it. Values of arguments are in no cell, except where the
// reason has them.
func Table(w io.Writer, rows Rows, o Options) error {
	columns, err := columnsFor(rows, o.Gate)
	if err != nil {
		return err
	}
	columns, widths, err := fit(columns, rows, o.Width)
	if err != nil {
		return err
	}
	configs := configure(columns, widths, o)
	part := table.NewWriter()
	drawn := 0
	flush := func() error {
		if part.Length() == 0 {
			return nil
		}
		part.SetStyle(style())
		part.SetColumnConfigs(configs)
		if drawn == 0 {
			part.AppendHeader(line(columns, func(c column) string { return c.title }))
		}
		drawn += part.Length()
		text := part.Render()
		part = table.NewWriter()
		return writeLines(w, text)
	}
	err = rows.Each(func(run []Row) error {
		for i := range run {
			part.AppendRow(line(columns, func(c column) string { return c.cell(&run[i]) }))
		}
		if part.Length() < partRows {
			return nil
		}
		return flush()
	})
	if err := errors.Join(err, flush()); err != nil {
		return err
	}
	return sums(w, rows, o, drawn > 0)
}

// writeLines writes a drawn table without the spaces at the ends of its lines.
func writeLines(w io.Writer, text string) error {
	var b strings.Builder
	for l := range strings.Lines(text + "\n") {
		b.WriteString(strings.TrimRight(l, " \n") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// sums prints the counts: by expectation if there are several, and then of all.
func sums(w io.Writer, rows Rows, o Options, below bool) error {
	all, err := o.Gate.tallies(rows)
	if err != nil {
		return err
	}
	var b strings.Builder
	if below {
		b.WriteString("\n")
	}
	if len(all) > 1 {
		t := table.NewWriter()
		t.SetStyle(style())
		t.AppendHeader(table.Row{"EXPECTATION", "RUNS", "PASSED", "FAILED", "NOT SCORED", "MEAN SCORE"})
		for _, x := range all {
			t.AppendRow(table.Row{x.name, x.Runs, x.Passed, x.Failed, x.NotScored, x.mean()})
		}
		configs := []table.ColumnConfig{{Number: 1, WidthMaxEnforcer: text.WrapSoft}}
		if o.Width > 0 {
			configs[0].WidthMax = max(narrowest, o.Width-len("  RUNS  PASSED  FAILED  NOT SCORED  MEAN SCORE"))
		}
		for number := 2; number <= 6; number++ {
			configs = append(configs, table.ColumnConfig{Number: number, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
		t.SetColumnConfigs(configs)
		if err := writeLines(&b, t.Render()); err != nil {
			return err
		}
		b.WriteString("\n")
	}
	s, err := o.Gate.Summarize(rows)
	if err != nil {
		return err
	}
	b.WriteString(s.String() + "\n")
	if o.Compared != nil {
		b.WriteString(o.Compared.String() + "\n")
	}
	_, err = io.WriteString(w, b.String())
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

func columnsFor(rows Rows, gate Gate) ([]column, error) {
	where, err := placesOf(rows)
	if err != nil {
		return nil, err
	}
	columns := []column{
		{title: "RUN", cell: where.of, least: where.longestID(), weight: 1},
		{title: "AGENT", cell: func(r *Row) string { return cell(r.Agent) }, least: narrowest, weight: 1},
		{title: "EXPECTATION", cell: func(r *Row) string { return cell(r.Expectation) }, least: narrowest, weight: 1},
		{title: "METRIC", cell: func(r *Row) string { return cell(r.Metric) }, least: narrowest, weight: 1},
		{title: "EXPECTED", cell: func(r *Row) string { return names(r.Expected) }, least: narrowest, weight: 1, spare: true}, // the reason has what is missing
		{title: "CALLED", cell: func(r *Row) string { return names(r.called()) }, least: narrowest, weight: 1},
		{title: "SCORE", cell: (*Row).score},
		{title: "PASSED", cell: func(r *Row) string { return marks[gate.outcomeOf(r)] }},
		{title: "REASON", cell: func(r *Row) string { return cell(r.Reason) }, least: narrowest, weight: 2},
	}
	seen := map[string]bool{} // the name of the only metric says nothing
	err = each(rows, func(r *Row) { seen[r.Metric] = seen[r.Metric] || r.Metric != "" })
	if delete(seen, ""); len(seen) < 2 {
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.title == "METRIC" })
	}
	return columns, err
}

func line(columns []column, cell func(column) string) table.Row {
	row := make(table.Row, len(columns))
	for i, c := range columns {
		row[i] = cell(c)
	}
	return row
}

// fit gives each column the width of its widest cell. Then it narrows the widest columns until the table fits the terminal:
// first without breaking words, then without spare columns, then as far as possible. A width of 0 is no terminal.
func fit(columns []column, rows Rows, width int) ([]column, []int, error) {
	widths, words := make([]int, len(columns)), make([]int, len(columns))
	for i, c := range columns {
		widths[i] = len(c.title)
	}
	err := each(rows, func(r *Row) {
		for i, c := range columns {
			content := c.cell(r)
			widths[i] = max(widths[i], text.StringWidth(content))
			for word := range strings.FieldsSeq(content) {
				words[i] = max(words[i], min(text.StringWidth(word), longWord))
			}
		}
	})
	if err != nil || width == 0 {
		return columns, widths, err
	}
	shrunk := slices.Clone(widths)
	if shrink(columns, shrunk, words, excess(widths, width)) > 0 {
		var kept []column
		var keptWidths, keptWords []int
		for i, c := range columns {
			if !c.spare {
				kept, keptWidths, keptWords = append(kept, c), append(keptWidths, widths[i]), append(keptWords, words[i])
			}
		}
		columns, shrunk = kept, keptWidths
		shrink(columns, shrunk, keptWords, excess(shrunk, width))
	}
	shrink(columns, shrunk, make([]int, len(columns)), excess(shrunk, width))
	return columns, shrunk, nil
}

// excess is by how much columns of these widths are wider than the terminal.
func excess(widths []int, width int) int {
	sum := -len(gap) - width
	for _, w := range widths {
		sum += w + len(gap)
	}
	return sum
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

// configure has the columns' widths, so that all parts of a table are alike.
func configure(columns []column, widths []int, o Options) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, len(columns))
	for i, c := range columns {
		configs[i] = table.ColumnConfig{Number: i + 1, WidthMin: widths[i], WidthMax: widths[i], WidthMaxEnforcer: text.WrapSoft, Align: text.AlignLeft}
		if o.Color && c.title == "PASSED" {
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
var marks = map[outcome]string{noExpectation: "-", passed: "yes", known: "as before", notScored: "no", failed: "no"}

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
