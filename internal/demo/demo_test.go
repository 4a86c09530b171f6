package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestTableShowsWhatTheSpansSay(t *testing.T) {
	sent, got := traceFiles{"first": {}, "second": {}}, spanSet{}
	for i, name := range []string{"first", "second"} {
		id := spanID{span: [8]byte{byte(i + 1)}}
		sent[name][id] = ptrace.NewSpan()
		got[id] = judged(t, name)
	}

	var table strings.Builder
	require.NoError(t, printTable(&table, sent.verdicts(got)))
	require.Equal(t, `AGENT   EXPECTED  CALLED  SCORE  PASSED  REASON

first
first   a, b      a       0.50   true    1 of 2 expected tools was called. This sentence is too long
                                         for one line.

second
second  a, b      a       0.50   true    1 of 2 expected tools was called. This sentence is too long
                                         for one line.

`, table.String())
}

func judged(t *testing.T, agent string) ptrace.Span {
	t.Helper()
	span := ptrace.NewSpan()
	require.NoError(t, span.Attributes().FromRaw(map[string]any{
		"gen_ai.agent.name":         agent,
		"http.status":               "ok",
		"tool_correctness.status":   "scored",
		"tool_correctness.score":    0.5,
		"tool_correctness.passed":   true,
		"tool_correctness.reason":   "1 of 2 expected tools was called. This sentence is too long for one line.",
		"tool_correctness.expected": []any{"a", "b"},
		"tool_correctness.called":   []any{"a"},
	}))
	return span
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
