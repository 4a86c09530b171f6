package toolcorrectnessprocessor

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	toolcorrectness "github.com/toolcorrectness/toolcorrectnessprocessor/processor"
)

const withDataset = `expectations: [{name: cases, dataset: {file: DIR/cases.jsonl, key: 'attributes["case"]'}}]`

// An error of a dataset names file and line. The old set stays in use until the file is corrected.
func TestWrongDatasets(t *testing.T) {
	const good = `{"key": "a", "tools": ["x"]}` + "\n"
	play := wrongFilePlay{name: "cases.jsonl", section: withDataset, good: good, mended: `{"key": "a", "tools": ["mended"]}`,
		tools: func(set *evaluate.ExpectationSet) []string {
			x, ok, err := set.Expectations[0].Cases.Find("a")
			require.NoError(t, err)
			require.True(t, ok)
			return x.Names()
		}}
	for _, tc := range []wrongFile{
		{"a directory", replacedBy(func(t *testing.T, file string) { require.NoError(t, os.Mkdir(file, 0o700)) }), "DIR/cases.jsonl: is a directory, not a file", "a wrong mount"},
		{"vanished", replacedBy(func(*testing.T, string) {}), "DIR/cases.jsonl: does not exist", "a volume was unmounted"},
		{"empty", written(""), "DIR/cases.jsonl: has no case", "a truncated file"},
		{"blank", written("\n \r\n"), "DIR/cases.jsonl: has no case", "says nothing"},
		{"5 GB", replacedBy(func(t *testing.T, file string) {
			require.NoError(t, os.WriteFile(file, nil, 0o600))
			require.NoError(t, os.Truncate(file, 5<<30))
		}), "DIR/cases.jsonl: is 5 GiB long, and at most 2 GiB are read", "it would not fit into memory"},
		{"half-written", written(good + `{"key": "b", "tools": ["y`), "DIR/cases.jsonl:2: is no JSON: unexpected EOF (the last line has no end: it may be half-written)", "a program is writing it"},
		{"a duplicate key", written(good + good), `DIR/cases.jsonl:2: key: "a" is the key of line 1 already`, "one of the two would be dropped"},
		{"a line of 100 MB", written(good + strings.Repeat("x", 100<<20) + "\n"), "DIR/cases.jsonl:2: the line is longer than 1 MiB", "no case is as long"},
		{"no JSON", written("key: a\n"), "DIR/cases.jsonl:1: is no JSON: ", "YAML with the name of JSON lines"},
		{"a list", written("[1]\n"), "DIR/cases.jsonl: is a JSON array: a dataset has one JSON object a line, such as", "one document instead of lines"},
		{"two on a line", written(`{"key": "a", "tools": []} {"key": "b", "tools": []}`), "DIR/cases.jsonl:1: is no JSON", "the second would be dropped"},
		{"no key", written(`{"tools": ["x"]}`), "DIR/cases.jsonl:1: key: must not be empty: it says which runs are of the case", "no run would find it"},
		{"nothing expected", written(`{"key": "a"}`), "DIR/cases.jsonl:1: says nothing: give `tools`", "the rule is that of an expectation"},
		{"an unknown key", written(`{"key": "a", "tool": ["x"]}`), `DIR/cases.jsonl:1: tool: is no key of a case (did you mean "tools"?)`, "a typing mistake"},
		{"a name", written(`{"key": "a", "name": "n", "tools": ["x"]}`), "DIR/cases.jsonl:1: name: is no key of a case: verdicts are counted under", "it would be a series for each case"},
		{"a wrong type", written(`{"key": [5], "tools": ["x"]}`), "DIR/cases.jsonl:1: key: must be a text, a number or a boolean", "keys are texts, and numbers are compared as texts"},
		{"a wrong word", written(`{"key": "a", "tools": [{"name": "x", "arguments": {}, "arguments_match": "exakt"}]}`), `DIR/cases.jsonl:1: tools[0].arguments_match: must be ignore`, "the rule is that of a tool"},
		{"a wrong condition", written(`{"key": "a", "tools": [{"name": "x", "where": "argument[1]"}]}`), `DIR/cases.jsonl:1: tools[0].where: "argument[1]" is no condition on a call`, "conditions are compiled before they are used"},
		{"many faults", written(strings.Repeat("x\n", 30)), "DIR/cases.jsonl: 10 more faults", "a list of a million faults helps no reader"},
	} {
		t.Run(tc.claim, func(t *testing.T) { play.run(t, tc) })
	}
}

