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

// A kind makes OTLP of a document, whose value below the kind's key is given.
type kind func(text []byte, value json.RawMessage) (ptrace.Traces, error)

// kinds are asked in order; the first whose key a document has reads it.
var kinds = []struct {
	key  string
	read kind
}{
	{"resourceSpans", otlpOfAny},
	{"resource_spans", otlpOfAny},
	{"batches", tempo},
	{"trace", tempoTrace},
	{"data", jaeger},
	{"result", jaegerResult},
	{"processes", jaegerTraceOf},
	{"context", console},
	// The file exporter may write these into the same file; they have no spans.
	{"resourceMetrics", nothing},
	{"resourceLogs", nothing},
	{"resourceProfiles", nothing},
}

// kindOf is the kind of a document, with the value of its key. It is nil for one that is unknown. An empty one is an empty request.
func kindOf(keys map[string]json.RawMessage) (kind, json.RawMessage) {
	for _, k := range kinds {
		if value, has := keys[k.key]; has {
			return k.read, value
		}
	}
	if len(keys) == 0 {
		return nothing, nil
	}
	return nil, nil
}

func nothing([]byte, json.RawMessage) (ptrace.Traces, error) { return ptrace.NewTraces(), nil }

func otlp(text []byte) (ptrace.Traces, error) {
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(text)
	if err != nil {
		return td, errors.New("no OTLP traces: " + withoutContent(err.Error()))
	}
	return td, nil
}

// otlpOfAny reads OTLP/JSON, also with the ids in base64 that protobuf's own JSON has.
func otlpOfAny(text []byte, list json.RawMessage) (ptrace.Traces, error) {
	td, err := otlp(text)
	if err != nil {
		if again, failed := likeOTLP("OTLP", list); failed == nil {
			return again, nil
		}
	}
	return td, err
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

// tempo reads {"batches": [...]}: OTLP under another name, and ids in base64.
func tempo(_ []byte, list json.RawMessage) (ptrace.Traces, error) { return likeOTLP("Tempo", list) }

// tempoTrace reads {"trace": {"resourceSpans": [...]}}. Older versions write batches instead of resourceSpans.
func tempoTrace(_ []byte, value json.RawMessage) (ptrace.Traces, error) {
	var trace struct{ ResourceSpans, Batches json.RawMessage }
	if err := json.Unmarshal(value, &trace); err != nil {
		return ptrace.Traces{}, errors.New("no Tempo trace: trace is no object")
	}
	if trace.ResourceSpans == nil {
		trace.ResourceSpans = trace.Batches
	}
	return likeOTLP("Tempo", trace.ResourceSpans)
}

// likeOTLP reads a list of resource spans whose ids may be base64, and whose scopes may have the name that they had once.
func likeOTLP(whose string, list json.RawMessage) (ptrace.Traces, error) {
	if list == nil {
		return ptrace.NewTraces(), nil
	}
	d := json.NewDecoder(bytes.NewReader(list))
	d.UseNumber() // times do not fit a float
	var batches any
	if err := d.Decode(&batches); err != nil {
		return ptrace.Traces{}, fmt.Errorf("no %s traces: %w", whose, err)
	}
	modernize(batches)
	text, err := json.Marshal(map[string]any{"resourceSpans": batches})
	if err != nil {
		return ptrace.Traces{}, fmt.Errorf("no %s traces: %w", whose, err)
	}
	td, err := otlp(text)
	if err != nil {
		return td, errors.New(strings.Replace(err.Error(), "OTLP", whose, 1))
	}
	return td, nil
}

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
		for key, size := range map[string]int{"traceId": 16, "trace_id": 16, "spanId": 8, "span_id": 8, "parentSpanId": 8, "parent_span_id": 8} {
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
	if err != nil || len(raw) > size {
		return id
	}
	if len(raw) == 0 {
		return ""
	}
	return hex.EncodeToString(append(make([]byte, size-len(raw)), raw...)) // short ids are padded
}
