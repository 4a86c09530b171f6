package tracefile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"
	"strings"

	"github.com/klauspost/compress/zstd"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// errUnknown is for content of no known form.
var errUnknown = errors.New("no traces that are known (OTLP/JSON, OTLP protobuf, Jaeger, Tempo)")

var (
	errOther  = fmt.Errorf("%w: the document has none of the keys that they have", errUnknown)
	errMiddle = fmt.Errorf("%w: it ends in the middle of a message", errUnknown)
	errEnds   = fmt.Errorf("%w: the document that begins here does not end", errUnknown)
)

// mostMessage bounds a protobuf message, which has to be in memory as a whole. A length beyond it is taken for garbage.
const mostMessage = 1 << 30

// Read yields the traces of each document of a file, and a fault for each part that cannot be read. Reading goes on behind a fault. The
// name is that of the file, for faults.
func Read(name string, r io.Reader) iter.Seq2[ptrace.Traces, error] {
	return func(yield func(ptrace.Traces, error) bool) { (&file{name, yield}).read(r) }
}

// A file is one that is read. Its methods report whether the caller wants more of it.
type file struct {
	name  string
	yield func(ptrace.Traces, error) bool
}

func (f *file) read(r io.Reader) bool {
	plain, err := decompressed(bufio.NewReaderSize(r, 1<<20))
	if err != nil {
		return f.unreadable(err)
	}
	b := bufio.NewReaderSize(plain, 1<<20)
	if bom, err := b.Peek(3); err == nil && string(bom) == "\xef\xbb\xbf" { // which Windows writes before UTF-8
		_, _ = b.Discard(len(bom)) // they are there
	}
	head, err := b.Peek(512)
	switch {
	case len(head) == 0:
		return f.unreadable(err)
	case !looksBinary(head):
		return f.readJSON(b)
	case head[0] != '\n':
		return f.readMessages(b)
	}
	data, err := io.ReadAll(io.LimitReader(b, mostMessage)) // one request, because a length of this beginning would be 160 MiB
	if err != nil {
		return f.unreadable(err)
	}
	return f.message(data)
}

// fault says where what is wrong begins: in the file, and at a line from 1; 0 in a file without lines.
func (f *file) fault(line int, err error) bool {
	place := f.name
	if line > 0 {
		place += fmt.Sprint(":", line)
	}
	return f.yield(ptrace.Traces{}, fmt.Errorf("%s: %w", place, err))
}

// unreadable is for an error of the reader, which ends the file: its compression is damaged, or the disk is.
func (f *file) unreadable(err error) bool {
	return errors.Is(err, io.EOF) || f.fault(0, fmt.Errorf("it cannot be read to its end: %w", err))
}

var (
	gzipMagic = []byte{0x1f, 0x8b}
	zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// decompressed returns a reader of the decompressed content, or of b itself if it is not compressed.
func decompressed(b *bufio.Reader) (io.Reader, error) {
	head, _ := b.Peek(len(zstdMagic)) // fewer bytes have no magic
	switch {
	case bytes.HasPrefix(head, gzipMagic):
		return gzip.NewReader(b)
	case bytes.HasPrefix(head, zstdMagic):
		return zstd.NewReader(b, zstd.WithDecoderConcurrency(1)) // it has no goroutines, and need not be closed
	}
	return b, nil
}

// looksBinary tells protobuf from JSON by its beginning. Every request in protobuf with a span has bytes there that no text has, such as
// the tag of a list of spans, 0x12. What begins as a document stays one, whatever a crash left in it.
func looksBinary(head []byte) bool {
	return head[0] != '{' && head[0] != '[' && bytes.ContainsFunc(head, func(r rune) bool {
		return r < ' ' && !strings.ContainsRune("\t\r\n", r)
	})
}

// readMessages reads requests in protobuf, each behind its length.
func (f *file) readMessages(b *bufio.Reader) bool {
	for some := false; ; {
		var size uint32
		err := binary.Read(b, binary.BigEndian, &size)
		switch {
		case errors.Is(err, io.EOF) && some:
			return true
		case errors.Is(err, io.EOF): // zeros
			return f.fault(0, errUnknown)
		case err != nil:
			return f.fault(0, errMiddle)
		case size == 0:
			continue
		}
		some = true
		data, err := io.ReadAll(io.LimitReader(b, min(int64(size), mostMessage)))
		switch {
		case err != nil:
			return f.unreadable(err)
		case len(data) < int(size):
			return f.fault(0, errMiddle)
		case !f.message(data):
			return false
		}
	}
}

// message reads one message: protobuf or JSON, perhaps compressed by itself.
func (f *file) message(data []byte) bool {
	plain, err := decompressed(bufio.NewReader(bytes.NewReader(data)))
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(plain, mostMessage))
	}
	if err != nil {
		return f.unreadable(err)
	}
	if text := bytes.TrimSpace(data); bytes.HasPrefix(text, []byte("{")) && !looksBinary(data) {
		return f.document(text, 0)
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(data)
	if err != nil {
		return f.fault(0, fmt.Errorf("%w: %w", errUnknown, err))
	}
	return f.yield(td, nil)
}

