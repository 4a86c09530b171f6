package tracefile

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

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
	if _, err := hex.DecodeString(id); err == nil && len(id) == 2*size {
		return id
	}
	raw, err := base64.StdEncoding.DecodeString(id)
	if err != nil || len(raw) == 0 || len(raw) > size {
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
