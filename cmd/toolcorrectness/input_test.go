package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

func protobuf(t *testing.T, text string) string {
	t.Helper()
	var u ptrace.JSONUnmarshaler
	td, err := u.UnmarshalTraces([]byte(text))
	require.NoError(t, err)
	var m ptrace.ProtoMarshaler
	data, err := m.MarshalTraces(td)
	require.NoError(t, err)
	return string(data)
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

// However traces are written down, they are the same traces.
func TestForms(t *testing.T) {
	one := readFile(t, mastra)
	two := readFile(t, "../../testdata/traces/strands-error-then-retry.jsonl")
	var pretty bytes.Buffer
	require.NoError(t, json.Indent(&pretty, []byte(one), "", "  "))
	want := command("", "-config", demo, "-format", "json", mastra)
	both := command("", "-config", demo, "-format", "json", mastra, "../../testdata/traces/strands-error-then-retry.jsonl")
	require.Len(t, rowsIn(t, both.stdout), 2)

	for _, tc := range []struct {
		claim, text string
		want        result
	}{
		{"a request on a line", one, want},
		{"without the end of the line", strings.TrimSpace(one), want},
		{"one document over many lines", pretty.String(), want},
		{"empty lines around", "\n\n  " + one + "\r\n\n", want},
		{"as Windows writes it", "\xef\xbb\xbf" + strings.ReplaceAll(pretty.String(), "\n", "\r\n"), want},
		{"the same request twice: a sender tried again", one + one, want},
		{"an empty request beside", "{}\n" + one + `{"resourceSpans":[]}`, want},
		{"logs and metrics in the same file", `{"resourceLogs":[{}]}` + "\n" + one + `{"resourceMetrics":[]}`, want},
		{"two requests on lines", one + two, both},
		{"two documents over many lines", pretty.String() + "\n" + two, both},
		{"two documents without anything between", strings.TrimSpace(two) + strings.TrimSpace(one), both},
		{"protobuf", protobuf(t, one), want},
		{"protobuf as the file exporter writes it", framed(protobuf(t, one), "", protobuf(t, two)), both},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			assert.Equal(t, anywhere(tc.want), anywhere(command("", "-config", demo, "-format", "json", file(t, "traces", tc.text))), "a file")
			assert.Equal(t, anywhere(tc.want), anywhere(command(tc.text, "-config", demo, "-format", "json", "-")), "standard input")
		})
	}
	assert.Equal(t, anywhere(both), anywhere(command(one, "-config", demo, "-format", "json", "../../testdata/traces/strands-error-then-retry.jsonl", "-")), "both")
}

// What cannot be read is said with its file and its line, and without what stands in it.
func TestBadInput(t *testing.T) {
	const fine = `{"resourceSpans":[]}` + "\n"
	deep := strings.Repeat(`{"resourceSpans":[`, 20_000)
	for _, tc := range []struct{ claim, text, place, problem string }{
		{"a text", "hello", ":1", "neither OTLP/JSON nor OTLP protobuf: invalid character 'h' looking for beginning of value"},
		{"a binary", "\x00\x01\x02\x03\xff", ":1", "neither OTLP/JSON nor OTLP protobuf: invalid character '\\x00' looking for beginning of value"},
		{"zeros", "\x00\x00\x00\x00", ":1", "neither OTLP/JSON nor OTLP protobuf: invalid character '\\x00' looking for beginning of value"},
		{"a list", fine + `[{"resourceSpans":[]}]`, ":2", "neither OTLP/JSON nor OTLP protobuf: a request is a JSON object"},
		{"a number", "5", ":1", "neither OTLP/JSON nor OTLP protobuf: a request is a JSON object"},
		{"null", "\n\nnull", ":3", "neither OTLP/JSON nor OTLP protobuf: a request is a JSON object"},
		{"other JSON", fine + fine + `{"name": "secret"}`, ":3", "no OTLP traces: the document has no resourceSpans"},
		{"a list that is none", fine + `{"resourceSpans": "secret"}`, ":2", "no OTLP traces: ReadArray: expect [ or , or ] or n, but found \""},
		{"an id that is none", fine + "{\n" + `"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"secret"}]}]}]}`, ":2", "no OTLP traces: ID.UnmarshalJSONIter: length mismatch"},
		{"a line that was cut", fine + fine + `{"resourceSpans":[{"scope`, ":3", "neither OTLP/JSON nor OTLP protobuf: the document that begins here does not end"},
		{"a document that was cut", fine + "{\n\"resourceSpans\": [\n", ":2", "neither OTLP/JSON nor OTLP protobuf: the document that begins here does not end"},
		{"a bad line", fine + fine + "{]\n" + fine, ":3", "neither OTLP/JSON nor OTLP protobuf: invalid character ']' looking for beginning of object key string"},
		{"a bad line in a document", fine + "{\n \"resourceSpans\": [\n  {},\n  oops\n ]\n}\n", ":5", "neither OTLP/JSON nor OTLP protobuf: invalid character 'o' looking for beginning of value"},
		{"too deep", fine + deep, ":2", "neither OTLP/JSON nor OTLP protobuf: invalid character '{' exceeded max depth"},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			for name, stdin := range map[string]string{file(t, "bad.jsonl", tc.text): "", "-": tc.text} {
				got := command(stdin, "-config", demo, name)
				where := name
				if name == "-" {
					where = "standard input"
				}
				assert.Equal(t, result{exitUsage, "", "toolcorrectness: " + where + tc.place + ": " + tc.problem + "\n"}, got)
			}
		})
	}
	// The files before a bad one are no excuse.
	got := command("", "-config", demo, mastra, file(t, "bad.jsonl", "{"))
	assert.Equal(t, exitUsage, got.code)
	assert.Empty(t, got.stdout)
}