// A reference method refuses keys that only the native method supports, and the error names the case.
func TestCasesSuitTheirMetrics(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cases.jsonl"), "{\"key\": \"a\", \"tools\": [\"x\"]}\n{\"key\": \"b\", \"tools\": [], \"max_calls\": 2}\n")
	_, err := fileSource(t, dir, "{metrics: {g: {galtea: }}, "+withDataset+"}").Read(t.Context())
	require.EqualError(t, err, "expectations[0]: the case in "+dir+"/cases.jsonl:2 uses max_calls, which only the native method understands, but is scored by the metric \"g\", "+
		"whose method is galtea: define a metric with the native method and name it in `metrics`")
}

// YAML and JSON lines mean the same, even with a byte order mark and CRLF.
func TestFormsOfDatasets(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cases.jsonl"), "\uFEFF"+`{"key": "a", "tools": ["x", {"name": "y", "arguments": {"n": 1.0}, "output": "ok"}]}`+"\r\n")
	write(t, filepath.Join(dir, "cases.yaml"), "\uFEFF- key: a\r\n  tools:\r\n    - x\r\n    - { name: y, arguments: { n: 1.0 }, output: ok }\r\n")
	for _, name := range []string{"cases.jsonl", "cases.yaml"} {
		set, err := fileSource(t, dir, strings.ReplaceAll(withDataset, "cases.jsonl", name)).Read(t.Context())
		require.NoError(t, err)
		x, ok, err := set.Expectations[0].Cases.Find("a")
		require.NoError(t, err)
		require.True(t, ok)
		assert.Equal(t, []string{"x", "y"}, x.Names())
		assert.JSONEq(t, `{"n":1.0}`, string(x.Tools()[1].Arguments.AppendJSON(nil)))
	}
	write(t, filepath.Join(dir, "cases.yaml"), "- key: a\n  tools: [x]\n- key: a\n  tools: [y]\n")
	_, err := fileSource(t, dir, strings.ReplaceAll(withDataset, "cases.jsonl", "cases.yaml")).Read(t.Context())
	require.EqualError(t, err, dir+`/cases.yaml:3: key: "a" is the key of line 1 already`)
}

// For a run without a case, the next expectation is tried, or it is not evaluable. No attribute of an anchor changes that.
func TestKeysOfRuns(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "cases.jsonl"), `{"key": "a", "tools": ["x"]}`+"\n"+`{"key": "7", "tools": ["seven"]}`+"\n")
	for _, tc := range []struct {
		claim, unknown string
		key            any
		want           string // expectation, status, expected
		reason         string
	}{
		{"a case", "next", "a", "cases scored [x]", ""},
		{"a number", "next", 7, "cases scored [seven]", "a key as it is written"},
		{"no case, next", "next", "b", "rest scored [z]", "the next expectation is asked"},
		{"no key, next", "next", nil, "rest scored [z]", "the span has none"},
		{"a map, next", "next", map[string]any{"a": 1}, "rest scored [z]", "no key"},
		{"no case, report", "report", "b", "cases not_evaluable []", `Not scored: the dataset has no case with the run's key, which is attributes["case"].`},
		{"no key, report", "report", nil, "cases not_evaluable []", `Not scored: the span has no key, which is attributes["case"].`},
		{"a list, report", "report", []any{"a"}, "cases not_evaluable []", `Not scored: the run's key is neither a text nor a number, which is attributes["case"].`},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			yaml := strings.ReplaceAll(`{run: {wait: 0}, expectations: [{name: cases, dataset: {file: DIR/cases.jsonl, key: 'attributes["case"]'}, unknown_key: UNKNOWN}, {name: rest, tools: [z]}]}`, "UNKNOWN", tc.unknown)
			got := verdictOf(t, mustLoad(t, strings.ReplaceAll(yaml, "DIR", dir)), map[string]any{"case": tc.key})
			assert.Equal(t, tc.want, fmt.Sprint(got["tool_correctness.expectation"], " ", got["tool_correctness.status"], " ", got["tool_correctness.expected"]))
			if tc.unknown == "report" {
				assert.Equal(t, tc.reason, got["tool_correctness.reason"])
			}
		})
	}
}

