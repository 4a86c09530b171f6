package report

import (
	"cmp"
	"fmt"
	"html"
	"io"
	"strings"
)

// maxMarkdownRows is how many runs each table has. Services cut comments and summaries that are longer.
const maxMarkdownRows = 100

// Markdown prints a summary for the page of a build or a comment on a change: how many runs passed, by expectation, then the
// runs that did not, and the others folded away.
func Markdown(w io.Writer, rows []Row, o Options) error {
	var b strings.Builder
	s := o.Gate.Summarize(rows)
	fmt.Fprintf(&b, "### Tool correctness: %d of %s passed\n\n%s\n", s.Passed, number(s.Judged(), "judged run"), s)
	if len(rows) > 0 {
		byExpectation(&b, rows, o.Gate)
	}
	where := placesOf(rows)
	var bad, rest []*Row
	for i := range rows {
		if outcome := o.Gate.outcomeOf(&rows[i]); outcome == failed || outcome == notScored {
			bad = append(bad, &rows[i])
		} else {
			rest = append(rest, &rows[i])
		}
	}
	if len(bad) > 0 {
		b.WriteString("\n#### Did not pass\n\n")
		markdownTable(&b, bad, where)
	}
	if len(rest) > 0 {
		fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n", number(len(rest), "other verdict"))
		markdownTable(&b, rest, where)
		b.WriteString("\n</details>\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// byExpectation prints how the runs of each expectation did.
func byExpectation(b *strings.Builder, rows []Row, gate Gate) {
	var order []string
	of := map[string][]Row{}
	for i := range rows {
		name := rows[i].Expectation
		if rows[i].Status == NoExpectation {
			name = ""
		}
		if of[name] == nil {
			order = append(order, name)
		}
		of[name] = append(of[name], rows[i])
	}
	b.WriteString("\n| expectation | runs | passed | failed | not scored | mean score |\n|---|---:|---:|---:|---:|---:|\n")
	for _, name := range order {
		s := gate.Summarize(of[name])
		fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %s |\n", code(cmp.Or(name, noExpectationSuite)), s.Runs, s.Passed, s.Failed, s.NotScored, mean(of[name]))
	}
}

// mean is the mean of the scores, if there are any.
func mean(rows []Row) string {
	sum, n := 0.0, 0
	for i := range rows {
		if rows[i].Score != nil {
			sum += *rows[i].Score
			n++
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", sum/float64(n))
}

func markdownTable(b *strings.Builder, rows []*Row, where places) {
	b.WriteString("| run | agent | expectation | metric | score | reason |\n|---|---|---|---|---:|---|\n")
	for _, r := range rows[:min(len(rows), maxMarkdownRows)] {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", code(where.of(r)), code(r.Agent), code(r.Expectation), code(r.Metric), r.score(), plain(r.Reason))
	}
	if more := len(rows) - maxMarkdownRows; more > 0 {
		fmt.Fprintf(b, "\nand %d more\n", more)
	}
}

// code is a name that a span brought, set as code: nobody is notified by it.
func code(s string) string {
	if s = plain(s); s == "" {
		return ""
	}
	return "<code>" + s + "</code>"
}

// plain is text without any mark-up: every character that Markdown or HTML might take for some is written as a reference, which
// both take for the character and nothing else.
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
