package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// JUnit prints a test suite for each expectation, with a test case for each row. A failure has the reason as its message, and
// a row without a score is an error. The output is the alignment. Runs without expectation are skipped tests of a suite of
// their own.
//
// The counts stand before the cases, so the rows are read once for the counts and once for each suite.
func JUnit(w io.Writer, rows Rows, o Options) error {
	where, err := placesOf(rows)
	if err != nil {
		return err
	}
	all, suites, err := junitCounts(rows, o.Gate)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.EncodeToken(all.element("testsuites")); err != nil {
		return err
	}
	for _, suite := range suites {
		if err := suite.encode(e, rows, where, o.Gate); err != nil {
			return err
		}
	}
	if err := errors.Join(e.EncodeToken(xml.EndElement{Name: xml.Name{Local: "testsuites"}}), e.Close()); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

// A junitCount counts test cases, of all suites or of one.
type junitCount struct {
	name                             string
	tests, failures, errors, skipped int
}

// junitCounts counts the cases of all suites, and of each suite in the order in which the rows name them.
func junitCounts(rows Rows, gate Gate) (*junitCount, []*junitCount, error) {
	all := &junitCount{name: "tool correctness"}
	var suites []*junitCount
	at := map[string]*junitCount{}
	err := each(rows, func(r *Row) {
		suite := at[expectationName(r)]
		if suite == nil {
			suite = &junitCount{name: expectationName(r)}
			at[suite.name] = suite
			suites = append(suites, suite)
		}
		outcome := gate.outcomeOf(r)
		all.add(outcome)
		suite.add(outcome)
	})
	return all, suites, err
}

func (c *junitCount) add(o outcome) {
	c.tests++
	switch o {
	case noExpectation, known:
		c.skipped++
	case notScored:
		c.errors++
	case failed:
		c.failures++
	case passed:
	}
}

// element begins the suite, or all suites.
func (c *junitCount) element(kind string) xml.StartElement {
	e := xml.StartElement{Name: xml.Name{Local: kind}}
	attribute := func(name, value string) { e.Attr = append(e.Attr, xml.Attr{Name: xml.Name{Local: name}, Value: value}) }
	attribute("name", c.name)
	attribute("tests", strconv.Itoa(c.tests))
	attribute("failures", strconv.Itoa(c.failures))
	attribute("errors", strconv.Itoa(c.errors))
	if kind == "testsuite" {
		attribute("skipped", strconv.Itoa(c.skipped))
	}
	return e
}

// encode writes the suite with its cases.
func (c *junitCount) encode(e *xml.Encoder, rows Rows, where places, gate Gate) error {
	if err := e.EncodeToken(c.element("testsuite")); err != nil {
		return err
	}
	err := rows.Each(func(run []Row) error {
		for i := range run {
			if expectationName(&run[i]) != c.name {
				continue
			}
			if err := e.EncodeElement(c.test(&run[i], where.of(&run[i]), gate), xml.StartElement{Name: xml.Name{Local: "testcase"}}); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, e.EncodeToken(xml.EndElement{Name: xml.Name{Local: "testsuite"}}))
}

// The elements and attributes are those of Jenkins' schema, which other readers take as well. It asks for a time; how long
// a run took is not what is tested.
type (
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

// test is the test case of a row.
func (c *junitCount) test(r *Row, where string, gate Gate) junitCase {
	test := junitCase{Class: c.name, Name: cell(r.Agent) + ", " + where, SystemOut: r.output()}
	if r.Metric != "" {
		test.Name += ", " + escape(r.Metric)
	}
	switch gate.outcomeOf(r) {
	case noExpectation:
		test.Skipped = &junitResult{"no_expectation", "no expectation is for this run"}
	case known:
		test.Skipped = &junitResult{"known", "did not pass before either: " + escape(r.Reason)}
	case notScored:
		test.Error = &junitResult{escape(r.Status), escape(r.Reason)}
	case failed:
		test.Failure = &junitResult{"score", r.failure(gate)}
	case passed:
	}
	return test
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
		if len(r.IncompleteBecause) > 0 {
			text += " (" + escape(strings.Join(r.IncompleteBecause, ", ")) + ")"
		}
	}
	return text + "\n" + r.alignment()
}
