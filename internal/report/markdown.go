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
	for _, g := range o.Gate.counts(rows) {
		g.markdown(&b)
	}
	if len(bad) > 0 {
		b.WriteString("\n#### Did not pass\n\n" + verdicts(bad))
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", Number(len(rest), "other verdict"), verdicts(rest))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the first lines of the table behind an empty line. Its first column has names, and the others numbers.
func (g grid) markdown(b *strings.Builder) {
	fmt.Fprintf(b, "\n| %s |\n|---%s|\n", strings.ToLower(joined(g.Titles)), strings.Repeat("|---:", len(g.Titles)-1))
	for _, line := range g.Lines[:min(len(g.Lines), maxMarkdownRows)] {
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
func verdicts(rows []*Row) string {
	var b strings.Builder
	b.WriteString("| run | agent | expectation | metric | score | reason |\n|---|---|---|---|---:|---|\n")
	for _, r := range rows[:min(len(rows), maxMarkdownRows)] {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", code(r.where()), code(r.Agent), code(r.asked()), code(r.Metric), r.score(), plain(r.Reason))
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
