package tracefile

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// traces are those of a file, and its faults.
func traces(tb testing.TB, text string) (all ptrace.Traces, faults []string) {
	tb.Helper()
	all = ptrace.NewTraces()
	for td, fault := range Read("f", strings.NewReader(text)) {
		if fault != nil {
			faults = append(faults, fault.Error())
			continue
		}
		td.ResourceSpans().MoveAndAppendTo(all.ResourceSpans())
	}
	return all, faults
}

// read returns the ids of the spans in a file, and the faults.
func read(tb testing.TB, text string) (spans, faults []string) {
	tb.Helper()
	all, faults := traces(tb, text)
	for _, rs := range all.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				spans = append(spans, s.SpanID().String())
			}
		}
	}
	return spans, faults
}

func request(span int) string {
	return fmt.Sprintf(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%032x","spanId":"%016x","name":"{[\"\\"}]}]}]}`, 1, span)
}

func id(span int) string { return fmt.Sprintf("%016x", span) }

func pretty(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, []byte(text), "", "  "))
	return b.String()
}

func protobuf(t *testing.T, text string) string {
	t.Helper()
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces([]byte(text))
	require.NoError(t, err)
	data, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	require.NoError(t, err)
	return string(data)
}

func framed(messages ...string) string {
	var b []byte
	for _, m := range messages {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(m))), m...)
	}
	return string(b)
}

func gzipped(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text))
	_ = w.Close()
	return b.String()
}

func zstandard(text string) string {
	w, _ := zstd.NewWriter(nil)
	return string(w.EncodeAll([]byte(text), nil))
}

func TestForms(t *testing.T) {
	one, two := request(1), request(2)
	both := []string{id(1), id(2)}
	for _, tc := range []struct {
		claim, text string
		want        []string
	}{
		{"lines", one + "\n" + two + "\n", both},
		{"without the end of the last line", one + "\n" + two, both},
		{"documents over many lines", pretty(t, one) + "\n" + pretty(t, two), both},
		{"documents without anything between", one + two, both},
		{"as Windows writes it", "\xef\xbb\xbf" + strings.ReplaceAll(pretty(t, one), "\n", "\r\n"), []string{id(1)}},
		{"empty lines around", "\n \r\n\t" + one + "\n\n", []string{id(1)}},
		{"other signals between", `{"resourceLogs":[{}]}` + "\n" + one + "\n{}\n" + `{"resourceMetrics":[]}`, []string{id(1)}},
		{"nothing", "", nil},
		{"protobuf", protobuf(t, one), []string{id(1)}},
		{"protobuf behind lengths", framed(protobuf(t, one), "", protobuf(t, two)), both},
		{"gzip", gzipped(one + "\n" + two), both},
		{"gzip in two parts", gzipped(one+"\n") + gzipped(two), both},
		{"zstd", zstandard(one + "\n" + two), both},
		{"gzip of protobuf", gzipped(protobuf(t, one)), []string{id(1)}},
		{"each message compressed, as the file exporter does it: JSON", framed(zstandard(one), zstandard(two)), both},
		{"and protobuf", framed(zstandard(protobuf(t, one)), zstandard(protobuf(t, two))), both},
		{"Tempo's batches", tempoOf(t, one), []string{id(1)}},
		{"Tempo's trace", `{"trace":` + one + `,"metrics":{}}`, []string{id(1)}},
		{"Tempo's trace as it was", `{"trace":` + tempoOf(t, one) + `}`, []string{id(1)}},
		{"Jaeger", `{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"1","startTime":1,"duration":1}],"processes":{}}],"total":0}`, []string{id(1)}},
		{"Jaeger's API, version 3", `{"result":` + one + `}` + "\n" + `{"result":` + two + `}`, both},
		{"a trace of Jaeger by itself", `{"traceID":"1","spans":[{"traceID":"1","spanID":"1","startTime":1,"duration":1}],"processes":{}}`, []string{id(1)}},
		{"protobuf's own JSON", `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"AAAAAAAAAAAAAAAAAAAAAQ==","spanId":"AAAAAAAAAAE=","kind":"SPAN_KIND_INTERNAL","status":{"code":"STATUS_CODE_OK"}}]}]}]}`, []string{id(1)}},
		{"protobuf's own JSON, with names of fields", `{"resource_spans":[{"scope_spans":[{"spans":[{"trace_id":"AAAAAAAAAAAAAAAAAAAAAQ==","span_id":"AAAAAAAAAAE=","kind":"SPAN_KIND_INTERNAL"}]}]}]}`, []string{id(1)}},
		{"Jaeger found nothing", `{"data":[],"total":0,"errors":null}`, nil},
		{"everything in a file", one + "\n" + tempoOf(t, two) + "\n", both},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			spans, faults := read(t, tc.text)
			require.Empty(t, faults)
			require.Equal(t, tc.want, spans)
		})
	}
}

// tempoOf is a request as Tempo gives it: other names, and ids in base64.
func tempoOf(t *testing.T, request string) string {
	t.Helper()
	request = strings.Replace(request, "resourceSpans", "batches", 1)
	request = strings.Replace(request, "scopeSpans", "instrumentationLibrarySpans", 1)
	return regexp.MustCompile(`Id":"([0-9a-f]+)"`).ReplaceAllStringFunc(request, func(found string) string {
		raw, err := hex.DecodeString(found[5 : len(found)-1])
		require.NoError(t, err)
		return `Id":"` + base64.StdEncoding.EncodeToString(raw) + `"`
	})
}

