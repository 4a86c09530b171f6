package tracefile

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What Jaeger's API gives, under the names of the fields but for their case. Times are microseconds since 1970.
type (
	jaegerTrace struct {
		Spans     []jaegerSpan
		Processes map[string]jaegerProcess
	}
	jaegerProcess struct {
		ServiceName string
		Tags        []jaegerTag
	}
	jaegerSpan struct {
		TraceID, SpanID, ParentSpanID, OperationName, ProcessID string
		References                                              []struct{ RefType, TraceID, SpanID string }
		StartTime, Duration                                     uint64
		Tags                                                    []jaegerTag
		Logs                                                    []jaegerLog
		Process                                                 *jaegerProcess
	}
	jaegerTag struct {
		Key, Type string
		Value     json.RawMessage
	}
	jaegerLog struct {
		Timestamp uint64
		Fields    []jaegerTag
	}
)

// jaeger reads {"data": [...]}. Spans of one process share a resource, as they did when they were sent.
func jaeger(text []byte, data json.RawMessage) (ptrace.Traces, error) {
	var traces []jaegerTrace
	if err := json.Unmarshal(data, &traces); err != nil {
		return ptrace.Traces{}, errors.New("no Jaeger traces: data is no list of traces")
	}
	if len(traces) == 0 && answeredAnError(text) {
		return ptrace.Traces{}, errors.New("no Jaeger traces: Jaeger answered with an error, as it does for a trace that it does not have")
	}
	td := ptrace.NewTraces()
	for _, t := range traces {
		at := map[string]ptrace.ResourceSpans{}
		for i := range t.Spans {
			s := &t.Spans[i]
			rs, known := at[s.ProcessID]
			if !known || s.Process != nil {
				rs = td.ResourceSpans().AppendEmpty()
				at[s.ProcessID] = rs
				process := t.Processes[s.ProcessID]
				if s.Process != nil {
					process = *s.Process
				}
				process.resource(rs.Resource().Attributes())
			}
			if err := s.to(rs); err != nil {
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

// answeredAnError reports whether an answer lists errors. Their texts are not shown, because they may repeat the query.
func answeredAnError(text []byte) bool {
	var answer struct{ Errors []json.RawMessage }
	return json.Unmarshal(text, &answer) == nil && len(answer.Errors) > 0
}

// jaegerResult reads {"result": {"resourceSpans": [...]}}, which version 3 of the API gives. Other JSON has a result as well.
func jaegerResult(_ []byte, value json.RawMessage) (ptrace.Traces, error) {
	var result struct{ ResourceSpans json.RawMessage }
	if err := json.Unmarshal(value, &result); err != nil || result.ResourceSpans == nil {
		return ptrace.Traces{}, ErrOther
	}
	return likeOTLP("Jaeger", result.ResourceSpans)
}

func (p jaegerProcess) resource(m pcommon.Map) {
	for _, t := range p.Tags {
		t.put(m)
	}
	if p.ServiceName != "" {
		m.PutStr("service.name", p.ServiceName)
	}
}

// to adds the span to a resource, under its scope.
func (s *jaegerSpan) to(rs ptrace.ResourceSpans) error {
	span := ptrace.NewSpan()
	tags := span.Attributes()
	for _, t := range s.Tags {
		t.put(tags)
	}
	scope := pcommon.NewInstrumentationScope()
	scope.SetName(cmp.Or(take(tags, "otel.scope.name"), take(tags, "otel.library.name")))
	scope.SetVersion(cmp.Or(take(tags, "otel.scope.version"), take(tags, "otel.library.version")))
	span.SetKind(spanKinds[take(tags, "span.kind")])
	takeStatus(tags, span.Status())
	if err := identify(span, s.TraceID, s.SpanID, s.ParentSpanID); err != nil {
		return err
	}
	span.SetName(s.OperationName)
	span.SetStartTimestamp(pcommon.Timestamp(s.StartTime * 1000))
	span.SetEndTimestamp(pcommon.Timestamp((s.StartTime + s.Duration) * 1000))
	for _, r := range s.References { // the first parent in the same trace is the parent, and all others are links
		trace, id, err := ids(r.TraceID, r.SpanID)
		switch parent := span.ParentSpanID(); {
		case err != nil:
			return err
		case r.RefType == "CHILD_OF" && trace == span.TraceID() && (parent.IsEmpty() || parent == id):
			span.SetParentSpanID(id)
		default:
			link(span, trace, id)
		}
	}
	for _, l := range s.Logs {
		l.to(span.Events().AppendEmpty())
	}
	span.MoveTo(scopeOf(rs, scope).Spans().AppendEmpty())
	return nil
}

func (l jaegerLog) to(e ptrace.SpanEvent) {
	e.SetTimestamp(pcommon.Timestamp(l.Timestamp * 1000))
	for _, f := range l.Fields {
		if f.Key == "event" && e.Name() == "" {
			e.SetName(f.text())
			continue
		}
		f.put(e.Attributes())
	}
}

// scopeOf is the part of a resource for a scope.
func scopeOf(rs ptrace.ResourceSpans, scope pcommon.InstrumentationScope) ptrace.ScopeSpans {
	for _, ss := range rs.ScopeSpans().All() {
		if ss.Scope().Name() == scope.Name() && ss.Scope().Version() == scope.Version() {
			return ss
		}
	}
	ss := rs.ScopeSpans().AppendEmpty()
	scope.CopyTo(ss.Scope())
	return ss
}

// takeStatus moves the tags that represent a status.
func takeStatus(tags pcommon.Map, status ptrace.Status) {
	code := take(tags, "otel.status_code")
	if failed, has := tags.Get("error"); has && failed.AsString() == "true" {
		code = cmp.Or(code, "ERROR")
		tags.Remove("error")
	}
	status.SetCode(codes[code])
	status.SetMessage(take(tags, "otel.status_description"))
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

// put writes a tag as an attribute of its type. What is not of its type is a text.
func (t jaegerTag) put(m pcommon.Map) {
	var value any
	text, err := t.text(), errors.ErrUnsupported
	switch t.Type {
	case "bool":
		value, err = strconv.ParseBool(text)
	case "int64":
		value, err = strconv.ParseInt(text, 10, 64)
	case "float64":
		value, err = strconv.ParseFloat(text, 64)
	case "binary":
		value, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil {
		value = text
	}
	_ = m.PutEmpty(t.Key).FromRaw(value) // these types are known to pdata
}

// text is the value of a tag, without quotes.
func (t jaegerTag) text() string {
	var text string
	if json.Unmarshal(t.Value, &text) == nil {
		return text
	}
	return string(t.Value)
}
