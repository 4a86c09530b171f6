package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Runs that close along the way, because much is open, have the verdicts of those that close at the end.
func TestRunsCloseAlongTheWay(t *testing.T) {
	want := command("", append([]string{"-config", demo, "-format", "json"}, recordings(t)...)...)
	open, spans := muchOpen, fewSpans
	muchOpen, fewSpans = 0, 1
	t.Cleanup(func() { muchOpen, fewSpans = open, spans })
	assert.Equal(t, want, command("", append([]string{"-config", demo, "-format", "json"}, recordings(t)...)...))
}

// With an earlier report, a run fails only if it got worse.
func TestBaseline(t *testing.T) {
	before := filepath.Join(t.TempDir(), "before.json")
	args := append([]string{"-config", demo, "-baseline", before}, recordings(t)...)
	ends(t, exitFailed, "", append([]string{"-config", demo, "-format", "json", "-o", before}, recordings(t)...)...)

	got := ends(t, exitPassed, "", args...)
	assert.Contains(t, got.stdout, "10 runs: 5 passed, 0 failed, 0 not scored, 0 without expectation, 5 did not pass before either\n")
	assert.Contains(t, got.stderr, "compared by trace and span ids: 0 worse, 0 better, 10 as before, 0 new, 0 gone\n")

	valued := filepath.Join(t.TempDir(), "valued.json")
	ends(t, exitFailed, "", append([]string{"-config", demo, "-format", "json", "-values", "-o", valued}, recordings(t)...)...)
	assert.Equal(t, got, command("", append([]string{"-config", demo, "-baseline", valued}, recordings(t)...)...), "values in the earlier report change nothing")

	text := readFile(t, before)
	worse := strings.Replace(text, `"score":0.6666666666666666,"passed":false`, `"score":1,"passed":true`, 1)
	worse = strings.Replace(worse, `"score":1,"passed":true`, `"score":0.25,"passed":false`, 1)
	require.NoError(t, os.WriteFile(before, []byte(worse), 0o600))
	got = ends(t, exitFailed, "", args...)
	assert.Contains(t, got.stderr, "toolcorrectness: 1 of 10 judged runs failed\n")
	assert.Contains(t, got.stderr, "1 worse, 1 better, 8 as before, 0 new, 0 gone\nworse:\n  google-adk-two-runs.jsonl c2b8cfdf/c0a7: ")
	assert.Regexp(t, `google-adk-two-runs.jsonl c2b8cfdf/c0a7 .* no  `, got.stdout, "what did not pass before either is marked as before")
	for format, want := range map[string]string{"junit": `<skipped type="known"`, "json": `"change":"worse"`} {
		got := ends(t, exitFailed, "", append([]string{"-format", format}, args...)...)
		assert.Contains(t, got.stdout, want, format)
	}

	// Agents that ran again have other ids: their n-th run is compared with their n-th run.
	again := strings.NewReplacer(`"trace_id":"`, `"trace_id":"f`, `"span_id":"`, `"span_id":"f`).Replace(worse)
	lines := strings.SplitAfter(again, "\n")
	require.NoError(t, os.WriteFile(before, []byte(strings.Join(lines[1:], "")), 0o600))
	got = ends(t, exitFailed, "", args...)
	assert.Contains(t, got.stderr, "toolcorrectness: 2 of 10 judged runs failed\n", "what is new and did not pass is no better than what got worse")
	assert.Contains(t, got.stderr, "compared by case and agent: 1 worse, 1 better, 7 as before, 1 new, 0 gone\n")
	got = command("", append(args, "-pass-rate", "0.8")...)
	assert.Equal(t, exitPassed, got.code, "what is as before counts as passed")

	for text, want := range map[string]string{"": "number 1 is no verdict", "{}\n": "number 1 is no verdict", worse + "oops\n": "number 11 is no verdict as -format json prints it"} {
		require.NoError(t, os.WriteFile(before, []byte(text), 0o600))
		got := ends(t, exitUsage, "", args...)
		assert.Contains(t, got.stderr, "toolcorrectness: -baseline: "+before+": "+want)
		assert.Empty(t, got.stdout)
	}
	ends(t, exitUsage, "", "-config", demo, "-baseline", "missing.json", mastra)
}

// suite is a test suite of ten cases, each of which ran five times. passes says how often a case calls the expected tool.
func suite(order *rand.Rand, day int, passes [10]int) string {
	var runs []string
	for c, n := range passes {
		for trial := range 5 {
			tool := fmt.Sprintf("tool_%d", c)
			if trial >= n {
				tool = "other"
			}
			trace := fmt.Sprintf("%016x%016x", order.Uint64(), order.Uint64()|1)
			at := fmt.Sprintf("176%d000000000000000", 1+day)
			span := func(id, parent, name, attributes string) string {
				return fmt.Sprintf(`{"traceId":%q,"spanId":%q,"parentSpanId":%q,"name":%q,"kind":1,"startTimeUnixNano":%q,"endTimeUnixNano":%q,"attributes":[%s]}`,
					trace, id, parent, name, at, at, attributes)
			}
			text := func(key, value string) string {
				return fmt.Sprintf(`{"key":%q,"value":{"stringValue":%q}}`, key, value)
			}
			runs = append(runs, `{"resourceSpans":[{"scopeSpans":[{"spans":[`+
				span("00000000000000a1", "", "invoke_agent bot", text("gen_ai.operation.name", "invoke_agent")+","+text("gen_ai.agent.name", "bot")+","+text("case", fmt.Sprint("case-", c)))+","+
				span("00000000000000b2", "00000000000000a1", "execute_tool", text("gen_ai.operation.name", "execute_tool")+","+text("gen_ai.tool.name", tool))+`]}]}]}`)
		}
	}
	order.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	return strings.Join(runs, "\n") + "\n"
}

