package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
)

// JUnit prints a test suite for each expectation and in it a test case for each row: failed with the reason as its message,
// an error where there is no score, and the alignment as its output. Runs without expectation are skipped tests of a suite
// of their own.
func JUnit(w io.Writer, rows []Row, o Options) error {
	all := junitSuites{Name: "tool correctness"}
	at := map[string]int{}
	where := placesOf(rows)
	for i := range rows {
		r := &rows[i]
		name := cmp.Or(escape(r.Expectation), noExpectationSuite)
		k, known := at[name]
		if !known {
			k = len(all.Suites)
			at[name] = k
			all.Suites = append(all.Suites, junitSuite{Name: name})
		}
		all.Suites[k].add(r, where.of(r), o.Gate)
	}
	for _, s := range all.Suites {
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

const noExpectationSuite = "(no expectation)"

// The elements and attributes are those of Jenkins' schema, which other readers take as well. It asks for a time; how long
// a run took is not what is tested.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Cases    []junitCase `xml:"testcase"`
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

func (s *junitSuite) add(r *Row, where string, gate Gate) {
	c := junitCase{Class: s.Name, Name: cell(r.Agent) + ", " + where, SystemOut: r.output()}
	if r.Metric != "" {
		c.Name += ", " + escape(r.Metric)
	}
	s.Tests++
	switch gate.outcomeOf(r) {
	case noExpectation:
		s.Skipped++
		c.Skipped = &junitResult{"no_expectation", "no expectation is for this run"}
	case notScored:
		s.Errors++
		c.Error = &junitResult{escape(r.Status), escape(r.Reason)}
	case failed:
		s.Failures++
		c.Failure = &junitResult{"score", r.failure(gate)}
	}
	s.Cases = append(s.Cases, c)
}

// failure is why a row failed: its reason, and its score where that is the gate's doing.
func (r *Row) failure(gate Gate) string {
	text := escape(r.Reason)
	if r.Passed {
		text = fmt.Sprintf("score %s is under %v. %s", r.score(), gate.FailUnder, text)
	}
	if text == "" {
		text = fmt.Sprintf("score %s, threshold %v", r.score(), r.Threshold)
	}
	return text
}

// output is what is printed of a row beside its verdict.
func (r *Row) output() string {
	text := "trace " + r.TraceID
	if r.SpanID != "" {
		text += ", span " + r.SpanID
	}
	text += "\nscore " + r.score() + ", threshold " + strconv.FormatFloat(r.Threshold, 'g', -1, 64)
	if !r.Complete {
		text += "\nnot complete: closed by " + escape(r.ClosedBy)
	}
	return text + "\n" + r.alignment()
}
