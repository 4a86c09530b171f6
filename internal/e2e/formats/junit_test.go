//go:build browser

// Package formats checks what the command writes by the means of others: JUnit by xmllint and Jenkins' schema.
//
// No maintained library in Go validates by an XML schema without the headers of libxml2. So the test runs xmllint. `make e2e WITH=report`
// runs it: it has the build tag browser, as the test of the page, because both need a program.
package formats

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// validate returns what xmllint says of a file.
func validate(t *testing.T, file string) (string, error) {
	t.Helper()
	xmllint, err := exec.LookPath("xmllint")
	require.NoError(t, err, "make e2e WITH=report installs it")
	out, err := exec.CommandContext(t.Context(), xmllint, "--noout", "--schema", filepath.Join("testdata", "junit-10.xsd"), file).CombinedOutput()
	return string(out), err
}

// rows are one of each outcome, with texts that XML cannot hold as they are.
func rows() []report.Row {
	const hostile = "a\x1b[31m\u202e</testcase>]]>&<script>\n\x00\xff"
	score := 0.5
	base := report.Row{
		TraceID: "5b8efff798038103d269b633813fc60c", SpanID: "00000000000000a1", Agent: hostile, Expectation: hostile, Metric: hostile, Reason: hostile, File: hostile,
		Calls: []report.Call{{Name: hostile}}, Steps: []report.Step{{Tool: hostile, Class: "mismatched", Faults: []string{hostile}}},
	}
	all := []report.Row{base, base, base, base, base}
	all[0].Status, all[0].Score, all[0].Passed = "scored", &score, true
	all[1].Status, all[1].Score = "scored", &score
	all[2].Status = "not_evaluable"
	all[3].Status, all[3].Metric = report.NoExpectation, ""
	all[4].Status, all[4].Score, all[4].Change = "scored", &score, report.Same
	for i := range all {
		all[i].Run = i
	}
	return all
}

func TestJUnitIsValid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "junit.xml")
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, report.JUnit(f, rows(), report.Options{Gate: report.Gate{PassRate: 1}}))
	require.NoError(t, f.Close())
	said, err := validate(t, file)
	require.NoError(t, err, said)
	said, err = validate(t, "../../../cmd/toolcorrectness/testdata/demo.junit")
	require.NoError(t, err, said)
}

// The schema is one that finds faults.
func TestTheSchemaFindsFaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "junit.xml")
	require.NoError(t, os.WriteFile(file, []byte(`<testsuites><testsuite name="x" tests="1" failures="0" errors="0"><testcase classname="y"/></testsuite></testsuites>`), 0o600))
	said, err := validate(t, file)
	require.Error(t, err)
	require.Contains(t, said, "The attribute 'name' is required but missing")
}
