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

// says asserts that a text has a part, or that it is empty if that is.
func says(t *testing.T, part, text string, reason ...any) {
	t.Helper()
	if part == "" {
		assert.Empty(t, text, reason...)
	}
	assert.Contains(t, text, part, reason...)
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

// A list has the runs, and by agent their number and the tools that they called.
func TestList(t *testing.T) {
	got := ends(t, exitPassed, "", append([]string{"list"}, recordings(t)...)...)
	assert.Empty(t, got.stderr)
	golden(t, "list.table", got.stdout)
	rows := rowsIn(t, command("", "list", "-format", "json", "-values", mastra).stdout)
	require.Len(t, rows, 1)
	call := rows[0]["calls"].([]any)[0].(map[string]any)
	assert.Equal(t, "get_weather", call["name"])
	assert.NotEmpty(t, call["arguments"], "expectations are made of values")
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

func TestExitCodes(t *testing.T) {
	passing := section(t, `expectations: [{tools: [get_weather]}]`)
	half := section(t, `expectations: [{tools: [get_weather, refund]}]`)
	failing := section(t, `expectations: [{tools: [get_weather, refund, refund]}]`)
	unscored := section(t, "metrics: {m: {native: {arguments: exact, threshold: 0}}}\nexpectations: [{from_attribute: nowhere}]")
	careless := section(t, `expectations: [{tools: [{name: get_weather, arguments: {city: Rome}}]}]`)
	for _, tc := range []struct {
		claim  string
		args   []string
		code   int
		stderr string
	}{
		{"all runs passed", []string{"-config", passing, mastra}, exitPassed, ""},
		{"a score at the threshold passes", []string{"-config", half, mastra}, exitPassed, ""},
		{"a run failed", []string{"-config", failing, mastra}, exitFailed, "toolcorrectness: 1 of 1 judged run failed\n"},
		{"one of several failed", append([]string{"-config", demo}, recordings(t)...), exitFailed, "5 of 10 judged runs failed\n"},
		{"a run that was not scored has not passed", []string{"-config", unscored, mastra}, exitFailed, "0 of 1 judged run failed, and 1 had no score\n"},
		{"arguments that no metric compares are doubtful", []string{"-config", careless, mastra}, exitPassed,
			"expectations[0]: arguments are given, and no metric of it compares arguments"},
		{"it passed its threshold, but not -fail-under", []string{"-config", half, "-fail-under", "0.6", mastra}, exitFailed, "1 of 1 judged run failed\n"},
		{"nor does -fail-under excuse a run that failed", []string{"-config", demo, "-fail-under", "0.1", mastra}, exitFailed, "1 of 1 judged run failed\n"},
		{"a score at -fail-under is not under it", []string{"-config", passing, "-fail-under", "1", mastra}, exitPassed, ""},
		{"a share that passed is enough", append([]string{"-config", demo, "-pass-rate", "0.5"}, recordings(t)...), exitPassed, ""},
		{"a smaller one is not", append([]string{"-config", demo, "-pass-rate", "0.51"}, recordings(t)...), exitFailed,
			"toolcorrectness: 5 of 10 judged runs passed, less than the pass rate of 0.51\n"},
		{"of that share, a run with a low score has not passed", append([]string{"-config", demo, "-pass-rate", "0.5", "-fail-under", "1"}, recordings(t)...), exitPassed, ""},
		{"nor has a run without a score", []string{"-config", unscored, "-pass-rate", "0.1", mastra}, exitFailed, "0 of 1 judged run passed"},

		{"flags may stand behind files", []string{mastra, "-config", passing}, exitPassed, ""},
		{"and between them", []string{mastra, "-config", failing, mastra, "-fail-under", "1"}, exitFailed, "failed\n"},
		{"two dashes are as good as one", []string{"--config=" + passing, mastra, "--format", "json"}, exitPassed, ""},
		{"the command may be named", []string{"score", "-config", passing, mastra}, exitPassed, ""},
		{"behind two dashes are files", []string{"-config", passing, "--", mastra}, exitPassed, ""},
		{"however they are named", []string{"-config", passing, "--", "-format"}, exitUsage, "toolcorrectness: -format: there is no such file or folder\n"},
		{"help was asked for", []string{"-help"}, exitPassed, ""},

		{"nothing given", nil, exitUsage, "toolcorrectness: -config is required (suggest drafts one); -h explains it\n"},
		{"no traces", []string{"-config", demo}, exitUsage, "toolcorrectness: no traces: name files or folders, or - for standard input\n"},
		{"no such flag", []string{"-colour"}, exitUsage, "toolcorrectness: there is no flag -colour; -h lists them\n"},
		{"a flag without its value", []string{"-config"}, exitUsage, "toolcorrectness: flag needs an argument: -config\n"},
		{"no such format", []string{"-config", demo, "-format", "xml", mastra}, exitUsage, "toolcorrectness: -format must be table, json, junit, markdown or html, is \"xml\"\n"},
		{"-fail-under is no score", []string{"-config", demo, "-fail-under", "80", mastra}, exitUsage, "toolcorrectness: -fail-under must be from 0 to 1, is 80\n"},
		{"nor NaN", []string{"-config", demo, "-fail-under", "NaN", mastra}, exitUsage, "toolcorrectness: -fail-under must be from 0 to 1, is NaN\n"},
		{"nor a word", []string{"-config", demo, "-fail-under", "low", mastra}, exitUsage, "toolcorrectness: invalid value \"low\" for flag -fail-under: parse error\n"},
		{"-pass-rate is no share", []string{"-config", demo, "-pass-rate", "95", mastra}, exitUsage, "toolcorrectness: -pass-rate must be from 0 to 1, is 95\n"},
		{"a link that is none", []string{"-config", demo, "-trace-url", "javascript:alert()", mastra}, exitUsage, "toolcorrectness: -trace-url must begin with http:// or https://, is \"javascript:alert()\"\n"},
		{"nearly a flag", []string{"-confg", passing, mastra}, exitUsage, "toolcorrectness: there is no flag -confg (did you mean \"config\"?); -h lists them\n"},
		{"nearly a command", []string{"sugest", "-config", passing, mastra}, exitUsage, "toolcorrectness: sugest: there is no such file or folder (did you mean \"suggest\"?)\n"},
		{"no such configuration", []string{"-config", "missing.yaml", mastra}, exitUsage, "open missing.yaml: no such file or directory\n"},
		{"no such traces", []string{"-config", demo, "missing.jsonl"}, exitUsage, "toolcorrectness: missing.jsonl: there is no such file or folder\n"},
		{"a folder", []string{"-config", demo, "../../testdata/traces"}, exitFailed, "5 of 10 judged runs failed\n"},
		{"a folder without traces", []string{"-config", demo, "../../docs"}, exitUsage, "toolcorrectness: ../../docs: no file in it ends with .json, "},
		{"a pattern that no shell has expanded", []string{"-config", demo, "../../testdata/traces/*.jsonl"}, exitFailed, "5 of 10 judged runs failed\n"},
		{"a pattern that matches nothing", []string{"-config", demo, "*.nothing"}, exitUsage, "toolcorrectness: no file matches *.nothing\n"},
		{"an output that cannot be made", []string{"-config", passing, "-o", "missing/out", mastra}, exitUsage, "toolcorrectness: open missing/out: no such file or directory\n"},
		{"a list has no gate", []string{"list", mastra}, exitPassed, ""},
		{"also of nothing", []string{"list", filepath.Join("testdata", "ordinary.json")}, exitPassed, "1 span in 1 file, and none is known as an agent's"},
		{"a list of what cannot be read", []string{"list", "main_test.go"}, exitUsage, "not all of the input could be read\n"},
		{"a list of nothing given", []string{"list"}, exitUsage, "toolcorrectness: no traces"},
		{"version takes no files", []string{"version", mastra}, exitUsage, "takes no files beside its flags"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := ends(t, tc.code, "", tc.args...)
			says(t, tc.stderr, got.stderr)
			if tc.code == exitUsage {
				assert.Empty(t, got.stdout, "there are no verdicts on what could not be read")
			}
		})
	}
}

// A gate without a verdict fails, and says what there was and why that was not enough.
func TestNothingJudged(t *testing.T) {
	misspelt := section(t, `expectations: [{name: refunds, when: 'attributes["tool_correctness.agent"] == "supprt"', tools: [x]}]`)
	broken := section(t, `expectations: [{when: 'Substring(name, 0, 1000) == "x"', tools: [x]}]`)
	anything := section(t, `expectations: [{tools: [search_orders]}]`)
	for _, tc := range []struct {
		claim, config, traces string
		want                  []string
	}{
		{"an empty file", anything, file(t, "empty", ""), []string{"no spans in 1 file"}},
		{"an empty line", anything, file(t, "empty", "\n"), []string{"no spans in 1 file"}},
		{"an empty request", anything, file(t, "empty", "{}"), []string{"no spans in 1 file"}},
		{"a request without spans", anything, file(t, "empty", `{"resourceSpans":[]}`), []string{"no spans in 1 file"}},
		{"logs", anything, file(t, "empty", `{"resourceLogs":[]}`), []string{"no spans in 1 file"}},
		{"no agent's spans", anything, filepath.Join("testdata", "ordinary.json"),
			[]string{"1 span in 1 file, and none is known as an agent's, a tool call's or a model call's"}},
		{"an MCP server's spans", anything, file(t, "server", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001",`+
			`"kind":2,"name":"tools/call x","attributes":[{"key":"mcp.method.name","value":{"stringValue":"tools/call"}},{"key":"gen_ai.tool.name","value":{"stringValue":"x"}}]}]}]}]}`),
			[]string{"1 span in 1 file, 1 of them of MCP, and no agent"}},
		{"a model's spans", anything, file(t, "model", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"00000000000000000000000000000001","spanId":"0000000000000001",`+
			`"name":"chat","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},{"key":"gen_ai.request.model","value":{"stringValue":"m"}}]}]}]}]}`),
			[]string{"1 span in 1 file, 1 of them of models, which were offered no tools and asked for none, and no agent"}},
		{"a misspelt agent", misspelt, filepath.Join("testdata", "run.json"),
			[]string{"1 run in 1 file, and no expectation is for any of them", `agents found: "support" (1 run)`,
				`expectations[0] (refunds): when attributes["tool_correctness.agent"] == "supprt"`}},
		{"a condition that fails", broken, filepath.Join("testdata", "run.json"),
			[]string{"the condition of an expectation failed on a span", "no expectation is for any of them", `when Substring(name, 0, 1000) == "x"`, "the warnings above may say why"}},
		{"no span to ask a condition of", misspelt, filepath.Join("testdata", "no-anchor.json"),
			[]string{"agents found: unknown, because the run's own span never arrived (1 run)"}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			closed := ends(t, exitFailed, "", "-config", tc.config, tc.traces)
			assert.Contains(t, closed.stderr, "toolcorrectness: nothing was judged: ")
			for _, want := range tc.want {
				assert.Contains(t, closed.stderr, want)
			}
			allowed := command("", "-config", tc.config, "-allow-empty", tc.traces)
			assert.Equal(t, result{exitPassed, closed.stdout, closed.stderr}, allowed, "-allow-empty lets it pass and says the same")
		})
	}
}

// Many agents and expectations do not fill the screen.
func TestNothingJudgedIsSaidInAFewLines(t *testing.T) {
	var expectations strings.Builder
	for i := range 30 {
		fmt.Fprintf(&expectations, "\n- {when: name == \"nobody-%d\", tools: [x]}", i)
	}
	got := ends(t, exitFailed, "", "-config", section(t, "expectations:"+expectations.String()), mastra)
	assert.Contains(t, got.stderr, "\n  and 20 expectations more\n")
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

// The processor's section is read as a collector reads it.
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
			rows := rowsIn(t, got.stdout)
			require.Len(t, rows, 1)
			assert.Equal(t, []any{tc.expected}, rows[0]["expected"])
		})
	}
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
