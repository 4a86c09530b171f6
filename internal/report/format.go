package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Options say how rows are printed.
type Options struct {
	// Gate counts the runs.
	Gate Gate
	// TraceURL is a link to a trace in a backend, with {trace} and {span} in the place of ids; empty: there is none.
	TraceURL string
	// Live is for a page that shows runs as they close; nil: it stays as it is.
	Live *Live
}

// Live says how many runs had closed when a page was made, and the address of the server to ask for more.
type Live struct {
	Runs    int
	Address string
}

// A Format is a way to print sorted rows.
type Format struct {
	Name  string
	Print func(io.Writer, []Row, Options) error
}

// Formats are all ways to print, the default first.
var Formats = []Format{{"table", Table}, {"json", JSON}, {"junit", JUnit}, {"markdown", Markdown}, {"html", HTML}}

// JSON prints a row a line.
func JSON(w io.Writer, rows []Row, _ Options) error { return Lines(w, rows) }

// Lines writes values as JSON, one a line. Characters that are invisible or rearrange others are escaped.
func Lines[T any](w io.Writer, values []T) error {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	for i := range values {
		line.Reset()
		if err := e.Encode(&values[i]); err != nil {
			return err
		}
		if _, err := w.Write(EscapeJSON(line.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

// Line is a row in a line, for a terminal that shows runs one by one.
func (r *Row) Line(gate Gate) string {
	line := cell(r.Agent) + ": " + names(r.called())
	if r.Status != NoExpectation {
		line = fmt.Sprintf("%-10s  %-5s  %s  %s", gate.outcomeOf(r), r.score(), line, cell(r.Reason))
	}
	line = time.Unix(0, int64(r.Start)).Format(time.TimeOnly) + "  " + line
	if !r.Complete {
		line += "  (not complete: " + strings.Join(r.IncompleteBecause, ", ") + ")"
	}
	return line
}

// escape writes control and format characters as Go does, so that text of a span cannot control a terminal or change the
// direction of text.
func escape(s string) string {
	return scoring.SafeName(string([]rune(s)), math.MaxInt) // a byte that is no character is U+FFFD
}

// EscapeJSON returns JSON, or YAML whose texts with such characters are in double quotes, with escapes for characters that are
// invisible or rearrange others. In a text, \u202e means the same in both languages.
func EscapeJSON(text []byte) []byte {
	escaped := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r == '\n' || r == '\t' || unicode.IsGraphic(r) { // line ends and tabs are the layout of a document
			escaped = utf8.AppendRune(escaped, r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			escaped = fmt.Appendf(escaped, `\u%04x`, unit)
		}
	}
	return escaped
}

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
		all := grid{Titles: []string{"EXPECTATION", "RUNS", "PASSED", "FAILED", "NOT SCORED", "MEAN SCORE"}}
		for _, t := range g.tallies(rows, expectationName) {
			all.Lines = append(all.Lines, []any{t.name, t.Runs, t.Passed, t.Failed, t.NotScored, t.mean()})
		}
		grids = append(grids, all)
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
	return cmp.Or(strings.TrimSpace(escape(s)), "-")
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

// The elements and attributes are those of Jenkins' schema, which other readers take as well. It asks for a time; how long
// a run took is not what is tested.
type (
	junitReport struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Suites []*junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Skipped int         `xml:"skipped,attr"`
		Cases   []junitCase `xml:"testcase"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
	}
	junitCase struct {
		Name      string       `xml:"name,attr"`
		Class     string       `xml:"classname,attr"`
		Time      int          `xml:"time,attr"`
		Failure   *junitResult `xml:"failure"`
		Error     *junitResult `xml:"error"`
		Skipped   *junitResult `xml:"skipped"`
		SystemOut string       `xml:"system-out,omitempty"`
	}
	junitResult struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
	}
)

// JUnit prints a test suite for each expectation, with a test case for each row. A failure has the reason as its message, and
// a row without a score is an error. Runs without expectation are skipped tests of a suite of their own.
func JUnit(w io.Writer, rows []Row, o Options) error {
	all := junitReport{Name: "tool correctness"}
	suites, names := map[string]*junitSuite{}, map[[2]string]int{}
	for i := range rows {
		r := &rows[i]
		name := expectationName(r)
		s := suites[name]
		if s == nil {
			s = &junitSuite{Name: name}
			suites[name], all.Suites = s, append(all.Suites, s)
		}
		test := junitCase{Class: name, Name: testName(r), SystemOut: r.where() + "\n" + r.output()}
		key := [2]string{name, test.Name}
		if names[key]++; names[key] > 1 { // the further runs of a case
			test.Name += fmt.Sprintf(" (%d)", names[key])
		}
		switch o.Gate.outcomeOf(r) {
		case noExpectation:
			s.Skipped++
			test.Skipped = &junitResult{"no_expectation", "no expectation is for this run"}
		case known:
			s.Skipped++
			test.Skipped = &junitResult{"known", "did not pass before either: " + escape(r.Reason)}
		case notScored:
			s.Errors++
			all.Errors++
			test.Error = &junitResult{escape(r.Status), escape(r.Reason)}
		case failed:
			s.Failures++
			all.Failures++
			test.Failure = &junitResult{"score", r.failure(o.Gate)}
		case passed:
		}
		s.Tests++
		all.Tests++
		s.Cases = append(s.Cases, test)
	}
	text, err := xml.MarshalIndent(&all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}

// testName has nothing that differs when the same cases run again.
func testName(r *Row) string {
	name := cell(r.Agent)
	if r.Case != "" {
		name = escape(r.Case) + ", " + name
	}
	if r.Metric != "" {
		name += ", " + escape(r.Metric)
	}
	return name
}

// failure is why a row failed: its reason, and its score where that is the gate's doing.
func (r *Row) failure(gate Gate) string {
	text := escape(r.Reason)
	if r.Passed {
		text = fmt.Sprintf("score %s is under %v. %s", r.score(), gate.FailUnder, text)
	}
	return cmp.Or(text, fmt.Sprintf("score %s, threshold %v", r.score(), r.Threshold))
}

// output is what is printed of a row beside its verdict: where the run is, and whether it is complete.
func (r *Row) output() string {
	text := fmt.Sprintf("trace %s, span %s\nscore %s, threshold %v\n", r.TraceID, cmp.Or(r.SpanID, "unknown"), r.score(), r.Threshold)
	if !r.Complete {
		text += escape("not complete: closed by "+r.ClosedBy+" ("+strings.Join(r.IncompleteBecause, ", ")+")") + "\n"
	}
	return text
}