// withAttribute is a request whose span has an attribute of that value.
func withAttribute(value string) string {
	return `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"k","value":` + value + `}]}]}]}]}`
}

// Unreadable input is a fault with its line, and the rest is read.
func TestFaults(t *testing.T) {
	one, two := request(1)+"\n", request(2)+"\n"
	unknown := errUnknown.Error()
	for _, tc := range []struct {
		claim, text string
		want        []string
		faults      []string
	}{
		{"a text", "hello", nil, []string{"f:1: " + unknown + ": invalid character 'h' looking for beginning of value"}},
		{"a bad line between good ones", one + "secret\n" + two, []string{id(1), id(2)}, []string{"f:2: " + unknown + ": invalid character 's' looking for beginning of value"}},
		{"a line that was cut", one + one[:40] + "\n" + two, []string{id(1), id(2)}, []string{"f:2: " + unknown + ": the document that begins here does not end"}},
		{"in the middle of a text", one + `{"resourceSpans":"se` + "\n" + two, []string{id(1), id(2)}, []string{"f:2: " + unknown + ": the document that begins here does not end"}},
		{"the last line", one + one[:40], []string{id(1)}, []string{"f:2: " + unknown + ": the document that begins here does not end"}},
		{"brackets that do not fit", one + "{]\n" + two, []string{id(1), id(2)}, []string{"f:2: " + unknown + ": invalid character ']' looking for beginning of object key string"}},
		{"a bad line in a document", "{\n \"resourceSpans\": [\n  {},\n  oops\n ]\n}\n" + two, []string{id(2)}, []string{"f:4: " + unknown + ": invalid character 'o' looking for beginning of value"}},
		{"a list", `[{"resourceSpans":[]}]`, nil, []string{"f:1: " + unknown + ": a request is a JSON object"}},
		{"a number", "\n\n5", nil, []string{"f:3: " + unknown + ": a request is a JSON object"}},
		{"null", "null", nil, []string{"f:1: " + unknown + ": a request is a JSON object"}},
		{"other JSON", `{"name":"secret"}`, nil, []string{"f:1: " + unknown + ": the document has none of the keys that they have"}},
		{"spans that are no list", `{"resourceSpans":"secret"}`, nil, []string{`f:1: no OTLP traces: ReadArray: expect [ or , or ] or n, but found "`}},
		{"a number that is none", withAttribute(`{"intValue":"secret"}`), nil, []string{"f:1: no OTLP traces: ReadInt64: strconv.ParseInt: parsing a value failed"}},
		{"a number with quotes", withAttribute(`{"doubleValue":"\", error found in \"secret"}`), nil, []string{"f:1: no OTLP traces: ReadUint64: strconv.ParseFloat: parsing a value failed"}},
		{"a number that ends the error", withAttribute(`{"intValue":" or n secret, error found in "}`), nil, []string{"f:1: no OTLP traces: ReadInt64: strconv.ParseInt: parsing a value failed"}},
		{"an id that is none", `{"batches":[{"scopeSpans":[{"spans":[{"traceId":"secret"}]}]}]}`, nil, []string{"f:1: no OTLP traces: ID.UnmarshalJSONIter: length mismatch"}},
		{"Jaeger's data of another kind", `{"data":{"result":"secret"}}`, nil, []string{"f:1: no Jaeger traces: data is no list of traces"}},
		{"a trace that Jaeger does not have", `{"data":null,"errors":[{"code":404,"msg":"secret"}]}` + "\n" + one, []string{id(1)},
			[]string{"f:1: no Jaeger traces: Jaeger answered with an error, as it does for a trace that it does not have"}},
		{"other JSON with a result", `{"result":{"name":"secret"}}`, nil, []string{"f:1: " + unknown + ": the document has none of the keys that they have"}},
		{"a result without an object", `{"result":"secret"}`, nil, []string{"f:1: " + unknown + ": the document has none of the keys that they have"}},
		{"Jaeger's result of another kind", `{"result":{"resourceSpans":"secret"}}`, nil, []string{`f:1: no OTLP traces: ReadArray: expect [ or , or ] or n, but found "`}},
		{"Jaeger's id", `{"data":[{"spans":[{"traceID":"secret","spanID":"1"}]}]}`, nil, []string{"f:1: no Jaeger traces: an id is not hexadecimal"}},
		{"zeros", "\x00\x00\x00\x00", nil, []string{"f: " + unknown}},
		{"a binary", "\x00\x01\x02\x03\xff", nil, []string{"f: " + errMiddle.Error()}},
		{"protobuf that was cut", framed(protobuf(t, one), protobuf(t, two))[:len(framed(protobuf(t, one)))+9], []string{id(1)}, []string{"f: " + errMiddle.Error()}},
		{"gzip that was cut", gzipped(one + two)[:60], nil, []string{"f: it cannot be read to its end: unexpected EOF"}},
	} {
		t.Run(tc.claim, func(t *testing.T) {
			spans, faults := read(t, tc.text)
			require.Equal(t, tc.want, spans)
			require.Equal(t, tc.faults, faults)
			require.NotContains(t, strings.Join(faults, ""), "secret")
		})
	}
}