// kinds are asked in order; the first whose key a document has makes OTLP of it, given the value below that key.
var kinds = []struct {
	key  string
	read func(text []byte, value json.RawMessage) (ptrace.Traces, error)
}{
	{"resourceSpans", resourceSpans},
	{"resource_spans", resourceSpans}, // protobuf's own JSON, with the names of fields
	{"batches", resourceSpans},        // Tempo
	{"data", jaeger},
	{"processes", jaegerTraceOf},
	// The file exporter may write these into the same file; they have no spans.
	{"resourceMetrics", nothing},
	{"resourceLogs", nothing},
	{"resourceProfiles", nothing},
}

// document reads one document, which begins at a line, or says what is wrong with it.
func (f *file) document(text []byte, line int) bool {
	if beginsRequest.Match(text) { // nearly all do, and looking for the other keys takes as long as reading them
		if td, err := otlp(text); err == nil {
			return f.yield(td, nil)
		}
	}
	var keys map[string]json.RawMessage
	err := json.Unmarshal(text, &keys)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		if line > 0 {
			line += bytes.Count(text[:max(syntax.Offset-1, 0)], []byte("\n"))
		}
		return f.fault(line, fmt.Errorf("%w: %w", errUnknown, err))
	case err != nil || keys == nil:
		return f.fault(line, fmt.Errorf("%w: a request is a JSON object", errUnknown))
	}
	td, err := tracesOf(text, keys)
	if err != nil {
		return f.fault(line, err)
	}
	return f.yield(td, nil)
}

// tracesOf reads a document, whose keys are given. An empty one is an empty request.
func tracesOf(text []byte, keys map[string]json.RawMessage) (ptrace.Traces, error) {
	for _, wrapper := range []string{"trace", "result"} { // their objects are the document: of Tempo, and of version 3 of Jaeger's API
		if inner, has := keys[wrapper]; has {
			keys = nil
			if json.Unmarshal(inner, &keys) != nil {
				return ptrace.Traces{}, errOther
			}
			text = inner
		}
	}
	for _, k := range kinds {
		if value, has := keys[k.key]; has {
			return k.read(text, value)
		}
	}
	if len(keys) == 0 {
		return ptrace.NewTraces(), nil
	}
	return ptrace.Traces{}, errOther
}

func nothing([]byte, json.RawMessage) (ptrace.Traces, error) { return ptrace.NewTraces(), nil }

func otlp(text []byte) (ptrace.Traces, error) {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	if err != nil {
		return td, errors.New("no OTLP traces: " + withoutContent(err.Error()))
	}
	return td, nil
}

// withoutContent is the error of a decoder without what it quotes: the text around the fault, a value or a number. All of them are
// private.
func withoutContent(problem string) string {
	problem, _, _ = strings.Cut(problem, ", error found in")
	said, _, quotes := strings.Cut(problem, `"`)
	if !quotes || strings.HasSuffix(said, "expects ") || strings.HasSuffix(said, "found ") { // it names the quote itself
		return problem
	}
	return said + "a value failed"
}

