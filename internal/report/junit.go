package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

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
	if text == "" {
		text = fmt.Sprintf("score %s, threshold %v", r.score(), r.Threshold)
	}
	return text
}

// output is what is printed of a row beside its verdict: where the run is, and whether it is complete.
func (r *Row) output() string {
	text := fmt.Sprintf("trace %s, span %s\nscore %s, threshold %v\n", r.TraceID, cmp.Or(r.SpanID, "unknown"), r.score(), r.Threshold)
	if !r.Complete {
		text += escape("not complete: closed by "+r.ClosedBy+" ("+strings.Join(r.IncompleteBecause, ", ")+")") + "\n"
	}
	return text
}
