package tracefile

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
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
	if startsWith(text, "resourceSpans") { // nearly all do, and looking for the other keys takes as long as reading them
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
				return ptrace.Traces{}, ErrOther
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
	return ptrace.Traces{}, ErrOther
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
