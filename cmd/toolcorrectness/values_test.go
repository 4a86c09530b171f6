package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// Arguments, outputs and keys of calls are in no format, whatever compares them, unless the user asks for values.
func TestPrivateContentIsNotPrinted(t *testing.T) {
	const canary = "CANARY-7f3a"
	run := readFile(t, filepath.Join("testdata", "run.json"))
	for _, content := range []struct{ text, reason string }{
		{`{"customer": "CANARY-7f3a"}`, "a value"},
		{`{"CANARY-7f3a": 1, "customer": 7}`, "a key beside an expected one"},
		{`{"customer": {"CANARY-7f3a": {"CANARY-7f3a": 1}}}`, "keys and a value further inside"},
		{`["CANARY-7f3a"]`, "a list"},
		{`CANARY-7f3a`, "a text"},
		{`{"customer": "CANARY-7f3a"]`, "JSON that is damaged"},
	} {
		inside := strings.Trim(string(mustJSON(t, content.text)), `"`)
		traces := run
		for _, payload := range []string{`{\"customer\": 12}`, `{\"orders\": [\"A-1\"]}`, "not {json"} {
			require.Contains(t, traces, payload)
			traces = strings.ReplaceAll(traces, payload, inside)
		}
		traces = file(t, "run.json", traces)
		for _, method := range []string{
			"native: {arguments: exact, output: exact}", "native: {arguments: subset, output: subset}", "native: {arguments: partial}",
			"deepeval: {evaluation_params: [input_parameters, output], should_exact_match: true}", "axion: {check_parameters: true}",
		} {
			config := section(t, "metrics: {m: {"+method+"}}\nexpectations: [{tools: [{name: search_orders, arguments: {customer: 7}, output: {orders: []}}]}]")
			for _, format := range report.Formats {
				got := command("", "-config", config, "-format", format.Name, traces)
				require.NotEqual(t, exitUsage, got.code, got.stderr)
				assert.Contains(t, got.stdout, "support", "the run is in it")
				assert.NotContains(t, got.stdout+got.stderr, canary, "%s, %s, %s", content.reason, method, format.Name)
			}
			assert.Contains(t, command("", "-config", config, "-format", "json", "-values", traces).stdout, canary, "this test can fail")
		}
	}
}

// Without values the lines of JSON are those with values, except for arguments, outputs and what reasons quote of them.
func TestValuesChangeNothingElseInJSON(t *testing.T) {
	private := command("", append([]string{"-config", demo, "-format", "json"}, recordings(t)...)...)
	shown := command("", append([]string{"-config", demo, "-format", "json", "-values"}, recordings(t)...)...)
	assert.Equal(t, private.code, shown.code)
	rows, had := rowsOfReport(t, private.stdout), rowsOfReport(t, shown.stdout)
	require.Len(t, rows, len(had))
	values := 0
	for i := range had {
		had[i].Reason = rows[i].Reason
		for k := range had[i].Calls {
			values += len(had[i].Calls[k].Arguments)
			had[i].Calls[k].Arguments, had[i].Calls[k].Output = nil, nil
		}
	}
	assert.Equal(t, had, rows)
	assert.Positive(t, values, "there were values to leave out")
}

func rowsOfReport(t *testing.T, stdout string) (rows []report.Row) {
	t.Helper()
	for d := json.NewDecoder(bytes.NewBufferString(stdout)); d.More(); {
		var r report.Row
		require.NoError(t, d.Decode(&r))
		rows = append(rows, r)
	}
	return rows
}
