package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Runs that close along the way, because much is open, have the verdicts of those that close at the end.
func TestRunsCloseAlongTheWay(t *testing.T) {
	want := command("", append([]string{"-config", demo, "-format", "json"}, recordings(t)...)...)
	open, spans := muchOpen, fewSpans
	muchOpen, fewSpans = 0, 1
	t.Cleanup(func() { muchOpen, fewSpans = open, spans })
	assert.Equal(t, want, command("", append([]string{"-config", demo, "-format", "json"}, recordings(t)...)...))
}

// A trace keeps its place, also if it goes on in another file.
func TestPlaces(t *testing.T) {
	in := newInput(streams{})
	see := func(n byte) {
		td := ptrace.NewTraces()
		td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetTraceID(pcommon.TraceID{n})
		in.see(td)
	}
	in.names = []string{"a"}
	see(1)
	in.names = []string{"a", "b"}
	see(2)
	see(1)
	assert.Equal(t, place{0, 0}, in.placeOf(pcommon.TraceID{1}))
	assert.Equal(t, place{1, 1}, in.placeOf(pcommon.TraceID{2}))
	assert.Equal(t, place{1, 2}, in.placeOf(pcommon.TraceID{3}), "forgotten, or never seen")
}

// A bar grows with what is read, and is taken away for a line of text.
func TestBar(t *testing.T) {
	var terminal strings.Builder
	p := &progress{terminal: &terminal, total: 4, percent: -1}
	_, err := io.ReadAll(iotest.OneByteReader(p.of(strings.NewReader("text"))))
	require.NoError(t, err)
	p.clear()
	assert.Equal(t, 4, strings.Count(terminal.String(), "\rreading ["))
	assert.Contains(t, terminal.String(), strings.Repeat("#", 20)+strings.Repeat(".", 20)+"] 50%")
	assert.True(t, strings.HasSuffix(terminal.String(), "] 100%\r\x1b[K"))
}

// There is no bar in a file or in a pipe.
func TestNoBarWithoutATerminal(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, 2*worthABar))
	f, err := os.Open(big)
	require.NoError(t, err)
	defer f.Close()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	for _, stderr := range []io.Writer{&strings.Builder{}, f, w} {
		assert.Nil(t, newProgress(stderr, []source{{name: big}}))
	}
}

// With an earlier report, a run fails only if it got worse.
func TestBaseline(t *testing.T) {
	before := filepath.Join(t.TempDir(), "before.json")
	args := append([]string{"-config", demo, "-baseline", before}, recordings(t)...)
	require.Equal(t, exitFailed, command("", append([]string{"-config", demo, "-format", "json", "-o", before}, recordings(t)...)...).code)

	got := command("", args...)
	assert.Equal(t, exitPassed, got.code, got.stderr)
	assert.Contains(t, got.stdout, "10 runs: 5 passed, 0 failed, 0 not scored, 0 without expectation, 5 did not pass before either\n")
	assert.Contains(t, got.stdout, "compared by trace and span ids: 0 worse, 0 better, 10 as before, 0 new, 0 gone\n")
	assert.Empty(t, got.stderr)

	valued := filepath.Join(t.TempDir(), "valued.json")
	require.Equal(t, exitFailed, command("", append([]string{"-config", demo, "-format", "json", "-values", "-o", valued}, recordings(t)...)...).code)
	assert.Equal(t, got, command("", append([]string{"-config", demo, "-baseline", valued}, recordings(t)...)...), "values in the earlier report change nothing")

	text := readFile(t, before)
	worse := strings.Replace(text, `"score":0.6666666666666666,"passed":false`, `"score":1,"passed":true`, 1)
	worse = strings.Replace(worse, `"score":1,"passed":true`, `"score":0.25,"passed":false`, 1)
	require.NoError(t, os.WriteFile(before, []byte(worse), 0o600))
	got = command("", args...)
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, "toolcorrectness: 1 of 10 judged runs failed\n", got.stderr)
	assert.Contains(t, got.stdout, "1 worse, 1 better, 8 as before, 0 new, 0 gone\n")
	assert.Contains(t, got.stdout, "  worse: order_desk, adk-orders, google-adk-two-runs.jsonl c2b8cfdf/c0a7: score 0.667. Failed: missing refund_order.")
	assert.Contains(t, got.stdout, "  better: travel_desk, adk-weather, google-adk-two-runs.jsonl c2b8cfdf/848b: score 1.000. Passed")
	for format, want := range map[string]string{"junit": `<skipped type="known"`, "markdown": "- worse&#58; order", "html": "1 worse, 1 better", "json": `"change":"worse"`} {
		got := command("", append([]string{"-format", format}, args...)...)
		assert.Equal(t, exitFailed, got.code)
		assert.Contains(t, got.stdout, want, format)
		assert.Equal(t, format != "markdown", strings.Contains(got.stderr, "1 worse, 1 better"), "said once where the format has no place for it")
	}

	// Agents that ran again have other ids: their n-th run is compared with their n-th run.
	again := strings.NewReplacer(`"trace_id":"`, `"trace_id":"f`, `"span_id":"`, `"span_id":"f`).Replace(worse)
	lines := strings.SplitAfter(again, "\n")
	require.NoError(t, os.WriteFile(before, []byte(strings.Join(lines[1:], "")), 0o600))
	got = command("", args...)
	assert.Equal(t, exitFailed, got.code)
	assert.Equal(t, "toolcorrectness: 2 of 10 judged runs failed\n", got.stderr, "what is new and did not pass is no better than what got worse")
	assert.Contains(t, got.stdout, "compared by case and agent: 1 worse, 1 better, 7 as before, 1 new, 0 gone\n")
	got = command("", append(args, "-pass-rate", "0.8")...)
	assert.Equal(t, exitPassed, got.code, "what is as before counts as passed")

	for text, want := range map[string]string{"": "it has no verdicts", "{}\n": "line 1 is no verdict", worse + "oops\n": "line 11 is no verdict as -format json prints it"} {
		require.NoError(t, os.WriteFile(before, []byte(text), 0o600))
		got := command("", args...)
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, got.stderr, "toolcorrectness: -baseline "+before+": "+want)
		assert.Empty(t, got.stdout)
	}
	assert.Equal(t, exitUsage, command("", "-config", demo, "-baseline", "missing.json", mastra).code)
}
