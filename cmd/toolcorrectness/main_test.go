package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

var update = flag.Bool("update", false, "write what is printed over the golden files")

const (
	demo   = "../../examples/demo.yaml"
	mastra = "../../testdata/traces/mastra-two-sequential.jsonl"
)

// result is what a run of the command leaves.
type result struct {
	code           int
	stdout, stderr string
}

func command(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := run(args, strings.NewReader(stdin), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// ends carries a command line out, and requires its exit code.
func ends(t *testing.T, code int, stdin string, args ...string) result {
	t.Helper()
	got := command(stdin, args...)
	require.Equal(t, code, got.code, got.stderr)
	return got
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got), 0o600))
	}
	assert.Equal(t, readFile(t, name), got)
}

// file writes a file of a test and returns its name.
func file(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// section writes a collector configuration with one processor.
func section(t *testing.T, yaml string) string {
	t.Helper()
	return file(t, "config.yaml", "processors:\n  tool_correctness:\n    "+strings.ReplaceAll(yaml, "\n", "\n    ")+"\n")
}

func recordings(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../testdata/traces/*.jsonl")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 5)
	return files
}

func rowsIn(t *testing.T, stdout string) []map[string]any {
	t.Helper()
	var rows []map[string]any
	for line := range strings.Lines(stdout) {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row), line)
		rows = append(rows, row)
	}
	return rows
}

// The output for the recorded traces, in every format.
func TestRecordedTraces(t *testing.T) {
	for _, f := range report.Formats {
		format := f.Name
		t.Run(format, func(t *testing.T) {
			got := ends(t, exitFailed, "", append([]string{"-config", demo, "-format", format}, recordings(t)...)...)
			assert.Equal(t, "toolcorrectness: 5 of 10 judged runs failed\n", got.stderr)
			golden(t, "demo."+format, got.stdout)
		})
	}
}

// A list has the runs, and the tools that they called.
func TestList(t *testing.T) {
	got := ends(t, exitPassed, "", append([]string{"list"}, recordings(t)...)...)
	assert.Empty(t, got.stderr)
	golden(t, "list.table", got.stdout)
}

// Rows come in the order of the input: files as they are named, and in a file traces as they come. The verdicts are the
// same in any order.
func TestRowsFollowTheInput(t *testing.T) {
	files := recordings(t)
	slices.Reverse(files)
	got := command("", append([]string{"-config", demo, "-format", "json"}, files...)...)
	var order, lines []string
	for _, row := range rowsIn(t, got.stdout) {
		order = append(order, row["file"].(string))
	}
	assert.Equal(t, files, slices.Compact(order))
	forwards := readFile(t, filepath.Join("testdata", "demo.json"))
	lines = strings.Split(got.stdout, "\n")
	assert.ElementsMatch(t, strings.Split(forwards, "\n"), lines)

	swapped := readFile(t, files[0]) + readFile(t, files[1]) + readFile(t, files[2])
	got = command(swapped, "-config", demo, "-format", "json", "-", files[1])
	order = nil
	for _, row := range rowsIn(t, got.stdout) {
		assert.Equal(t, "-", row["file"], "a trace is where it begins, also if it goes on elsewhere")
		order = append(order, row["expectation"].(string))
	}
	assert.Equal(t, []string{"vercel-7-two-cities", "vercel-6-compare", "strands-retry"}, order)
}

// Other programs read the JSON: the names of the fields and their order are a contract.
func TestFieldsOfJSON(t *testing.T) {
	for _, tc := range []struct {
		flag, reason string
		ofCall       []string
	}{
		{"-values", "the user asked for values", []string{"name", "arguments", "output", "status", "span_id", "verdict"}},
		{"-values=false", "without values their keys are left out: null is a value that was not captured", []string{"name", "status", "span_id", "verdict"}},
	} {
		got := command("", "-config", demo, "-format", "json", tc.flag, mastra)
		require.Equal(t, 1, strings.Count(got.stdout, "\n"), "a line for each run and metric")
		assert.Equal(t, []string{
			"trace_id", "span_id", "agent", "conversation", "expectation", "metric", "status", "score", "passed", "threshold", "reason",
			"complete", "closed_by", "expected", "missing", "unexpected", "calls", "file", "incomplete_because", "case", "started",
		}, keys(t, []byte(got.stdout)), tc.flag)
		var row struct{ Calls []json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &row))
		require.Len(t, row.Calls, 2)
		assert.Equal(t, tc.ofCall, keys(t, row.Calls[0]), tc.reason)
	}
}

// keys are those of a JSON object, in their order.
func keys(t *testing.T, object []byte) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(object))
	_, err := d.Token()
	require.NoError(t, err)
	var keys []string
	for d.More() {
		key, err := d.Token()
		require.NoError(t, err)
		keys = append(keys, key.(string))
		var skipped json.RawMessage
		require.NoError(t, d.Decode(&skipped))
	}
	return keys
}

// Many agents and expectations do not fill the screen.
func TestNothingJudgedIsSaidInAFewLines(t *testing.T) {
	var expectations strings.Builder
	for i := range 30 {
		fmt.Fprintf(&expectations, "\n- {when: name == \"nobody-%d\", tools: [x]}", i)
	}
	got := ends(t, exitFailed, "", "-config", section(t, "expectations:"+expectations.String()), mastra)
	assert.Contains(t, got.stderr, "\n  and 20 more\n")
	assert.Less(t, strings.Count(got.stderr, "\n"), 15)
}

func TestVersion(t *testing.T) {
	got := ends(t, exitPassed, "", "version")
	assert.Regexp(t, `^toolcorrectness \S+.*, Collector \S+, go1\.\S+ \S+/\S+\n$`, got.stdout)
}

// -o writes what standard output would have.
func TestOutputFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "verdicts.json")
	want := command("", "-config", demo, "-format", "json", mastra)
	got := command("", "-config", demo, "-format", "json", "-o", name, mastra)
	assert.Equal(t, result{want.code, "", want.stderr}, got)
	assert.Equal(t, want.stdout, readFile(t, name))
}

// A collector's log at start, and that of verbose_mode, is on standard error and leaves the verdicts alone.
func TestLog(t *testing.T) {
	const yaml = "metrics: {m: {native: {verbose_mode: %}}}\nexpectations: [{tools: [{name: get_weather, arguments: {city: Oslo}}]}]"
	quiet := command("", "-config", section(t, strings.Replace(yaml, "%", "false", 1)), mastra)
	assert.Equal(t, 1, strings.Count(quiet.stderr, "\n"), quiet.stderr)
	assert.Contains(t, quiet.stderr, "expectations[0]: arguments are given, and no metric of it compares arguments")
	verbose := command("", "-config", section(t, strings.Replace(yaml, "%", "true", 1)), mastra)
	assert.Contains(t, verbose.stderr, "judged a run")
	assert.NotContains(t, verbose.stderr, "Paris", "names and scores only")
	assert.Equal(t, quiet.stdout, verbose.stdout)
}

// A failure to write verdicts is an error.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for _, format := range report.Formats {
		var stderr bytes.Buffer
		code := run([]string{"-config", demo, "-format", format.Name, mastra}, nil, fullDisk{}, &stderr)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, "toolcorrectness: no space left\n", stderr.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
