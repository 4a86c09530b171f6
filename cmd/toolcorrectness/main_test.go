package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// What the README shows is what comes out of the recorded traces, in both formats.
func TestRecordedTraces(t *testing.T) {
	for _, format := range []string{"table", "json"} {
		t.Run(format, func(t *testing.T) {
			got := command("", append([]string{"-config", demo, "-format", format}, recordings(t)...)...)
			assert.Equal(t, exitFailed, got.code)
			assert.Empty(t, got.stderr)
			golden := filepath.Join("testdata", "demo."+format)
			if *update {
				require.NoError(t, os.WriteFile(golden, []byte(got.stdout), 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), got.stdout)
		})
	}
}

// The order in which files are named changes nothing.
func TestOrderOfFiles(t *testing.T) {
	files := recordings(t)
	forwards := command("", append([]string{"-config", demo, "-format", "json"}, files...)...)
	backwards := []string{"-config", demo, "-format", "json"}
	for _, name := range files {
		backwards = append(backwards[:4], append([]string{name}, backwards[4:]...)...)
	}
	assert.Equal(t, forwards.stdout, command("", backwards...).stdout)
}

// Other programs read the JSON: the names of the fields and their order are a contract.
func TestFieldsOfJSON(t *testing.T) {
	got := command("", "-config", demo, "-format", "json", mastra)
	require.Equal(t, 1, strings.Count(got.stdout, "\n"), "a line for each run and metric")
	assert.Equal(t, []string{
		"trace_id", "span_id", "agent", "conversation", "expectation", "metric", "status", "score", "passed", "threshold", "reason",
		"complete", "closed_by", "expected", "missing", "unexpected", "calls",
	}, keys(t, []byte(got.stdout)))
	var row struct{ Calls []json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &row))
	require.Len(t, row.Calls, 2)
	assert.Equal(t, []string{"name", "arguments", "output", "status", "span_id"}, keys(t, row.Calls[0]))
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

func TestExitCodes(t *testing.T) {
	passing := section(t, `expectations: [{tools: [get_weather]}]`)
	half := section(t, `expectations: [{tools: [get_weather, refund]}]`)
	failing := section(t, `expectations: [{tools: [get_weather, refund, refund]}]`)
	unscored := section(t, "metrics: {m: {native: {arguments: exact, threshold: 0}}}\nexpectations: [{from_attribute: nowhere}]")
	careless := section(t, `expectations: [{tools: [{name: get_weather, arguments: {city: Rome}}]}]`)
	broken := section(t, `expectations: [{when: 'Substring(name, 0, 1000) == "x"', tools: [x]}]`)
	nobody := section(t, `expectations: [{when: name == "nobody", tools: [x]}]`)
	for _, tc := range []struct {
		claim  string
		args   []string
		code   int
		stderr string
	}{
		{"all runs passed", []string{"-config", passing, mastra}, exitPassed, ""},
		{"a score at the threshold passes", []string{"-config", half, mastra}, exitPassed, ""},
		{"a run failed", []string{"-config", failing, mastra}, exitFailed, ""},
		{"one of several failed", append([]string{"-config", demo}, recordings(t)...), exitFailed, ""},
		{"a run that was not scored has not passed", []string{"-config", unscored, mastra}, exitFailed, ""},
		{"a run that nobody expects anything of has not failed", []string{"-config", nobody, mastra}, exitPassed,
			"toolcorrectness: no expectation was for any run, so nothing was judged\n"},
		{"arguments that nobody compares are doubtful", []string{"-config", careless, mastra}, exitPassed,
			"expectations[0]: arguments are given, and no metric of it compares arguments"},
		{"so is a condition that fails", []string{"-config", broken, mastra}, exitPassed,
			"the condition of an expectation failed on a span"},
		{"it passed its threshold, but not -fail-under", []string{"-config", half, "-fail-under", "0.6", mastra}, exitFailed, ""},
		{"nor does -fail-under excuse a run that failed", []string{"-config", demo, "-fail-under", "0.1", mastra}, exitFailed, ""},
		{"a score at -fail-under is not under it", []string{"-config", passing, "-fail-under", "1", mastra}, exitPassed, ""},
		{"help was asked for", []string{"-help"}, exitPassed, "usage: toolcorrectness -config FILE"},

		{"nothing given", nil, exitUsage, "toolcorrectness: -config is required\n"},
		{"no traces", []string{"-config", demo}, exitUsage, "toolcorrectness: no traces: name files with OTLP/JSON or OTLP protobuf, or - for standard input\n"},
		{"no such flag", []string{"-colour"}, exitUsage, "toolcorrectness: flag provided but not defined: -colour\n"},
		{"no such format", []string{"-config", demo, "-format", "xml", mastra}, exitUsage, "toolcorrectness: -format must be table or json, is \"xml\"\n"},
		{"-fail-under is no score", []string{"-config", demo, "-fail-under", "80", mastra}, exitUsage, "toolcorrectness: -fail-under must be from 0 to 1, is 80\n"},
		{"nor NaN", []string{"-config", demo, "-fail-under", "NaN", mastra}, exitUsage, "toolcorrectness: -fail-under must be from 0 to 1, is NaN\n"},
		{"nor a word", []string{"-config", demo, "-fail-under", "low", mastra}, exitUsage, "toolcorrectness: invalid value \"low\" for flag -fail-under: parse error\n"},
		{"no such configuration", []string{"-config", "missing.yaml", mastra}, exitUsage, "open missing.yaml: no such file or directory\n"},
		{"no such traces", []string{"-config", demo, "missing.jsonl"}, exitUsage, "toolcorrectness: open missing.jsonl: no such file or directory\n"},
		{"a folder", []string{"-config", demo, "testdata"}, exitUsage, "toolcorrectness: read testdata: is a directory\n"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := command("", tc.args...)
			assert.Equal(t, tc.code, got.code, got.stderr)
			if tc.stderr == "" {
				assert.Empty(t, got.stderr)
			} else {
				assert.Contains(t, got.stderr, tc.stderr)
			}
			if tc.code == exitUsage {
				assert.Empty(t, got.stdout, "there are no verdicts on what could not be read")
			}
		})
	}
}

