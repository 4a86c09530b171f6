package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// one is the only row that a configuration and a file of testdata give, with values.
func one(t *testing.T, yaml, traces string) map[string]any {
	t.Helper()
	got := command("", "-config", section(t, yaml), "-format", "json", "-values", filepath.Join("testdata", traces))
	require.NotEqual(t, exitUsage, got.code, got.stderr)
	rows := rowsIn(t, got.stdout)
	require.Len(t, rows, 1, got.stderr)
	return rows[0]
}

// A run is there even if nothing is expected of it: that is how one finds out what to expect.
func TestRunThatNoExpectationIsFor(t *testing.T) {
	row := one(t, `expectations: [{when: name == "nobody", tools: [x]}]`, "run.json")
	calls := row["calls"].([]any)
	delete(row, "calls")
	assert.Equal(t, map[string]any{
		"trace_id": "5b8efff798038103d269b633813fc60c", "span_id": "00000000000000a1", "agent": "support", "conversation": "c-7",
		"expectation": "", "case": "", "started": "2025-06-15T15:06:40Z", "metric": "", "status": "no_expectation", "score": nil, "passed": false, "threshold": 0.0, "reason": "",
		"complete": true, "closed_by": "anchor", "expected": []any{}, "missing": []any{}, "unexpected": []any{},
		"file": filepath.Join("testdata", "run.json"), "incomplete_because": []any{},
	}, row)
	assert.Equal(t, []any{
		map[string]any{"name": "search_orders", "arguments": map[string]any{"customer": 12.0}, "output": map[string]any{"orders": []any{"A-1"}}, "status": "ok", "span_id": "00000000000000b1", "verdict": ""},
		map[string]any{"name": "refund_order", "arguments": nil, "output": nil, "status": "error", "span_id": "00000000000000b2", "verdict": ""},
		map[string]any{"name": "note", "arguments": "not {json", "output": "done", "status": "unset", "span_id": "00000000000000b3", "verdict": ""},
	}, calls)
}

// What cannot be scored has no score: not 0, which is a bad one.
func TestScoreIsNullWhereThereIsNone(t *testing.T) {
	row := one(t, `{metrics: {m: {native: {arguments: exact, threshold: 0.7}}}, expectations: [{tools: [{name: refund_order, arguments: {}}]}]}`, "run.json")
	assert.Nil(t, row["score"])
	assert.Equal(t, "not_evaluable", row["status"])
	assert.Equal(t, false, row["passed"])
	assert.Equal(t, 0.7, row["threshold"])
	assert.Contains(t, row["reason"], "refund_order")
	assert.Equal(t, []any{"refund_order"}, row["expected"])
	assert.Equal(t, []any{}, row["missing"])
	assert.Equal(t, []any{"search_orders", "note"}, row["unexpected"])
}

// The agent's own span never arrived. Its calls did, and the run is scored as incomplete.
func TestRunWithoutAnchor(t *testing.T) {
	row := one(t, `expectations: [{tools: [search_orders]}]`, "no-anchor.json")
	assert.Empty(t, row["span_id"])
	assert.Empty(t, row["agent"])
	assert.Equal(t, false, row["complete"])
	assert.Equal(t, []any{"anchor_missing"}, row["incomplete_because"])
	assert.Equal(t, "idle", row["closed_by"])
	assert.Equal(t, "scored", row["status"])
	assert.Equal(t, 1.0, row["score"])
	assert.Equal(t, "5b8efff798038103d269b633813fc60c", row["trace_id"])

	row = one(t, `expectations: [{when: name == "x", tools: [search_orders]}]`, "no-anchor.json")
	assert.Equal(t, "no_expectation", row["status"], "there is no span that a condition could be asked of")
	assert.Equal(t, false, row["complete"])
	assert.Len(t, row["calls"], 1)
}

func TestALineForEachMetric(t *testing.T) {
	config := section(t, `
metrics:
  b: { native: { score: precision } }
  a: { deepeval: { include_reason: false } }
  c: { eval_lib: { threshold: 0.9 } }
expectations:
  - { name: refund, tools: [search_orders, refund_order] }`)
	got := command("", "-config", config, "-format", "json", filepath.Join("testdata", "run.json"))
	var lines []string
	for _, row := range rowsIn(t, got.stdout) {
		lines = append(lines, fmt.Sprintf("%v %v %.2f %v %v %t", row["metric"], row["expectation"], row["score"], row["passed"], row["threshold"], row["reason"] != ""))
	}
	assert.Equal(t, []string{"a refund 1.00 true 0.5 false", "b refund 0.67 true 0.5 true", "c refund 1.00 true 0.9 true"}, lines)
}

