package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap/confmaptest"
	"go.opentelemetry.io/collector/consumer/consumertest"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/processor/processortest"

	toolcorrectnessprocessor "github.com/toolcorrectness/toolcorrectnessprocessor"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// The demo shows what the dry run shows of the same traces: here, what the processor itself says of them.
func TestDemoShowsWhatTheDryRunShows(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	sent, err := readAll("testdata/traces/*.jsonl")
	require.NoError(t, err)
	var table strings.Builder
	require.NoError(t, report.Table(&table, sent.rows(judged(t)), report.Options{Gate: report.Gate{PassRate: 1}}))
	want, err := os.ReadFile("cmd/toolcorrectness/testdata/demo.table")
	require.NoError(t, err)
	require.Equal(t, string(want), table.String())
}

// judged are the spans of the recorded traces as they leave the processor.
func judged(t *testing.T) spanSet {
	t.Helper()
	conf, err := confmaptest.LoadConf("examples/demo.yaml")
	require.NoError(t, err)
	section, err := conf.Sub("processors::tool_correctness")
	require.NoError(t, err)
	factory := toolcorrectnessprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig()
	require.NoError(t, section.Unmarshal(cfg))
	var sink consumertest.TracesSink
	p, err := factory.CreateTraces(t.Context(), processortest.NewNopSettings(factory.Type()), cfg, &sink)
	require.NoError(t, err)
	files, err := filepath.Glob("testdata/traces/*.jsonl")
	require.NoError(t, err)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		for line := range bytes.Lines(text) {
			td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line)
			require.NoError(t, err)
			require.NoError(t, p.ConsumeTraces(t.Context(), td))
		}
	}
	require.NoError(t, p.Shutdown(t.Context()))
	got := spanSet{}
	for _, td := range sink.AllTraces() {
		got.add(td)
	}
	return got
}

// Each metric has a row of its own, with the expectation that it met.
func TestARowForEachMetric(t *testing.T) {
	span := ptrace.NewSpan()
	require.NoError(t, span.Attributes().FromRaw(map[string]any{
		"http.status":                  "ok",
		"tool_correctness.agent":       "support",
		"tool_correctness.expectation": "first",
		"tool_correctness.expected":    []any{"a", "b"},
		"tool_correctness.called":      []any{"a"},
		"tool_correctness.status":      "scored",
		"tool_correctness.score":       0.5,
		"tool_correctness.passed":      true,
		"other.status":                 "not_evaluable",
		"other.passed":                 false,
		"other.reason":                 "Arguments were not captured.",
		"other.expectation":            "second",
	}))
	id := spanID{span: [8]byte{1}}
	rows := traceFiles{"dir/f.jsonl": {id: ptrace.NewSpan()}}.rows(spanSet{id: span})
	require.Len(t, rows, 2)
	require.Equal(t, []string{"other", "second", "not_evaluable"}, []string{rows[0].Metric, rows[0].Expectation, rows[0].Status})
	require.Nil(t, rows[0].Score)
	require.Equal(t, []string{prefix, "first", "scored"}, []string{rows[1].Metric, rows[1].Expectation, rows[1].Status})
	require.InDelta(t, 0.5, *rows[1].Score, 0)
	require.Equal(t, rows[0].Run, rows[1].Run, "both are of one run")
	require.Equal(t, "support", rows[1].Agent)
	require.Equal(t, "dir/f.jsonl", rows[1].File)
}

func TestAMissingSpanAndAnUnscoredFileAreErrors(t *testing.T) {
	id := spanID{span: [8]byte{1}}
	sent := traceFiles{"alone": {id: ptrace.NewSpan()}}
	require.ErrorContains(t, missingSpans(sent.spans(), spanSet{}), "1 of 1 spans")
	require.NoError(t, missingSpans(sent.spans(), spanSet{id: ptrace.NewSpan()}))
	require.ErrorContains(t, unscoredFiles(sent, nil), "alone brought no scored verdict")
}

func TestALineThatIsStillBeingWrittenIsLeftForLater(t *testing.T) {
	const line = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"01000000000000000000000000000000","spanId":"0200000000000000"}]}]}]}`
	for _, tc := range []struct {
		name, text string
		spans      int
		wantErr    bool
		reason     string
	}{
		{"complete", line + "\n", 1, false, "one line, one span"},
		{"half a line at the end", line + "\n" + line[:40], 1, false, "the exporter is still writing"},
		{"half a line in the middle", line[:40] + "\n" + line + "\n", 0, true, "no more will come of it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "spans.jsonl")
			require.NoError(t, os.WriteFile(name, []byte(tc.text), 0o600))
			spans, err := readFile(name)
			require.Equal(t, tc.wantErr, err != nil, "%v: %s", err, tc.reason)
			require.Len(t, spans, tc.spans, tc.reason)
		})
	}
}
