package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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
	assert.Contains(t, table.stdout, `a\tb\nc\x1b[31m\u009b31m<&>\u2028\x7f\u202e\u2066`)

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

func TestARowHasTheRejectedRequests(t *testing.T) {
	r := evaluate.Report{Run: runs.Run{Rejected: []runs.Call{{Call: scoring.Call{Name: "teleport", Arguments: scoring.JSON(`{"to": "Mars"}`)}}}}}
	text, err := json.Marshal(rowsOf(r, true)[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), `"rejected":["teleport"]`)
}
