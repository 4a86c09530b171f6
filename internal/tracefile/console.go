package tracefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A consoleSpan is a span as OpenTelemetry's SDK for Python prints it. It has no scope.
type consoleSpan struct {
	Name       string         `json:"name"`
	Context    consoleContext `json:"context"`
	Kind       string         `json:"kind"` // SpanKind.INTERNAL
	ParentID   consoleID      `json:"parent_id"`
	Start      string         `json:"start_time"`
	End        string         `json:"end_time"`
	Attributes map[string]any `json:"attributes"`
	Status     struct {
		Code        string `json:"status_code"`
		Description string `json:"description"`
	} `json:"status"`
	Events []struct {
		Name       string         `json:"name"`
		Time       string         `json:"timestamp"`
		Attributes map[string]any `json:"attributes"`
	} `json:"events"`
	Links []struct {
		Context consoleContext `json:"context"`
	} `json:"links"`
	Resource struct {
		Attributes map[string]any `json:"attributes"`
	} `json:"resource"`
}

type consoleContext struct {
	TraceID consoleID `json:"trace_id"`
	SpanID  consoleID `json:"span_id"`
}

// A consoleID is an id as a number of Python.
type consoleID string

func (id consoleID) hex() string { return strings.TrimPrefix(string(id), "0x") }

// console reads a span of ConsoleSpanExporter, of the SDK for Python.
func console(text []byte, _ json.RawMessage) (ptrace.Traces, error) {
	td := ptrace.NewTraces()
	var printed consoleSpan
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&printed) != nil || printed.Context.SpanID == "" {
		return td, ErrOther
	}
	rs := td.ResourceSpans().AppendEmpty()
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	if err := identify(span, printed.Context.TraceID.hex(), printed.Context.SpanID.hex(), printed.ParentID.hex()); err != nil {
		return td, fmt.Errorf("no printed span: %w", err)
	}
	span.SetName(printed.Name)
	span.SetStartTimestamp(consoleTime(printed.Start))
	span.SetEndTimestamp(consoleTime(printed.End))
	span.SetKind(spanKinds[strings.ToLower(strings.TrimPrefix(printed.Kind, "SpanKind."))])
	span.Status().SetCode(codes[printed.Status.Code])
	span.Status().SetMessage(printed.Status.Description)
	for _, e := range printed.Events {
		event := span.Events().AppendEmpty()
		event.SetName(e.Name)
		event.SetTimestamp(consoleTime(e.Time))
		putAll(event.Attributes(), e.Attributes)
	}
	for _, l := range printed.Links {
		trace, id, err := ids(l.Context.TraceID.hex(), l.Context.SpanID.hex())
		if err != nil {
			return td, fmt.Errorf("no printed span: %w", err)
		}
		link(span, trace, id)
	}
	putAll(span.Attributes(), printed.Attributes)
	putAll(rs.Resource().Attributes(), printed.Resource.Attributes)
	return td, nil
}

// consoleTime is 0 for a time that is none.
func consoleTime(text string) pcommon.Timestamp {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0
	}
	return pcommon.NewTimestampFromTime(at)
}

// putAll writes attributes, which are decoded with numbers as they were written.
func putAll(m pcommon.Map, attributes map[string]any) {
	for key, value := range attributes {
		// What JSON has is known to pdata, so there is no error.
		_ = m.PutEmpty(key).FromRaw(withNumbers(value))
	}
}

func withNumbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64() // what is beyond it is infinite
		return f
	case []any:
		for i := range v {
			v[i] = withNumbers(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = withNumbers(v[key])
		}
	}
	return value
}
