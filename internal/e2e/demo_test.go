package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// A judgement is what a row of a report and a span of a run have in common.
type judgement struct {
	Trace  string   `json:"trace_id"`
	Span   string   `json:"span_id"`
	Score  *float64 `json:"score"`
	Passed bool     `json:"passed"`
	Reason string   `json:"reason"`
}

// The built collector reads the recorded traces from files, and writes each of their spans, with the verdicts of the dry run.
func TestDemoIsJudgedAsInTheDryRun(t *testing.T) {
	t.Chdir("../..") // where the configuration finds the traces
	output := filepath.Join(t.TempDir(), "spans.jsonl")
	process := launch(t, "dist/otelcol-tool-correctness", processSettings{config: "examples/demo.yaml", env: []string{"DEMO_OUTPUT=" + output}})

	recordings, err := filepath.Glob("testdata/traces/*.jsonl")
	require.NoError(t, err)
	sent := spansByID(t, recordings...)
	require.NotEmpty(t, sent)
	eventually(t, "each span has come out", func() bool { return len(spansByID(t, output)) == len(sent) })
	require.NoError(t, process.stop(patience))

	got := spansByID(t, output)
	rows, err := os.ReadFile("cmd/toolcorrectness/testdata/demo.json")
	require.NoError(t, err)
	for line := range bytes.Lines(rows) {
		var want judgement
		require.NoError(t, json.Unmarshal(line, &want))
		attributes := got[want.Trace+want.Span].Attributes().AsRaw()
		score, _ := attributes["tool_correctness.score"].(float64)
		require.Equal(t, want, judgement{want.Trace, want.Span, &score, attributes["tool_correctness.passed"].(bool), attributes["tool_correctness.reason"].(string)})
	}
}

// spansByID returns the spans in files of OTLP/JSON lines, by their ids. The end of a file may still be written.
func spansByID(t *testing.T, files ...string) map[string]ptrace.Span {
	t.Helper()
	found := map[string]ptrace.Span{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			if err != nil && !bytes.HasSuffix(line, []byte("\n")) {
				break
			}
			require.NoError(t, err, name)
			for _, span := range spans.All(td) {
				found[span.TraceID().String()+span.SpanID().String()] = span
			}
		}
	}
	return found
}