// The processor's section is taken as a collector would take it.
func TestConfigurations(t *testing.T) {
	const two = "processors:\n  batch:\n  tool_correctness/a: {expectations: [{tools: [a]}]}\n  \"tool_correctness/ b\": {expectations: [{tools: [b]}]}\n"
	t.Setenv("EXPECTED_TOOL", "get_weather")
	for _, tc := range []struct {
		claim, yaml string
		args        []string
		expected    string // the expected tools in the only row, or
		stderr      string // what is wrong, behind the file's name
	}{
		{"one is taken without being named", "processors: {tool_correctness/x: {expectations: [{tools: [a]}]}}", nil, "a", ""},
		{"one may be named", "processors: {tool_correctness/x: {expectations: [{tools: [a]}]}}", []string{"-processor", "tool_correctness/x"}, "a", ""},
		{"of several one has to be named", two, nil, "", "processors: has tool_correctness/ b, tool_correctness/a; choose one with -processor"},
		{"the first", two, []string{"-processor", "tool_correctness/a"}, "a", ""},
		{"the second, whose key has a space that a collector ignores", two, []string{"-processor", "tool_correctness/b"}, "b", ""},
		{"none of that id", two, []string{"-processor", "tool_correctness/c"}, "", `-processor "tool_correctness/c" is not in it; it has tool_correctness/ b, tool_correctness/a`},
		{"another's id", two, []string{"-processor", "batch"}, "", `-processor "batch" is not in it; it has tool_correctness/ b, tool_correctness/a`},
		{"none at all", "processors: {batch: }", nil, "", "processors: has no tool_correctness"},
		{"no processors", "receivers: {otlp: }", nil, "", "processors: has no tool_correctness"},
		{"an empty file", "", nil, "", "processors: has no tool_correctness"},
		{"no YAML", "processors: [", nil, "", "yaml: line 1: did not find expected node content"},
		{"processors of a wrong kind", "processors: 5", nil, "", "processors: must be a map"},
		{"a section of a wrong kind", "processors: {tool_correctness: [a]}", nil, "", "processors::tool_correctness: must be a map"},
		{"an empty section", "processors: {tool_correctness: }", nil, "", "processors::tool_correctness: expectations: must not be empty: say which tools a run is expected to call"},
		{"all faults at once", "processors: {tool_correctness: {run: {scope: x}, storages: y, expectations: [{tools: a}]}}", nil, "",
			"processors::tool_correctness: expectations[0].tools: must be a list, is \"a\"\nstorages: is no key of this configuration (did you mean \"storage\"?)\nrun.scope: must be agent, trace or conversation, is \"x\""},
		{"the environment", "processors: {tool_correctness: {expectations: [{tools: [\"${env:EXPECTED_TOOL}\"]}]}}", nil, "get_weather", ""},
		{"a storage, which a dry run leaves alone", "processors: {tool_correctness: {storage: file_storage, expectations: [{tools: [a]}]}}", nil, "a", ""},
		{"what the environment does not have, elsewhere", "exporters: {file: {path: \"${env:NOT_SET_ANYWHERE}\"}}\nprocessors: {tool_correctness: {expectations: [{tools: [a]}]}}", nil, "a", ""},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			config := file(t, "config.yaml", tc.yaml)
			got := command("", append(append([]string{"-config", config, "-format", "json"}, tc.args...), mastra)...)
			if tc.stderr != "" {
				assert.Equal(t, exitUsage, got.code)
				assert.Contains(t, got.stderr, "toolcorrectness: "+config+": ")
				assert.Contains(t, got.stderr, tc.stderr+"\n")
				return
			}
			require.Empty(t, got.stderr)
			rows := rowsIn(t, got.stdout)
			require.Len(t, rows, 1)
			assert.Equal(t, []any{tc.expected}, rows[0]["expected"])
		})
	}
}

// What a collector would log at start, and where verbose_mode asks for it, stands on standard error and leaves the
// verdicts alone.
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

// Nothing is lost in silence: who cannot write verdicts says so.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for format := range formats {
		var stderr bytes.Buffer
		code := run([]string{"-config", demo, "-format", format, mastra}, nil, fullDisk{}, &stderr)
		assert.Equal(t, exitUsage, code)
		assert.Equal(t, "toolcorrectness: no space left\n", stderr.String())
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left") }
