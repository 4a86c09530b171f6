package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

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

// A column of a table has a title and says what it has of a line.
type column[T any] struct {
	title string
	cell  func(T) string
	// least is the width that the column keeps on a narrow terminal, and weight its share of the rest. With weight 0 it is as
	// wide as its widest cell.
	least, weight int
	// spare is a column that a narrow terminal does without, so that words stay whole in the others.
	spare bool
	align text.Align
	// width is what the column has in the end, and word that of its longest word.
	width, word int
}

// Table prints a row a line under a line of titles, then counts by expectation (or by agent, if nothing was expected of any run), and in the last line how many runs there are. On
// a terminal, cells continue in further lines and are never wider than it. Values of arguments are in no cell, except where the
// reason has them.
func Table(w io.Writer, rows []Row, o Options) error {
	lines := make([]*Row, len(rows))
	for i := range rows {
		lines[i] = &rows[i]
	}
	color := map[string]text.Colors{}
	if o.Color {
		color = map[string]text.Colors{"yes": {text.FgGreen}, "no": {text.FgRed, text.Bold}}
	}
	if len(rows) > 0 {
		if err := draw(w, fit(columnsFor(rows, o.Gate), lines, o.Width), lines, color); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	if all := agentsOf(rows); len(all) > 0 {
		if err := draw(w, fit(agentColumns, all, o.Width), all, nil); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s\n", Number(o.Gate.Summarize(rows).Runs, "run"))
		return err
	}
	if all := o.Gate.tallies(rows, expectationName); len(all) > 1 {
		if err := draw(w, fit(sumColumns, all, o.Width), all, nil); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	cases := o.Gate.cases(rows)
	if len(cases) > 0 {
		if err := draw(w, fit(caseColumns(o.Gate.k(cases)), cases, o.Width), cases, nil); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	last := o.Gate.Summarize(rows).String() + "\n"
	if list := flaky(cases); list != "" {
		last += list + "\n"
	}
	if o.Compared != nil {
		last += o.Compared.String() + "\n"
	}
	_, err := io.WriteString(w, last)
	return err
}

// An agentTally counts the runs of an agent, and what they called.
type agentTally struct {
	name        string
	runs, calls int
	tools       map[string]int
}

// agentsOf counts runs by agent, the most frequent first. It is nil if something was expected of a run.
func agentsOf(rows []Row) (all []*agentTally) {
	of := map[string]*agentTally{}
	for i := range rows {
		r := &rows[i]
		if r.Status != NoExpectation {
			return nil
		}
		a := of[r.Agent]
		if a == nil {
			a = &agentTally{name: r.Agent, tools: map[string]int{}}
			of[r.Agent], all = a, append(all, a)
		}
		a.runs++
		a.calls += len(r.Calls)
		for j := range r.Calls {
			a.tools[r.Calls[j].Name]++
		}
	}
	slices.SortStableFunc(all, func(a, b *agentTally) int { return cmp.Compare(b.runs, a.runs) })
	return all
}

// byCalls are the tools that runs of the agent called, those with the most calls first.
func (a *agentTally) byCalls() (tools []string) {
	for _, tool := range slices.SortedFunc(maps.Keys(a.tools), func(x, y string) int {
		return cmp.Or(cmp.Compare(a.tools[y], a.tools[x]), cmp.Compare(x, y))
	}) {
		tools = append(tools, fmt.Sprintf("%s (%d)", tool, a.tools[tool]))
	}
	return tools
}

// agentColumns are those of the counts by agent.
var agentColumns = []column[*agentTally]{
	{title: "AGENT", cell: func(a *agentTally) string { return cell(a.name) }, least: narrowest, weight: 1},
	{title: "RUNS", cell: func(a *agentTally) string { return strconv.Itoa(a.runs) }, align: text.AlignRight},
	{title: "CALLS", cell: func(a *agentTally) string { return strconv.Itoa(a.calls) }, align: text.AlignRight},
	{title: "TOOLS", cell: func(a *agentTally) string { return names(a.byCalls()) }, least: narrowest, weight: 2},
}

// sumColumns are those of the counts by expectation.
var sumColumns = []column[*tally]{
	{title: "EXPECTATION", cell: func(t *tally) string { return t.name }, least: narrowest, weight: 1},
	{title: "RUNS", cell: func(t *tally) string { return strconv.Itoa(t.Runs) }, align: text.AlignRight},
	{title: "PASSED", cell: func(t *tally) string { return strconv.Itoa(t.Passed) }, align: text.AlignRight},
	{title: "FAILED", cell: func(t *tally) string { return strconv.Itoa(t.Failed) }, align: text.AlignRight},
	{title: "NOT SCORED", cell: func(t *tally) string { return strconv.Itoa(t.NotScored) }, align: text.AlignRight},
	{title: "MEAN SCORE", cell: (*tally).mean, align: text.AlignRight},
}

// caseColumns are those of the counts by case.
func caseColumns(k int) []column[*tally] {
	return []column[*tally]{
		{title: "CASE", cell: func(t *tally) string { return t.name }, least: narrowest, weight: 1},
		{title: "RUNS", cell: func(t *tally) string { return strconv.Itoa(t.Judged()) }, align: text.AlignRight},
		{title: "PASSED", cell: func(t *tally) string { return strconv.Itoa(t.Passed) }, align: text.AlignRight},
		{title: fmt.Sprintf("PASS^%d", k), cell: func(t *tally) string { return estimate(t.passAll(k)) }, align: text.AlignRight},
		{title: fmt.Sprintf("PASS@%d", k), cell: func(t *tally) string { return estimate(t.passAny(k)) }, align: text.AlignRight},
	}
}

func columnsFor(rows []Row, gate Gate) []column[*Row] {
	where := placesOf(rows)
	longestID, metric := 0, ""
	cases, several, judged := false, false, false // the name of the only metric says nothing
	for i := range rows {
		r := &rows[i]
		longestID = max(longestID, len(where.id(r)))
		cases = cases || r.Case != ""
		judged = judged || r.Status != NoExpectation
		several = several || metric != "" && r.Metric != "" && r.Metric != metric
		if r.Metric != "" {
			metric = r.Metric
		}
	}
	columns := []column[*Row]{
		{title: "RUN", cell: where.of, least: longestID, weight: 1},
		{title: "AGENT", cell: func(r *Row) string { return cell(r.Agent) }, least: narrowest, weight: 1},
		{title: "EXPECTATION", cell: func(r *Row) string { return cell(r.Expectation) }, least: narrowest, weight: 1},
		{title: "CASE", cell: func(r *Row) string { return cell(r.Case) }, least: narrowest, weight: 1},
		{title: "METRIC", cell: func(r *Row) string { return cell(r.Metric) }, least: narrowest, weight: 1},
		{title: "EXPECTED", cell: func(r *Row) string { return names(r.Expected) }, least: narrowest, weight: 1, spare: true}, // the reason has what is missing
		{title: "CALLED", cell: func(r *Row) string { return names(r.called()) }, least: narrowest, weight: 1},
		{title: "SCORE", cell: (*Row).score},
		{title: "PASSED", cell: func(r *Row) string { return marks[gate.outcomeOf(r)] }},
		{title: "REASON", cell: func(r *Row) string { return cell(r.Reason) }, least: narrowest, weight: 2},
	}
	return slices.DeleteFunc(columns, func(c column[*Row]) bool {
		return c.title == "METRIC" && !several || c.title == "CASE" && !cases || !judged && !slices.Contains([]string{"RUN", "AGENT", "CALLED"}, c.title)
	})
}

// fit gives each column the width of its widest cell. Then it narrows the widest columns until the table fits the terminal:
// first without breaking words, then without spare columns, then as far as possible. A width of 0 is no terminal.
func fit[T any](columns []column[T], lines []T, terminal int) []column[T] {
	columns = slices.Clone(columns)
	for i := range columns {
		c := &columns[i]
		c.width = len(c.title)
		for _, l := range lines {
			content := c.cell(l)
			c.width = max(c.width, text.StringWidth(content))
			for word := range strings.FieldsSeq(content) {
				c.word = max(c.word, min(text.StringWidth(word), longWord))
			}
		}
	}
	if terminal == 0 {
		return columns
	}
	shrunk, fits := shrink(columns, terminal, true)
	if !fits {
		needed := slices.DeleteFunc(slices.Clone(columns), func(c column[T]) bool { return c.spare })
		shrunk, _ = shrink(needed, terminal, true)
	}
	shrunk, _ = shrink(shrunk, terminal, false)
	return shrunk
}

// shrink returns columns that are narrower by what they exceed the terminal, the widest first, and whether that was possible.
// With whole words no column is narrower than its longest word.
func shrink[T any](columns []column[T], terminal int, wholeWords bool) (shrunk []column[T], fits bool) {
	shrunk = slices.Clone(columns)
	excess := -len(gap) - terminal
	for _, c := range shrunk {
		excess += c.width + len(gap)
	}
	for ; excess > 0; excess-- {
		widest := -1
		for i, c := range shrunk {
			floor := max(c.least, len(c.title))
			if wholeWords {
				floor = max(floor, c.word)
			}
			if c.weight > 0 && c.width > floor && (widest < 0 || c.width*shrunk[widest].weight > shrunk[widest].width*c.weight) {
				widest = i
			}
		}
		if widest < 0 {
			return shrunk, false
		}
		shrunk[widest].width--
	}
	return shrunk, true
}

// draw writes the titles and the lines. It has neither lines nor borders, so that a table can be searched and cut.
func draw[T any](w io.Writer, columns []column[T], lines []T, color map[string]text.Colors) error {
	titles := make([]string, len(columns))
	for i, c := range columns {
		titles[i] = c.title
	}
	if err := drawLine(w, columns, titles, nil); err != nil {
		return err
	}
	for _, l := range lines {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.cell(l)
		}
		if err := drawLine(w, columns, cells, color); err != nil {
			return err
		}
	}
	return nil
}

// drawLine writes cells beside each other, in as many lines of text as the longest one needs. A cell that is one of the words
// in color has that color.
func drawLine[T any](w io.Writer, columns []column[T], cells []string, color map[string]text.Colors) error {
	wrapped, height := make([][]string, len(cells)), 0
	for i, c := range columns {
		wrapped[i] = strings.Split(text.WrapSoft(cells[i], c.width), "\n")
		height = max(height, len(wrapped[i]))
	}
	var b strings.Builder
	parts := make([]string, len(cells))
	for n := range height {
		for i, c := range columns {
			part := ""
			if n < len(wrapped[i]) {
				part = wrapped[i][n]
			}
			parts[i] = c.align.Apply(part, c.width)
			if colors, has := color[part]; has && c.title == "PASSED" {
				parts[i] = strings.Replace(parts[i], part, colors.Sprint(part), 1)
			}
		}
		b.WriteString(strings.TrimRight(strings.Join(parts, gap), " ") + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
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