// A caller may end the reading behind any document and any fault.
func TestReadingEndsWhereTheCallerEndsIt(t *testing.T) {
	for _, text := range []string{
		request(1) + "\n" + request(2), framed(protobuf(t, request(1)), protobuf(t, request(2))), framed("x", "y"), "{\n" + request(1), "no\nno",
	} {
		n := 0
		for range Read("f", strings.NewReader(text)) {
			n++
			break
		}
		require.Equal(t, 1, n)
	}
}

// Reading a document of many lines takes time in proportion to its length.
func TestLongDocuments(t *testing.T) {
	const n = 20_000
	var b strings.Builder
	b.WriteString(`{"resourceSpans":[{"scopeSpans":[{"spans":[`)
	for i := range n {
		fmt.Fprintf(&b, "\n{\"traceId\":\"%032x\",\n\"spanId\":\"%016x\"},", 1, i+1)
	}
	spans, faults := read(t, strings.TrimSuffix(b.String(), ",")+"\n]}]}]}\n")
	require.Empty(t, faults)
	require.Len(t, spans, n)
}

// Reading ends for any file. A good request on a line behind it is read, if the file is text and every string in it ends with
// its line.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"", "{", "{\"a\":\"", "\n{", request(1), "[1,2", gzipped(request(1)), zstandard(request(1)), framed("x"), `{"data":[{"spans":[{}]}]}`, `{"batches":[1]}`, `{"trace":{}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		spans, _ := read(t, string(data))
		if slices.Contains(spans, id(0xfeed)) || len(data) > 0 && (looksBinary(data) || data[0] == gzipMagic[0] || data[0] == zstdMagic[0]) {
			return
		}
		spans, _ = read(t, string(data)+"\n"+request(0xfeed)+"\n")
		if !slices.Contains(spans, id(0xfeed)) {
			t.Errorf("what stands before takes the last line with it")
		}
	})
}

// A span of Jaeger keeps what it has.
func TestJaegerSpan(t *testing.T) {
	td, faults := traces(t, `{"data":[{"processes":{"p1":{"serviceName":"shop","tags":[]}},"spans":[{"traceID":"5b8","spanID":"a1","processID":"p1",
		"operationName":"execute_tool lookup","startTime":1,"duration":2,"references":[{"refType":"CHILD_OF","traceID":"5b8","spanID":"a0"},{"refType":"FOLLOWS_FROM","traceID":"5b9","spanID":"b0"}],
		"tags":[{"key":"otel.scope.name","type":"string","value":"lib"},{"key":"span.kind","type":"string","value":"client"},{"key":"error","type":"bool","value":true},
			{"key":"n","type":"int64","value":2},{"key":"f","type":"float64","value":2.5},{"key":"on","type":"bool","value":true},{"key":"raw","type":"binary","value":"AQI="},{"key":"odd","type":"int64","value":"two"}],
		"logs":[{"timestamp":2,"fields":[{"key":"event","type":"string","value":"exception"},{"key":"a","type":"int64","value":1}]}]}]}]}`)
	require.Empty(t, faults)
	rs := td.ResourceSpans().At(0)
	require.Equal(t, map[string]any{"service.name": "shop"}, rs.Resource().Attributes().AsRaw())
	require.Equal(t, "lib", rs.ScopeSpans().At(0).Scope().Name())
	got := rs.ScopeSpans().At(0).Spans().At(0)
	require.Equal(t, id(0x5b8)+" "+id(0xa1)+" "+id(0xa0), got.TraceID().String()[16:]+" "+got.SpanID().String()+" "+got.ParentSpanID().String())
	require.Equal(t, id(0xb0), got.Links().At(0).SpanID().String())
	require.Equal(t, ptrace.SpanKindClient, got.Kind())
	require.Equal(t, ptrace.StatusCodeError, got.Status().Code())
	require.Equal(t, map[string]any{"n": int64(2), "f": 2.5, "on": true, "raw": []byte{1, 2}, "odd": "two"}, got.Attributes().AsRaw())
	require.Equal(t, "exception", got.Events().At(0).Name())
	require.Equal(t, map[string]any{"a": int64(1)}, got.Events().At(0).Attributes().AsRaw())
	require.Equal(t, int64(2000), int64(got.EndTimestamp()-got.StartTimestamp()))
}
