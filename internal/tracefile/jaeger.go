package tracefile

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What Jaeger's API gives, under the names of the fields but for their case. Times are microseconds since 1970.
type (
	jaegerTrace struct {
		Spans     []jaegerSpan
		Processes map[string]struct {
			ServiceName string
			Tags        []jaegerTag
		}
	}
	jaegerSpan struct {
		TraceID, SpanID, ParentSpanID, OperationName, ProcessID string
		References                                              []jaegerReference
		StartTime, Duration                                     uint64
		Tags                                                    []jaegerTag
		Logs                                                    []struct {
			Timestamp uint64
			Fields    []jaegerTag
		}
	}
	jaegerReference struct{ RefType, TraceID, SpanID string }
	jaegerTag       struct {
		Key, Type string
		Value     any
	}
)

// jaeger reads {"data": [...]}. Spans of one process share a resource, as they did when they were sent.
func jaeger(text []byte, data json.RawMessage) (ptrace.Traces, error) {
	var traces []jaegerTrace
	if err := unmarshal(data, &traces); err != nil {
		return ptrace.Traces{}, errors.New("no Jaeger traces: data is no list of traces")
	}
	var answer struct{ Errors []json.RawMessage } // their texts are not shown, because they may repeat the query
	if len(traces) == 0 && json.Unmarshal(text, &answer) == nil && len(answer.Errors) > 0 {
		return ptrace.Traces{}, errors.New("no Jaeger traces: Jaeger answered with an error, as it does for a trace that it does not have")
	}
	td := ptrace.NewTraces()
	for _, t := range traces {
		at := map[string]ptrace.ResourceSpans{}
		for i := range t.Spans {
			s := &t.Spans[i]
			rs, known := at[s.ProcessID]
			if !known {
				rs = td.ResourceSpans().AppendEmpty()
				at[s.ProcessID] = rs
				process := t.Processes[s.ProcessID]
				putTags(rs.Resource().Attributes(), process.Tags)
				if process.ServiceName != "" {
					rs.Resource().Attributes().PutStr("service.name", process.ServiceName)
				}
			}
			if err := s.to(rs.ScopeSpans().AppendEmpty()); err != nil {
				return td, fmt.Errorf("no Jaeger traces: %w", err)
			}
		}
	}
	return td, nil
}

// jaegerTraceOf reads one trace by itself, as users save it.
func jaegerTraceOf(text []byte, _ json.RawMessage) (ptrace.Traces, error) {
	return jaeger(text, slices.Concat([]byte("["), text, []byte("]")))
}

// to adds the span under its scope.
func (s *jaegerSpan) to(ss ptrace.ScopeSpans) error {
	span := ss.Spans().AppendEmpty()
	tags := span.Attributes()
	putTags(tags, s.Tags)
	ss.Scope().SetName(cmp.Or(take(tags, "otel.scope.name"), take(tags, "otel.library.name")))
	ss.Scope().SetVersion(cmp.Or(take(tags, "otel.scope.version"), take(tags, "otel.library.version")))
	span.SetKind(spanKinds[take(tags, "span.kind")])
	code := take(tags, "otel.status_code")
	if failed, has := tags.Get("error"); has && failed.AsString() == "true" {
		code = cmp.Or(code, "ERROR")
		tags.Remove("error")
	}
	span.Status().SetCode(codes[code])
	span.Status().SetMessage(take(tags, "otel.status_description"))
	own, id, err := ids(s.TraceID, s.SpanID)
	if err != nil {
		return err
	}
	span.SetTraceID(own)
	span.SetSpanID(id)
	span.SetName(s.OperationName)
	span.SetStartTimestamp(pcommon.Timestamp(s.StartTime * 1000))
	span.SetEndTimestamp(pcommon.Timestamp((s.StartTime + s.Duration) * 1000))
	// The first parent in the same trace is the parent, and all others are links.
	for _, r := range slices.Insert(s.References, 0, jaegerReference{"CHILD_OF", s.TraceID, s.ParentSpanID}) {
		trace, id, err := ids(r.TraceID, r.SpanID)
		switch parent := span.ParentSpanID(); {
		case err != nil:
			return err
		case r.RefType == "CHILD_OF" && trace == own && (parent.IsEmpty() || parent == id):
			span.SetParentSpanID(id)
		default:
			link := span.Links().AppendEmpty()
			link.SetTraceID(trace)
			link.SetSpanID(id)
		}
	}
	for _, l := range s.Logs {
		e := span.Events().AppendEmpty()
		e.SetTimestamp(pcommon.Timestamp(l.Timestamp * 1000))
		putTags(e.Attributes(), l.Fields)
		e.SetName(take(e.Attributes(), "event"))
	}
	return nil
}

// take removes an attribute and returns it as text.
func take(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok {
		return ""
	}
	text := v.AsString()
	m.Remove(key)
	return text
}

// putTags writes tags as attributes. The type of a value is that in JSON, but for bytes. Jaeger has no lists and maps.
func putTags(m pcommon.Map, tags []jaegerTag) {
	for _, t := range tags {
		value := t.Value
		switch v := value.(type) {
		case json.Number:
			value, _ = v.Float64() // what is beyond it is infinite
			if n, err := v.Int64(); err == nil {
				value = n
			}
		case string:
			if data, err := base64.StdEncoding.DecodeString(v); t.Type == "binary" && err == nil {
				value = data
			}
		}
		_ = m.PutEmpty(t.Key).FromRaw(value)
	}
}

// Kinds and codes by the names that Jaeger has.
var (
	spanKinds = map[string]ptrace.SpanKind{
		"internal": ptrace.SpanKindInternal, "server": ptrace.SpanKindServer, "client": ptrace.SpanKindClient,
		"producer": ptrace.SpanKindProducer, "consumer": ptrace.SpanKindConsumer,
	}
	codes = map[string]ptrace.StatusCode{"OK": ptrace.StatusCodeOk, "ERROR": ptrace.StatusCodeError}
)

// ids are the ids of a trace and of a span in hexadecimal, whose leading zeros may be missing.
func ids(trace, span string) (t pcommon.TraceID, s pcommon.SpanID, err error) {
	err = errors.Join(readID(trace, t[:]), readID(span, s[:]))
	return t, s, err
}

func readID(text string, id []byte) error {
	if len(text) > 2*len(id) {
		return errors.New("an id is too long")
	}
	if _, err := hex.Decode(id, []byte(strings.Repeat("0", 2*len(id)-len(text))+text)); err != nil {
		return errors.New("an id is not hexadecimal")
	}
	return nil
}
