package report

import (
	"bufio"
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

// Table prints a row a line under a line of titles, then counts by expectation and by case, or by agent if nothing was expected of any
// run, and in the last line how many runs there are. On a terminal, cells continue in further lines and are never wider than it. Values
// of arguments are in no cell, except where the reason has them.
func Table(w io.Writer, rows []Row, o Options) error {
	sum := o.Gate.Summarize(rows)
	last := sum.String()
	grids := []grid{gridOf(rows, o.Gate)}
	if sum.Judged() == 0 && sum.Runs > 0 {
		grids, last = append(grids, byAgent(rows)), Number(sum.Runs, "run")
	} else {
		if all := o.Gate.byExpectation(rows); len(all.lines) > 1 {
			grids = append(grids, all)
		}
		cases := o.Gate.cases(rows)
		grids = append(grids, o.Gate.byCase(cases))
		if list := flaky(cases); list != "" {
			last += "\n" + list
		}
	}
	if o.Compared != nil {
		last += "\n" + o.Compared.String()
	}
	b := bufio.NewWriter(w) // Flush returns the first error
	for _, g := range grids {
		if len(g.lines) > 0 {
			g.draw(b, o)
			fmt.Fprintln(b)
		}
	}
	fmt.Fprintln(b, last)
	return b.Flush()
}

// A grid is a table of texts, with a title for each column.
type grid struct {
	titles []string
	lines  [][]string
}

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
	where := placesOf(rows)
	g.lines = make([][]string, len(rows))
	for _, c := range []struct {
		title string
		shown bool
		cell  func(*Row) string
	}{
		{"RUN", true, where.of},
		{"AGENT", true, func(r *Row) string { return cell(r.Agent) }},
		{"EXPECTATION", judged, func(r *Row) string { return cell(r.Expectation) }},
		{"CASE", cases, func(r *Row) string { return cell(r.Case) }},
		{"METRIC", len(metrics) > 1, func(r *Row) string { return cell(r.Metric) }},
		{expected, judged, func(r *Row) string { return names(r.Expected) }},
		{"CALLED", true, func(r *Row) string { return names(r.called()) }},
		{"SCORE", judged, (*Row).score},
		{"PASSED", judged, func(r *Row) string { return marks[gate.outcomeOf(r)] }},
		{"REASON", judged, func(r *Row) string { return cell(r.Reason) }},
	} {
		if c.shown {
			g.titles = append(g.titles, c.title)
			for i := range rows {
				g.lines[i] = append(g.lines[i], c.cell(&rows[i]))
			}
		}
	}
	return g
}

// expected is the title of a column that a narrow terminal does without: the reason has what is missing.
const expected = "EXPECTED"

// byAgent counts runs, and what they called, by agent, the most frequent first.
func byAgent(rows []Row) grid {
	runs, calls, tools := map[string]int{}, map[string]int{}, map[string]map[string]int{}
	var agents []string
	for i := range rows {
		r := &rows[i]
		if runs[r.Agent]++; runs[r.Agent] == 1 {
			agents, tools[r.Agent] = append(agents, r.Agent), map[string]int{}
		}
		calls[r.Agent] += len(r.Calls)
		for j := range r.Calls {
			tools[r.Agent][r.Calls[j].Name]++
		}
	}
	slices.SortStableFunc(agents, func(a, b string) int { return cmp.Compare(runs[b], runs[a]) })
	g := grid{titles: []string{"AGENT", "RUNS", "CALLS", "TOOLS"}}
	for _, agent := range agents {
		n, called := tools[agent], []string{}
		for _, tool := range slices.SortedFunc(maps.Keys(n), func(a, b string) int { return cmp.Or(cmp.Compare(n[b], n[a]), cmp.Compare(a, b)) }) {
			called = append(called, fmt.Sprintf("%s (%d)", tool, n[tool]))
		}
		g.lines = append(g.lines, []string{cell(agent), strconv.Itoa(runs[agent]), strconv.Itoa(calls[agent]), names(called)})
	}
	return g
}

// byExpectation counts runs by expectation.
func (g Gate) byExpectation(rows []Row) grid {
	all := grid{titles: []string{"EXPECTATION", "RUNS", "PASSED", "FAILED", "NOT SCORED", "MEAN SCORE"}}
	for _, t := range g.tallies(rows, expectationName) {
		all.lines = append(all.lines, []string{t.name, strconv.Itoa(t.Runs), strconv.Itoa(t.Passed), strconv.Itoa(t.Failed), strconv.Itoa(t.NotScored), t.mean()})
	}
	return all
}

