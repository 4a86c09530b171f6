package main

import (
	"compress/gzip"
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	got := command("", "-config", demo, "-format", "json", name)
	assert.Equal(t, exitUsage, got.code)
	assert.Len(t, rowsIn(t, got.stdout), 1, "what stands between can be read")
	const unknown = ": no traces that are known (OTLP/JSON, OTLP protobuf, Jaeger, Tempo, spans that the SDK for Python prints): "
	assert.Equal(t, "toolcorrectness: "+name+":1"+unknown+"the document that begins here does not end\n"+
		"toolcorrectness: "+name+":3"+unknown+"invalid character 's' looking for beginning of value\n"+
		"toolcorrectness: not all of the input could be read\n", got.stderr)

	// Passing runs are no excuse, nor is -allow-empty.
	got = command(strings.Repeat("x\n", 100), "-config", section(t, `expectations: [{tools: [get_weather]}]`), "-allow-empty", mastra, "-")
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stdout, "1 run: 1 passed")
	assert.Contains(t, got.stderr, "toolcorrectness: standard input:1: ")
	assert.Contains(t, got.stderr, "toolcorrectness: standard input: and 95 more\n")

	got = command("x", "-config", demo, "-")
	assert.Equal(t, exitUsage, got.code)
	assert.Empty(t, got.stdout, "there are no verdicts on what could not be read")
}

// A folder means the trace files in it and below, whatever else there is.
func TestFolders(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"b.jsonl": readFile(t, mastra), "a/c.jsonl.gz": packed(t, readFile(t, "../../testdata/traces/strands-error-then-retry.jsonl")),
		"README.md": "no traces", ".hidden.json": "no traces", ".git/x.json": "no traces", "a/notes.txt": "no traces",
	} {
		name = filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	got := command("", "-config", demo, "-format", "json", folder)
	assert.Equal(t, exitFailed, got.code, got.stderr)
	var files []any
	for _, row := range rowsIn(t, got.stdout) {
		files = append(files, row["file"])
	}
	assert.Equal(t, []any{filepath.Join(folder, "a", "c.jsonl.gz"), filepath.Join(folder, "b.jsonl")}, files)
}

// In a folder there may be other JSON. It is passed over, and said; but named, or beside traces in one file, it is a fault.
func TestOtherFilesInFolders(t *testing.T) {
	folder := t.TempDir()
	manifest, mixed := filepath.Join(folder, "MANIFEST.json"), filepath.Join(folder, "mixed.jsonl")
	require.NoError(t, os.WriteFile(manifest, []byte(`{"name":"x"}`+"\n"+`{"name":"y"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte(readFile(t, mastra)), 0o600))
	config := section(t, `expectations: [{tools: [get_weather]}]`)
	got := command("", "-config", config, folder)
	assert.Equal(t, exitPassed, got.code)
	assert.Equal(t, "toolcorrectness: passed over 1 file without traces: "+manifest+"\n", got.stderr)
	assert.Equal(t, exitUsage, command("", "-config", config, manifest, mastra).code, "the user says that it has traces")

	require.NoError(t, os.WriteFile(mixed, []byte(`{"name":"x"}`+"\n"+readFile(t, mastra)), 0o600))
	got = command("", "-config", config, folder)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, mixed+":1: ")
	require.NoError(t, os.WriteFile(mixed, []byte("{oops"), 0o600))
	assert.Equal(t, exitUsage, command("", "-config", config, folder).code, "what is no JSON may have been traces")
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
