package main

import (
	"encoding/json"
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
