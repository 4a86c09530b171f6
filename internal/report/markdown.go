package report

import (
	"fmt"
	"io"
	"strings"
)

// maxMarkdownRows is how many runs each table has. Services cut comments and summaries that are longer.
const maxMarkdownRows = 100

// Markdown prints a summary for the page of a build or a comment on a change. It has how many runs passed, by expectation,
// then the failed runs, then the others, folded.
func Markdown(w io.Writer, rows []Row, o Options) error {
	var bad, rest []*Row
	for i := range rows {
		if r := &rows[i]; o.Gate.outcomeOf(r) > known {
			bad = append(bad, r)
		} else {
			rest = append(rest, r)
		}
	}
	s := o.Gate.Summarize(rows)
	var b strings.Builder
	fmt.Fprintf(&b, "### Tool correctness: %d of %s passed\n\n%s\n", s.Passed, Number(s.Judged(), "judged run"), s)
	cases := o.Gate.cases(rows)
	o.Gate.byExpectation(rows).markdown(&b)
	o.Gate.byCase(cases[:min(len(cases), maxMarkdownRows)]).markdown(&b)
	if list := flaky(cases); list != "" {
		fmt.Fprintf(&b, "\n%s\n", plain(list))
	}
	if o.Compared != nil {
		lines := o.Compared.lines()
		fmt.Fprintf(&b, "\n%s\n", plain(lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(&b, "- %s\n", plain(line))
		}
	}
	where := placesOf(rows)
	if len(bad) > 0 {
		b.WriteString("\n#### Did not pass\n\n" + verdicts(bad, where))
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", Number(len(rest), "other verdict"), verdicts(rest, where))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the table behind an empty line. Its first column has names, and the others numbers. Without lines it writes nothing.
func (g grid) markdown(b *strings.Builder) {
	if len(g.lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n|---%s|\n", strings.ToLower(joined(g.titles)), strings.Repeat("|---:", len(g.titles)-1))
	for _, line := range g.lines {
		fmt.Fprintf(b, "| %s | %s |\n", code(fmt.Sprint(line[0])), joined(line[1:]))
	}
}

// joined are the cells of a line.
func joined(cells []any) string {
	texts := make([]string, len(cells))
	for i, cell := range cells {
		texts[i] = fmt.Sprint(cell)
	}
	return strings.Join(texts, " | ")
}

// verdicts is a table of the first rows, and says how many others there are.
func verdicts(rows []*Row, where places) string {
	var b strings.Builder
	b.WriteString("| run | agent | expectation | metric | score | reason |\n|---|---|---|---|---:|---|\n")
	for _, r := range rows[:min(len(rows), maxMarkdownRows)] {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", code(where.of(r)), code(r.Agent), code(r.asked()), code(r.Metric), r.score(), plain(r.Reason))
	}
	if more := len(rows) - maxMarkdownRows; more > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", more)
	}
	return b.String()
}

// code is a name from a span, set as code, so that it mentions no account.
func code(s string) string {
	if s = plain(s); s == "" {
		return ""
	}
	return "<code>" + s + "</code>"
}

// plain escapes text for Markdown and HTML: every character that may be markup in either is written as a character reference.
func plain(s string) string {
	var b strings.Builder
	for _, r := range escape(s) {
		if strings.ContainsRune("\\`*_{}[]()<>#+!|~&:/@^=$\"'", r) {
			fmt.Fprintf(&b, "&#%d;", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
