package main

import (
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/tracefile"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// framed is how the file exporter writes protobuf.
func framed(requests ...string) string {
	var b []byte
	for _, request := range requests {
		b = binary.BigEndian.AppendUint32(b, uint32(len(request)))
		b = append(b, request...)
	}
	return string(b)
}

// anywhere leaves out of a result in JSON where its rows were found, and their order, which is that of the input.
func anywhere(r result) result {
	lines := strings.Split(inFile.ReplaceAllString(r.stdout, ""), "\n")
	slices.Sort(lines)
	r.stdout = strings.Join(lines, "\n")
	return r
}

var inFile = regexp.MustCompile(`,"file":"[^"]*"`)

// An error of unreadable input has its file and line, and none of its content. The rest is judged, and the exit code says
// that it is not all.
func TestBadInput(t *testing.T) {
	const cut = `{"resourceSpans":[{"scope`
	name := file(t, "bad.jsonl", cut+"\n"+readFile(t, mastra)+"secret\n")
	got := ends(t, exitUsage, "", "-config", demo, "-format", "json", name)
	assert.Len(t, rowsIn(t, got.stdout), 1, "what stands between can be read")
	const unknown = ": no traces that are known (OTLP/JSON, OTLP protobuf, Jaeger, Tempo): "
	assert.Equal(t, "toolcorrectness: "+name+":1"+unknown+"the document that begins here does not end\n"+
		"toolcorrectness: "+name+":3"+unknown+"invalid character 's' looking for beginning of value\n"+
		"toolcorrectness: not all of the input could be read\n", got.stderr)

	// Passing runs are no excuse, nor is -allow-empty.
	got = ends(t, exitUsage, strings.Repeat("x\n", 100), "-config", section(t, `expectations: [{tools: [get_weather]}]`), "-allow-empty", mastra, "-")
	assert.Contains(t, got.stdout, "1 run: 1 passed")
	assert.Contains(t, got.stderr, "toolcorrectness: standard input:1: ")
	assert.Contains(t, got.stderr, "toolcorrectness: standard input: and 95 more\n")
	assert.NotContains(t, got.stderr, "standard input:6: ")

	assert.Empty(t, ends(t, exitUsage, "x", "-config", demo, "-").stdout, "there are no verdicts on what could not be read")
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return b.String()
}

// Traces that others saved from Jaeger and Tempo score as their OTLP forms do, and have the calls that the eval sets beside them
// have.
func TestFilesOfOthers(t *testing.T) {
	for _, tc := range []struct {
		name, agent string
		calls       []any
		reason      string
	}{
		{"helm", "helm_agent", []any{call("helm_list_releases", map[string]any{})}, "one call without arguments"},
		{"helm_3", "helm_agent", []any{call("helm_list_releases", map[string]any{"all_namespaces": "true", "output": "json"})}, "one call with arguments"},
		{"k8s", "k8s_agent", []any{}, "the agent only answered"},
		{"tempo_export_with_batches", "helm_agent", []any{call("helm_list_releases", map[string]any{})}, "the scopes are lost, and the keys are ADK's"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join("testdata", "agentevals", tc.name+".json.gz")
			config := section(t, "metrics: {m: {native: {score: f1}}}\nexpectations: [{tools: [helm_list_releases]}]")
			want := command("", "-config", config, "-format", "json", "-values", file)
			require.NotEqual(t, exitUsage, want.code, want.stderr)
			var calls []any
			for _, row := range rowsIn(t, want.stdout) {
				if row["agent"] == tc.agent {
					calls = row["calls"].([]any)
				}
			}
			for _, c := range calls {
				for key := range c.(map[string]any) {
					if key != "name" && key != "arguments" {
						delete(c.(map[string]any), key)
					}
				}
			}
			assert.Equal(t, tc.calls, calls, tc.reason)
			for form, text := range formsOf(t, file) {
				assert.Equal(t, anywhere(want), anywhere(command(text, "-config", config, "-format", "json", "-values", "-")), form)
			}
		})
	}
}

func call(name string, arguments any) any {
	return map[string]any{"name": name, "arguments": arguments}
}

// formsOf is a file as OTLP, in the forms that the file exporter writes.
func formsOf(t *testing.T, name string) map[string]string {
	t.Helper()
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	forms := map[string]string{}
	for td, fault := range tracefile.Read(name, f) {
		require.NoError(t, fault)
		text, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
		require.NoError(t, err)
		forms["OTLP/JSON"] += string(text) + "\n"
		forms["OTLP protobuf"] += framed(string(data))
	}
	return forms
}

// The progress goes on with what is read, and is taken away for a line of text.
func TestProgress(t *testing.T) {
	var terminal strings.Builder
	p := &progress{terminal: &terminal, total: 4}
	_, err := io.ReadAll(io.TeeReader(iotest.OneByteReader(strings.NewReader("text")), p))
	require.NoError(t, err)
	p.clear()
	assert.Equal(t, "\rread 25%\rread 50%\rread 75%\rread 100%\r\x1b[K", terminal.String())
}

// A file or a pipe gets no progress.
func TestNoProgressWithoutATerminal(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big")
	require.NoError(t, os.WriteFile(big, nil, 0o600))
	require.NoError(t, os.Truncate(big, 32<<20))
	f, err := os.Open(big)
	require.NoError(t, err)
	defer f.Close()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	for _, stderr := range []io.Writer{&strings.Builder{}, f, w} {
		p, err := newProgress(stderr, []string{big})
		require.NoError(t, err)
		assert.Equal(t, io.Discard, p.terminal)
	}
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
