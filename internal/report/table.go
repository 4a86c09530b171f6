package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// maxNames is how many names of tools a cell has. A run of thousands of calls would make each line as long.
const maxNames = 20

// Table prints a row a line under a line of titles, then the counts, and in the last line how many runs there are. It has neither lines
// nor borders, so that it can be searched and cut. Values of arguments are in no cell, except where the reason has them.
func Table(w io.Writer, rows []Row, o Options) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) // Flush returns the first error
	for i, g := range append([]grid{gridOf(rows, o.Gate)}, o.Gate.counts(rows)...) {
		if len(g.Lines) > 1 || i != 1 && len(g.Lines) > 0 { // a single expectation has the counts of the last line
			fmt.Fprintln(t, strings.Join(g.Titles, "\t"))
			for _, line := range g.Lines {
				fmt.Fprintln(t, strings.Join(texts(line), "\t"))
			}
			fmt.Fprintln(t)
		}
	}
	if sum := o.Gate.Summarize(rows); sum.Judged() == 0 && sum.Runs > 0 {
		fmt.Fprintln(t, Number(sum.Runs, "run"))
	} else {
		fmt.Fprintln(t, sum)
	}
	return t.Flush()
}

// A grid is a table of texts and numbers, with a title for each column.
type grid struct {
	Titles []string
	Lines  [][]any
}

// texts are the cells of a line.
func texts(line []any) []string {
	cells := make([]string, len(line))
	for i, cell := range line {
		cells[i] = fmt.Sprint(cell)
	}
	return cells
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

// gridOf has a line for each row, in the columns that say something.
func gridOf(rows []Row, gate Gate) (g grid) {
	judged, cases, metrics := false, false, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		judged, cases = judged || r.Status != NoExpectation, cases || r.Case != ""
		if r.Metric != "" {
			metrics[r.Metric] = true
		}
	}
	g.Lines = make([][]any, len(rows))
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
		{"EXPECTED", judged, func(r *Row) any { return names(r.Expected) }},
		{"CALLED", true, func(r *Row) any { return names(r.called()) }},
		{"SCORE", judged, (*Row).score},
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
	all := grid{Titles: []string{"EXPECTATION", "RUNS", "PASSED", "FAILED", "NOT SCORED", "MEAN SCORE"}}
	for _, t := range g.tallies(rows, expectationName) {
		all.Lines = append(all.Lines, []any{t.name, t.Runs, t.Passed, t.Failed, t.NotScored, t.mean()})
	}
	return all
}

func (r *Row) called() []string {
	called := make([]string, len(r.Calls))
	for i := range r.Calls {
		called[i] = r.Calls[i].Name
	}
	return called
}

// score is a decimal, or why there is none.
func (r *Row) score() any {
	if r.Score == nil {
		return r.Status
	}
	return decimal(*r.Score)
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

// maxMarkdownRows is how many runs each table has. Services cut comments and summaries that are longer.
const maxMarkdownRows = 100

// Markdown prints a summary for the page of a build or a comment on a change. It has how many runs passed, the counts, then the rows that
// did not pass, then the others, folded.
func Markdown(w io.Writer, rows []Row, o Options) error {
	good := func(r Row) bool { return o.Gate.outcomeOf(&r) <= known }
	bad := slices.DeleteFunc(slices.Clone(rows), good)
	rest := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return !good(r) })
	s := o.Gate.Summarize(rows)
	var b strings.Builder
	fmt.Fprintf(&b, "### Tool correctness: %d of %s passed\n\n%s\n", s.Passed, Number(s.Judged(), "judged run"), s)
	for _, g := range o.Gate.counts(rows) {
		g.markdown(&b)
	}
	if len(bad) > 0 {
		b.WriteString("\n#### Did not pass\n")
		gridOf(bad, o.Gate).markdown(&b)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n", Number(len(rest), "other verdict"))
		gridOf(rest, o.Gate).markdown(&b)
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the first lines of the table behind an empty line, and says how many others there are.
func (g grid) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n| %s |\n%s|\n", strings.ToLower(strings.Join(g.Titles, " | ")), strings.Repeat("|---", len(g.Titles)))
	for _, line := range g.Lines[:min(len(g.Lines), maxMarkdownRows)] {
		cells := texts(line)
		for i, cell := range line {
			if _, is := cell.(string); is && g.Titles[i] == "REASON" {
				cells[i] = plain(cells[i])
			} else if is {
				cells[i] = "<code>" + plain(cells[i]) + "</code>" // so that a name from a span mentions no account
			}
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
	if more := len(g.Lines) - maxMarkdownRows; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

// markup finds the characters that may be markup in Markdown or HTML.
var markup = regexp.MustCompile("[][\\\\`*_{}()<>#+!|~&:/@^=$\"']")

// plain escapes text for both: every such character is written as a character reference.
func plain(s string) string {
	return markup.ReplaceAllStringFunc(escape(s), func(c string) string { return fmt.Sprintf("&#%d;", c[0]) })
}
