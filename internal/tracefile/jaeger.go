package tracefile

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// What Jaeger's API gives. Times are microseconds since 1970.
type (
	jaegerTrace struct {
		Spans     []jaegerSpan             `json:"spans"`
		Processes map[string]jaegerProcess `json:"processes"`
	}
	jaegerProcess struct {
		ServiceName string      `json:"serviceName"`
		Tags        []jaegerTag `json:"tags"`
	}
	jaegerSpan struct {
		TraceID       string         `json:"traceID"`
		SpanID        string         `json:"spanID"`
		ParentSpanID  string         `json:"parentSpanID"`
		OperationName string         `json:"operationName"`
		References    []jaegerRef    `json:"references"`
		StartTime     uint64         `json:"startTime"`
		Duration      uint64         `json:"duration"`
		Tags          []jaegerTag    `json:"tags"`
		Logs          []jaegerLog    `json:"logs"`
		ProcessID     string         `json:"processID"`
		Process       *jaegerProcess `json:"process"`
	}
	jaegerRef struct {
		RefType string `json:"refType"`
		TraceID string `json:"traceID"`
		SpanID  string `json:"spanID"`
	}
	jaegerTag struct {
		Key   string          `json:"key"`
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	jaegerLog struct {
		Timestamp uint64      `json:"timestamp"`
		Fields    []jaegerTag `json:"fields"`
	}
)

// jaeger reads {"data": [...]}. Spans of one process share a resource, as they did when they were sent.
func jaeger(_ []byte, keys map[string]json.RawMessage) (ptrace.Traces, error) {
	var traces []jaegerTrace
	if err := json.Unmarshal(keys["data"], &traces); err != nil {
		return ptrace.Traces{}, errors.New("no Jaeger traces: data is no list of traces")
	}
	if len(traces) == 0 && answeredAnError(keys["errors"]) {
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
func jaegerTraceOf(text []byte, _ map[string]json.RawMessage) (ptrace.Traces, error) {
	return jaeger(nil, map[string]json.RawMessage{"data": slices.Concat([]byte("["), text, []byte("]"))})
}

// answeredAnError reports whether errors are listed. Their texts are not shown, because they may repeat the query.
func answeredAnError(list json.RawMessage) bool {
	var all []json.RawMessage
	return json.Unmarshal(list, &all) == nil && len(all) > 0
}

// jaegerResult reads {"result": {"resourceSpans": [...]}}, which version 3 of the API gives. Other JSON has a result as well.
func jaegerResult(_ []byte, keys map[string]json.RawMessage) (ptrace.Traces, error) {
	var result struct {
		ResourceSpans json.RawMessage `json:"resourceSpans"`
	}
	if err := json.Unmarshal(keys["result"], &result); err != nil || result.ResourceSpans == nil {
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
	scope := pcommon.NewInstrumentationScope()
	span := ptrace.NewSpan()
	for _, t := range s.Tags {
		t.put(span.Attributes())
	}
	takeScope(span.Attributes(), scope)
	takeKind(span)
	takeStatus(span)
	var trace pcommon.TraceID
	var id, parent pcommon.SpanID
	if err := cmp.Or(readID(s.TraceID, trace[:]), readID(s.SpanID, id[:]), readID(s.ParentSpanID, parent[:])); err != nil {
		return err
	}
	span.SetName(s.OperationName)
	span.SetTraceID(trace)
	span.SetSpanID(id)
	span.SetParentSpanID(parent)
	span.SetStartTimestamp(pcommon.Timestamp(s.StartTime * 1000))
	span.SetEndTimestamp(pcommon.Timestamp((s.StartTime + s.Duration) * 1000))
	if err := s.refer(span); err != nil {
		return err
	}
	for _, l := range s.Logs {
		l.to(span.Events().AppendEmpty())
	}
	span.MoveTo(scopeOf(rs, scope).Spans().AppendEmpty())
	return nil
}

// refer makes the first reference to a parent in the same trace the parent, and all others links.
func (s *jaegerSpan) refer(span ptrace.Span) error {
	for _, r := range s.References {
		var trace pcommon.TraceID
		var id pcommon.SpanID
		if err := cmp.Or(readID(r.TraceID, trace[:]), readID(r.SpanID, id[:])); err != nil {
			return err
		}
		if r.RefType == "CHILD_OF" && trace == span.TraceID() && (span.ParentSpanID().IsEmpty() || span.ParentSpanID() == id) {
			span.SetParentSpanID(id)
			continue
		}
		link := span.Links().AppendEmpty()
		link.SetTraceID(trace)
		link.SetSpanID(id)
	}
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

// takeScope moves the tags that represent a scope.
func takeScope(m pcommon.Map, scope pcommon.InstrumentationScope) {
	scope.SetName(cmp.Or(take(m, "otel.scope.name"), take(m, "otel.library.name")))
	scope.SetVersion(cmp.Or(take(m, "otel.scope.version"), take(m, "otel.library.version")))
}

func takeKind(span ptrace.Span) { span.SetKind(kindOfSpan(take(span.Attributes(), "span.kind"))) }

// kindOfSpan is a kind by its name in lower case.
func kindOfSpan(name string) ptrace.SpanKind {
	return map[string]ptrace.SpanKind{
		"internal": ptrace.SpanKindInternal, "server": ptrace.SpanKindServer, "client": ptrace.SpanKindClient,
		"producer": ptrace.SpanKindProducer, "consumer": ptrace.SpanKindConsumer,
	}[name]
}

func takeStatus(span ptrace.Span) {
	code := take(span.Attributes(), "otel.status_code")
	failed, has := span.Attributes().Get("error")
	isError := has && (failed.Type() == pcommon.ValueTypeBool && failed.Bool() || failed.AsString() == "true")
	switch {
	case code == "ERROR" || code == "" && isError:
		span.Status().SetCode(ptrace.StatusCodeError)
	case code == "OK":
		span.Status().SetCode(ptrace.StatusCodeOk)
	}
	if isError {
		span.Attributes().Remove("error")
	}
	span.Status().SetMessage(take(span.Attributes(), "otel.status_description"))
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
	text := t.text()
	switch t.Type {
	case "bool":
		if b, err := strconv.ParseBool(text); err == nil {
			m.PutBool(t.Key, b)
			return
		}
	case "int64":
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			m.PutInt(t.Key, n)
			return
		}
	case "float64":
		if f, err := strconv.ParseFloat(text, 64); err == nil {
			m.PutDouble(t.Key, f)
			return
		}
	case "binary":
		if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
			m.PutEmptyBytes(t.Key).FromRaw(raw)
			return
		}
	}
	m.PutStr(t.Key, text)
}

// text is the value of a tag, without quotes.
func (t jaegerTag) text() string {
	var text string
	if json.Unmarshal(t.Value, &text) == nil {
		return text
	}
	return string(t.Value)
}

// readID reads an id in hexadecimal, whose leading zeros may be missing.
func readID(text string, id []byte) error {
	if len(text) > 2*len(id) {
		return errors.New("an id is too long")
	}
	if _, err := hex.Decode(id, []byte(strings.Repeat("0", 2*len(id)-len(text))+text)); err != nil {
		return errors.New("an id is not hexadecimal")
	}
	return nil
}
