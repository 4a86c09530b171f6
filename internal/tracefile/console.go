package tracefile

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A consoleSpan is a span as OpenTelemetry's SDK for Python prints it. It has no scope.
type consoleSpan struct {
	Name       string
	Context    consoleContext
	Kind       string // SpanKind.INTERNAL
	Parent     string `json:"parent_id"`
	Start      string `json:"start_time"`
	End        string `json:"end_time"`
	Attributes map[string]any
	Status     struct {
		Code        string `json:"status_code"`
		Description string
	}
	Events []struct {
		Name, Timestamp string
		Attributes      map[string]any
	}
	Links    []struct{ Context consoleContext }
	Resource struct{ Attributes map[string]any }
}

// A consoleContext has ids as numbers of Python.
type consoleContext struct {
	Trace string `json:"trace_id"`
	Span  string `json:"span_id"`
}

// console reads a span of ConsoleSpanExporter, of the SDK for Python.
func console(text []byte, _ json.RawMessage) (ptrace.Traces, error) {
	td := ptrace.NewTraces()
	var printed consoleSpan
	if unmarshal(text, &printed) != nil || printed.Context.Span == "" {
		return td, ErrOther
	}
	rs := td.ResourceSpans().AppendEmpty()
	span := rs.ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	if err := identify(span, printed.Context.Trace, printed.Context.Span, printed.Parent); err != nil {
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
		event.SetTimestamp(consoleTime(e.Timestamp))
		putAll(event.Attributes(), e.Attributes)
	}
	for _, l := range printed.Links {
		trace, id, err := ids(l.Context.Trace, l.Context.Span)
		if err != nil {
			return td, fmt.Errorf("no printed span: %w", err)
		}
		link := span.Links().AppendEmpty()
		link.SetTraceID(trace)
		link.SetSpanID(id)
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

func putAll(m pcommon.Map, attributes map[string]any) {
	for key, value := range attributes {
		put(m, key, value)
	}
}