// Text of a span cannot break the table, the JSON or the terminal.
func TestHostileText(t *testing.T) {
	const hostile = "a\tb\nc\x1b[31m\u009b31m<&>\u2028\x7f\u202e\u2066"
	text := strings.ReplaceAll(readFile(t, filepath.Join("testdata", "run.json")), `"support"`, string(mustJSON(t, hostile)))
	text = strings.ReplaceAll(text, "not {json", "\xff{")
	traces := file(t, "hostile.json", text)
	config := section(t, `expectations: [{tools: [search_orders]}]`)

	table := command("", "-config", config, traces)
	assert.Equal(t, 4, strings.Count(table.stdout, "\n"), "titles, a run, nothing, and the count")
	assert.NotContains(t, table.stdout, "\x1b")
	assert.NotContains(t, table.stdout, "\u009b")
	assert.Contains(t, table.stdout, `a\x09b\x0ac\x1b[31m\x9b31m<&>\u2028\x7f\u202e\u2066`)

	got := command("", "-config", config, "-format", "json", traces)
	assert.Equal(t, hostile, rowsIn(t, got.stdout)[0]["agent"])
	assert.Equal(t, strings.ToValidUTF8(got.stdout, "?"), got.stdout)
	assert.Contains(t, got.stdout, "<&>", "and is readable")
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return text
}

// A column says where a run is, in few words that are enough to find it.
func TestTableLocatesRuns(t *testing.T) {
	first := file(t, "traces.jsonl", readFile(t, mastra))
	second := file(t, "traces.jsonl", readFile(t, "../../testdata/traces/openai-agents-sub-agent.jsonl"))
	config := section(t, `expectations: [{tools: [get_weather]}]`)
	var runs []string
	for line := range strings.Lines(command("", "-config", config, first, second).stdout) {
		if where, _, found := strings.Cut(line, "  "); found && strings.Contains(where, "traces.jsonl") {
			runs = append(runs, where)
		}
	}
	folder := func(name string) string { return filepath.Base(filepath.Dir(name)) + "/traces.jsonl " }
	assert.Equal(t, []string{folder(first) + "d5d643a7", folder(second) + "cee9da15/7a07", folder(second) + "cee9da15/3531"}, runs)
}

func TestARowHasTheRejectedRequests(t *testing.T) {
	r := evaluate.Report{Run: runs.Run{Rejected: []runs.Call{{Call: scoring.Call{Name: "teleport", Arguments: scoring.JSON(`{"to": "Mars"}`)}}}}}
	text, err := json.Marshal(rowsOf(r, true)[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), `"rejected":["teleport"]`)
}

// A row is one metric of a run. A metric without an expectation has no row; a run without any expectation has one line, which
// says so. The recorded run called get_weather and convert_currency.
func TestRowsOfMetricsThatMeetDifferentExpectations(t *testing.T) {
	const metrics = "metrics: {a: {native: }, b: {deepeval: }, c: {galtea: }}\n"
	for _, tc := range []struct {
		claim, expectations, reason string
		want                        []string
	}{
		{"each has its own", `[{name: x, tools: [{name: get_weather, optional: true}], metrics: [a]}, {name: y, tools: [get_weather, mail], metrics: [b]}, {name: z, tools: [mail]}]`,
			"expected and missing are those of the line's expectation",
			[]string{"a x scored [] []", "b y scored [get_weather mail] [mail]", "c z scored [mail] [mail]"}},
		{"one has none", `[{name: x, tools: [mail], metrics: [a]}, {name: y, tools: [get_weather], metrics: [b]}]`,
			"there is nothing to say of c", []string{"a x scored [mail] [mail]", "b y scored [get_weather] []"}},
		{"none has one", `[{name: x, tools: [mail], metrics: [a], when: 'name == "nobody"'}]`,
			"the calls are worth a line", []string{"  no_expectation [] []"}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			got := command("", "-config", section(t, metrics+"expectations: "+tc.expectations), "-format", "json", mastra)
			var lines []string
			for _, row := range rowsIn(t, got.stdout) {
				lines = append(lines, fmt.Sprint(row["metric"], " ", row["expectation"], " ", row["status"], " ", row["expected"], " ", row["missing"]))
				require.Len(t, row["calls"], 2)
			}
			assert.Equal(t, tc.want, lines, tc.reason)
		})
	}
}

func TestUserInput(t *testing.T) {
	const want = "Where is my order?"
	for _, tc := range []struct{ key, value, want, reason string }{
		{"gen_ai.input.messages", `[{"role":"system","parts":[{"type":"text","content":"Be kind."}]},{"role":"user","parts":[{"type":"text","content":"Where is my order?"}]}]`, want, "the user's message, and not the system's"},
		{"gen_ai.input.messages", `[{"role":"user","parts":[{"type":"text","content":"Hello"}]},{"role":"assistant","parts":[]},{"role":"user","parts":[{"type":"text","content":"Where is my order?"}]}]`, want, "the last one"},
		{"input.value", want, want, "a plain text"},
		{"input.value", `{"input_args": {"question": "Where is my order?"}}`, want, "an argument"},
		{"ai.prompt", `{"system":"Be kind.","messages":[{"role":"user","content":"Where is my order?"}]}`, want, "messages come first"},
		{"traceloop.entity.input", `{"args":["Where is my order?"],"kwargs":{}}`, want, "arguments of a function"},
		{"genkit:input", `"Where is my order?"`, want, "a text of JSON"},
		{"input.value", `{"resume":{"decisions":[]}}`, "", "nothing that a user asked"},
		{"gen_ai.request.model", want, "", "another attribute"},
	} {
		attributes := pcommon.NewMap()
		attributes.PutStr(tc.key, tc.value)
		assert.Equal(t, tc.want, inputOf(attributes), tc.reason)
	}
}