// byCase has the runs of each case.
func (g Gate) byCase(cases []*tally) grid {
	k := g.k(cases)
	all := grid{titles: []string{"CASE", "RUNS", "PASSED", fmt.Sprintf("PASS^%d", k), fmt.Sprintf("PASS@%d", k)}}
	for _, t := range cases {
		all.lines = append(all.lines, []string{t.name, strconv.Itoa(t.Judged()), strconv.Itoa(t.Passed), estimate(t.passAll(k)), estimate(t.passAny(k))})
	}
	return all
}

// widths are those of the columns: of the widest cell or, on a terminal that is too narrow for that, less, the widest first. The last
// column may be twice as wide as others, because it has sentences or lists. If no column can get narrower than its longest word,
// words are broken, or fits is false unless they may be. A terminal of 0 is none.
func (g grid) widths(terminal int, mayBreak bool) (widths []int, fits bool) {
	n, excess := len(g.titles), -len(gap)-terminal
	widths, words, least := make([]int, n), make([]int, n), make([]int, n)
	for i, title := range g.titles {
		widths[i], words[i], least[i] = len(title), len(title), max(len(title), narrowest)
		for _, line := range g.lines {
			widths[i] = max(widths[i], text.StringWidth(line[i]))
			for word := range strings.FieldsSeq(line[i]) {
				words[i] = max(words[i], min(text.StringWidth(word), longWord))
			}
		}
		excess += widths[i] + len(gap)
	}
	for floors := words; terminal > 0 && excess > 0; {
		widest, weight := -1, 0
		for i, width := range widths {
			if i < n-1 {
				width *= 2
			}
			if widths[i] > floors[i] && width > weight {
				widest, weight = i, width
			}
		}
		switch {
		case widest >= 0:
			widths[widest]--
			excess--
		case mayBreak:
			floors, mayBreak = least, false
		default:
			return widths, false
		}
	}
	return widths, true
}

// draw writes the titles and the lines. It has neither lines nor borders, so that a table can be searched and cut. On a terminal
// it breaks words, and does without what was expected, only if it must.
func (g grid) draw(w io.Writer, o Options) {
	widths, fits := g.widths(o.Width, false)
	if at := slices.Index(g.titles, expected); !fits && at >= 0 {
		g.titles = slices.Delete(g.titles, at, at+1)
		for i := range g.lines {
			g.lines[i] = slices.Delete(g.lines[i], at, at+1)
		}
	}
	if !fits {
		widths, _ = g.widths(o.Width, true)
	}
	aligns := make([]text.Align, len(g.titles))
	for i := range aligns {
		if slices.ContainsFunc(g.lines, func(line []string) bool { return isNumber(line[i]) }) &&
			!slices.ContainsFunc(g.lines, func(line []string) bool { return line[i] != "" && line[i] != "-" && !isNumber(line[i]) }) {
			aligns[i] = text.AlignRight
		}
	}
	colors := map[string]text.Colors{"yes": {text.FgGreen}, "no": {text.FgRed, text.Bold}}
	for _, line := range slices.Concat([][]string{g.titles}, g.lines) {
		wrapped, height := make([][]string, len(line)), 0
		for i := range line {
			wrapped[i] = strings.Split(text.WrapSoft(line[i], widths[i]), "\n")
			height = max(height, len(wrapped[i]))
		}
		parts := make([]string, len(line))
		for n := range height {
			for i := range line {
				part := ""
				if n < len(wrapped[i]) {
					part = wrapped[i][n]
				}
				parts[i] = aligns[i].Apply(part, widths[i])
				if color, has := colors[part]; has && o.Color && g.titles[i] == "PASSED" {
					parts[i] = strings.Replace(parts[i], part, color.Sprint(part), 1)
				}
			}
			fmt.Fprintln(w, strings.TrimRight(strings.Join(parts, gap), " "))
		}
	}
}

// isNumber reports whether a cell has a number. A column of numbers is aligned at its right.
func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil
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

func names(list []string) string { return cell(Few(list, maxNames, ", ")) }