// An attribute supports all keys of an expectation except conditions. Its errors contain no values.
func TestAttributesSayAllKeys(t *testing.T) {
	for _, tc := range []struct{ claim, text, want, reason string }{
		{"a list", `["x"]`, "scored", "Failed: missing x."},
		{"all keys of a tool", `[{"any_of": ["x", "y"], "optional": true}]`, "scored", "Passed"},
		{"an object", `{"tools": [], "max_calls": 3, "forbidden": ["z"]}`, "scored", "Passed"},
		{"limits by tool", `{"tools": [{"name": "x", "optional": true, "ignore_arguments": ["id"], "arguments": {}, "argument_defaults": {"n": 1}}], "max_calls": {"x": 1}}`, "scored", "Passed"},
		{"several lists", `{"any_of": [["x"], []]}`, "scored", "Passed"},
		{"no JSON", `secret`, "not_evaluable", `Not scored: the attribute "expected" is no list of expected tools: it is not a JSON array.`},
		{"an unknown key", `{"secret": 1}`, "not_evaluable", `Not scored: the attribute "expected" is no list of expected tools: it is neither a JSON list of tools nor an object with the keys of an expectation.`},
		{"a wrong value", `{"tools": [{"name": "x", "count": {"min": -1}}]}`, "not_evaluable", `Not scored: the attribute "expected" is no list of expected tools: tools[0].count`},
		{"a condition", `{"forbidden": [{"name": "x", "where": "name == \"secret\""}]}`, "not_evaluable", `Not scored: the attribute "expected" is no list of expected tools: it says where, and conditions are not taken from a span.`},
		{"deep", `{"forbidden": ` + strings.Repeat("[", 20_000), "not_evaluable", "Not scored"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := verdictOf(t, mustLoad(t, "{run: {wait: 0}, expectations: [{from_attribute: expected}]}"), map[string]any{"expected": tc.text})
			assert.Equal(t, tc.want, got["tool_correctness.status"], got["tool_correctness.reason"])
			assert.Contains(t, got["tool_correctness.reason"], tc.reason)
			assert.NotContains(t, got["tool_correctness.reason"], "secret", "values are private")
		})
	}
	got := verdictOf(t, mustLoad(t, "{run: {wait: 0}, metrics: {g: {galtea: }}, expectations: [{from_attribute: expected}]}"), map[string]any{"expected": `{"tools": [], "max_calls": 1}`})
	assert.Equal(t, `Not scored: the attribute "expected" uses max_calls, which only the native method understands.`, got["g.reason"])
}

// verdictOf returns the attributes of an agent's span after the processor, given those before.
func verdictOf(t *testing.T, cfg *Config, attributes map[string]any) (got map[string]any) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		sink, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
			got = td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes().AsRaw()
			return nil
		})
		require.NoError(t, err)
		p := startWith(t, cfg, sink)
		td := team(1, "")
		on := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).Attributes()
		for key, value := range attributes {
			require.NoError(t, on.PutEmpty(key).FromRaw(value))
			if value == nil {
				on.Remove(key)
			}
		}
		require.NoError(t, p.ConsumeTraces(t.Context(), td))
		time.Sleep(time.Second)
		synctest.Wait()
		require.NoError(t, p.Shutdown(context.WithoutCancel(t.Context())))
	})
	return got
}

// millionCases writes a dataset.
func millionCases(tb testing.TB, file string, cases int) {
	tb.Helper()
	out, err := os.Create(file)
	require.NoError(tb, err)
	w := bufio.NewWriter(out)
	for i := range cases {
		fmt.Fprintf(w, "{\"key\":\"case-%07d\",\"tools\":[\"search_orders\",{\"name\":\"refund_order\",\"arguments\":{\"currency\":\"EUR\",\"amount\":%d}}],\"forbidden\":[\"delete_account\"]}\n", i, i)
	}
	require.NoError(tb, w.Flush())
	require.NoError(tb, out.Close())
}

// A million cases are read in seconds, and each takes less than a kilobyte.
func TestMillionCases(t *testing.T) {
	cases := 1_000_000
	if testing.Short() {
		cases = 20_000
	}
	dir := t.TempDir()
	millionCases(t, filepath.Join(dir, "cases.jsonl"), cases)
	s := fileSource(t, dir, withDataset)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	set, err := s.Read(t.Context())
	took := time.Since(began)
	require.NoError(t, err)
	runtime.GC()
	runtime.ReadMemStats(&after)
	perCase := float64(after.HeapAlloc-before.HeapAlloc) / float64(cases)
	t.Logf("%d cases: read in %v, %.0f bytes a case", cases, took, perCase)
	assert.Less(t, perCase, 1000.0)
	if os.Getenv("IDLE") != "" { // `IDLE=1 go test . -run TestMillionCases -v` says that the machine is idle
		assert.Less(t, took, 10*time.Second)
	}
	x, ok, err := set.Expectations[0].Cases.Find(fmt.Sprintf("case-%07d", cases-1))
	require.NoError(t, err)
	require.True(t, ok)
	assert.Equal(t, []string{"search_orders", "refund_order"}, x.Names())
	runtime.KeepAlive(s)
}

var _ toolcorrectness.Source = files{}
