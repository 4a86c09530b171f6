package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

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
