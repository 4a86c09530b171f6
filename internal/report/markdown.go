package report

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// maxMarkdownRows is how many runs each table has. Services cut comments and summaries that are longer.
const maxMarkdownRows = 100

// Markdown prints a summary for the page of a build or a comment on a change. It has how many runs passed, by expectation,
// then the failed runs, then the others, folded.
func Markdown(w io.Writer, rows []Row, o Options) error {
	where := placesOf(rows)
	bad, rest := markdownTable{where: where}, markdownTable{where: where}
	for i := range rows {
		if o.Gate.outcomeOf(&rows[i]) > known {
			bad.add(&rows[i])
		} else {
			rest.add(&rows[i])
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
	if bad.rows > 0 {
		b.WriteString("\n#### Did not pass\n\n" + bad.String())
	}
	if rest.rows > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s\n</details>\n", Number(rest.rows, "other verdict"), &rest)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown writes the table behind an empty line. Its first column has names, and the others numbers. Without lines it writes nothing.
func (g grid) markdown(b *strings.Builder) {
	if len(g.lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n| %s |\n|---%s|\n", strings.ToLower(strings.Join(g.titles, " | ")), strings.Repeat("|---:", len(g.titles)-1))
	for _, line := range g.lines {
		fmt.Fprintf(b, "| %s | %s |\n", code(line[0]), strings.Join(line[1:], " | "))
	}
}

// A markdownTable has the first rows that were added, and counts the others.
type markdownTable struct {
	where places
	rows  int
	lines strings.Builder
}

func (t *markdownTable) add(r *Row) {
	if t.rows++; t.rows <= maxMarkdownRows {
		fmt.Fprintf(&t.lines, "| %s | %s | %s | %s | %s | %s |\n",
			code(t.where.of(r)), code(r.Agent), code(r.asked()), code(r.Metric), r.score(), plain(r.Reason))
	}
}

// String is the table with its titles.
func (t *markdownTable) String() string {
	text := "| run | agent | expectation | metric | score | reason |\n|---|---|---|---|---:|---|\n" + t.lines.String()
	if more := t.rows - maxMarkdownRows; more > 0 {
		text += fmt.Sprintf("\nand %d more\n", more)
	}
	return text
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
		switch {
		case strings.ContainsRune("\\`*_{}[]()<>#+!|~&:/@^=$\"'", r):
			fmt.Fprintf(&b, "&#%d;", r)
		default:
			b.WriteString(html.EscapeString(string(r)))
		}
	}
	return b.String()
}