// resourceSpans reads a list of resource spans under any name, whose ids may be the base64 that Tempo and protobuf's own JSON have, and whose
// scopes may have the name that they had once.
func resourceSpans(_ []byte, list json.RawMessage) (ptrace.Traces, error) {
	var spans any
	_ = unmarshal(list, &spans) // it is JSON, and stays so
	modernize(spans)
	text, _ := json.Marshal(map[string]any{"resourceSpans": spans})
	return otlp(text)
}

// unmarshal decodes JSON whose numbers stay what they are: times do not fit a float.
func unmarshal(text []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(to)
}

// idSizes are the keys that have ids, and the bytes of each.
var idSizes = map[string]int{"traceId": 16, "trace_id": 16, "spanId": 8, "span_id": 8, "parentSpanId": 8, "parent_span_id": 8}

// renamed are keys of OTLP as it was before 1.0.
var renamed = map[string]string{"instrumentationLibrarySpans": "scopeSpans", "instrumentationLibrary": "scope"}

// modernize gives keys their names of today, and ids in hexadecimal. Attributes are left as they are: their keys stand in values.
func modernize(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			modernize(e)
		}
	case map[string]any:
		for old, name := range renamed {
			if e, has := v[old]; has {
				delete(v, old)
				v[name] = e
			}
		}
		for key, size := range idSizes {
			if id, ok := v[key].(string); ok {
				v[key] = hexadecimal(id, size)
			}
		}
		for _, key := range []string{"scopeSpans", "scope_spans", "spans", "links"} {
			modernize(v[key])
		}
	}
}

// hexadecimal returns an id of size bytes as OTLP/JSON has it. The decoder refuses what is neither hexadecimal nor base64.
func hexadecimal(id string, size int) string {
	raw, err := base64.StdEncoding.DecodeString(id)
	if err != nil || len(raw) == 0 || len(raw) > size { // what is hexadecimal already would be longer
		return id
	}
	return hex.EncodeToString(append(make([]byte, size-len(raw)), raw...)) // short ids are padded
}

// A splitter finds where JSON documents begin and end, without understanding them: it counts brackets outside of texts. So a
// document that is broken ends as well, and the next one can be read.
type splitter struct {
	text   []byte // of the document under way, from its beginning
	line   int    // where it begins
	depth  int
	quoted bool // inside of a text
	escape bool // behind a backslash
}

// readJSON reads one document after the other, however they are laid out.
func (f *file) readJSON(b *bufio.Reader) bool {
	var d splitter
	for line := 1; ; line++ {
		text, err := b.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return f.unreadable(err)
		}
		if d.depth > 0 && beginsRequest.Match(text) && json.Valid(text) { // the document before was cut off, and this is the next one
			if !f.fault(d.line, errEnds) {
				return false
			}
			d = splitter{}
		}
		switch {
		case !d.add(text, line, f.document):
			return false
		case err == nil:
			continue
		case d.depth > 0:
			return f.fault(d.line, errEnds)
		}
		return true
	}
}

// beginsRequest finds a document with this key first.
var beginsRequest = regexp.MustCompile(`^\{\s*"resourceSpans"`)

// add takes a line and calls f with every document that ends in it, until f reports false.
func (d *splitter) add(text []byte, line int, f func([]byte, int) bool) bool {
	begin := 0 // of what is not in d.text yet
	for i, c := range text {
		switch {
		case d.depth == 0 && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
			continue
		case d.depth == 0 && c != '{' && c != '[': // no document; what is wrong with the line is for the decoder to say
			return f(bytes.TrimSpace(text[i:]), line)
		case d.depth == 0:
			begin, d.line, d.depth = i, line, 1
		case d.escape:
			d.escape = false
		case d.quoted:
			d.escape, d.quoted = c == '\\', c != '"'
		case c == '"':
			d.quoted = true
		case c == '{' || c == '[':
			d.depth++
		case c == '}' || c == ']':
			d.depth--
		}
		if d.depth == 0 {
			d.text = append(d.text, text[begin:i+1]...)
			more := f(d.text, d.line)
			if d.text = d.text[:0]; !more {
				return false
			}
		}
	}
	if d.depth > 0 {
		d.text = append(d.text, text[begin:]...)
	}
	return true
}