// A suite of ten cases runs five times each, in another order each time. What is said of a case depends on that case only.
func TestCasesThatRunSeveralTimes(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	var cases strings.Builder
	for c := range 10 {
		fmt.Fprintf(&cases, "{\"key\": \"case-%d\", \"tools\": [\"tool_%d\"]}\n", c, c)
	}
	config := write("config.yaml", fmt.Sprintf("processors: {tool_correctness: {expectations: [{name: golden, dataset: {file: %q, key: 'attributes[\"case\"]'}}]}}\n",
		write("cases.jsonl", cases.String())))
	passes := [10]int{5, 5, 5, 0, 5, 5, 5, 4, 5, 5}
	order := rand.New(rand.NewPCG(1, 2))
	first, second := write("first.jsonl", suite(order, 1, passes)), write("second.jsonl", suite(order, 2, passes))
	passes[0], passes[3] = 3, 2
	changed := write("changed.jsonl", suite(order, 3, passes))
	score := func(args ...string) result { return command("", append([]string{"-config", config}, args...)...) }

	got := score("-pass-rate", "0.8", first)
	assert.Equal(t, exitPassed, got.code, "44 of 50 runs passed: %s", got.stderr)
	assert.Regexp(t, `case-7, golden, bot +5 +4 +yes `, got.stdout)
	got = score("-case-pass-rate", "0.8", first)
	assert.Equal(t, exitFailed, got.code, "a case that always fails is not hidden by the others")
	assert.Contains(t, got.stderr, "1 case not good enough: case-3, golden, bot passed 0 of 5 runs, less than 0.8\n")
	got = score("-case-pass-rate", "0.2", "-pass-k", "3", changed)
	assert.Contains(t, got.stderr, "2 cases not good enough: case-3, golden, bot passed 2 of 5 runs: pass^3 is 0.000, less than 0.2\n", "C(3,3)/C(5,3) is 0.1")
	assert.Regexp(t, `case-0, golden, bot +5 +3 +yes +0\.100 +1\.000\n`, got.stdout, "C(3,3)/C(5,3) and 1-C(2,3)/C(5,3)")
	assert.Equal(t, exitFailed, score("-pass-rate", "0", "-pass-k", "6", first).code, "no case has six runs")
	assert.Equal(t, exitPassed, score("-pass-rate", "0", "-pass-k", "5", first).code)

	names := func(traces string) (all []string) {
		var report struct {
			Suites []struct {
				Cases []struct {
					Name string `xml:"name,attr"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		require.NoError(t, xml.Unmarshal([]byte(score("-format", "junit", "-pass-rate", "0", traces).stdout), &report))
		for _, s := range report.Suites {
			for _, c := range s.Cases {
				all = append(all, c.Name)
			}
		}
		slices.Sort(all)
		return all
	}
	require.Len(t, slices.Compact(names(first)), 50, "each run has a name of its own")
	assert.Equal(t, names(first), names(second))

	before := filepath.Join(folder, "before.json")
	require.Equal(t, exitPassed, score("-format", "json", "-pass-rate", "0", "-o", before, first).code)
	var row struct{ Case string }
	require.NoError(t, json.Unmarshal([]byte(strings.SplitN(readFile(t, before), "\n", 2)[0]), &row))
	assert.Regexp(t, `^case-\d$`, row.Case)
	got = score("-baseline", before, second)
	assert.Equal(t, exitPassed, got.code, "only the order differs: %s", got.stderr)
	assert.Contains(t, got.stderr, "compared by case and agent: 0 worse, 0 better, 50 as before, 0 new, 0 gone\n")
	got = score("-baseline", before, changed)
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.stderr, "compared by case and agent: 2 worse, 2 better, 46 as before, 0 new, 0 gone\nworse:\n")

	after := filepath.Join(folder, "after.json")
	require.Equal(t, exitPassed, score("-format", "json", "-pass-rate", "0", "-o", after, changed).code)
	page := ends(t, exitPassed, "", "trend", after, before)
	assert.Less(t, strings.Index(page.stdout, "before.json"), strings.Index(page.stdout, "after.json"), "by their dates")
	for _, want := range []string{"case-0, golden, bot", `class="passed">100%`, "60% ~ <small>3 of 5</small>", "By expectation"} {
		assert.Contains(t, page.stdout, want)
	}
	assert.NotRegexp(t, `<script|https?://|url\(`, page.stdout, "it needs nothing else")
	if folder := os.Getenv("TREND_PAGE"); folder != "" {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "trend.html"), []byte(page.stdout), 0o600))
		require.Equal(t, exitFailed, score("-format", "html", "-o", filepath.Join(folder, "report.html"), changed).code)
	}
}
