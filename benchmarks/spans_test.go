package benchmarks

import (
	"encoding/binary"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// epoch is when the first span of every load begins: the first second of 2026.
const epoch = 1_767_225_600_000_000_000

// newTrace begins a trace of the service.
func (m *maker) newTrace(service string) trace {
	m.load.Traces++
	return trace{service: service, spans: ptrace.NewSpanSlice()}
}

// newSpanID is a random id that is not 0.
func (m *maker) newSpanID() uint64 { return m.rng.Uint64() | 1 }

// child adds a span under parent; 0 is none. The trace's id is that of its first span.
func (m *maker) child(t trace, id, parent uint64) ptrace.Span {
	m.load.Spans++
	m.load.SpanIDs += id
	var traceID pcommon.TraceID
	if t.spans.Len() > 0 {
		traceID = t.spans.At(0).TraceID()
	} else {
		binary.BigEndian.PutUint64(traceID[:], m.newSpanID())
		binary.BigEndian.PutUint64(traceID[8:], m.newSpanID())
	}
	s := t.spans.AppendEmpty()
	s.SetTraceID(traceID)
	s.SetSpanID(spanID(id))
	if parent != 0 {
		s.SetParentSpanID(spanID(parent))
	}
	s.SetStartTimestamp(pcommon.Timestamp(epoch + m.now))
	m.now += 1000 + m.rng.Uint64N(1_000_000)
	s.SetEndTimestamp(pcommon.Timestamp(epoch + m.now))
	return s
}

func spanID(n uint64) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

func (m *maker) hex() string { return strconv.FormatUint(m.rng.Uint64(), 16) }

// told is the text that a model is given: 1 to 4 KiB with its envelope.
func (m *maker) told() string { return m.cut(900 + m.rng.IntN(3000)) }

// said is the text of a model's response: up to 2 KiB.
func (m *maker) said() string { return m.cut(200 + m.rng.IntN(1900)) }

// cut is n bytes of text that stand between quotes in JSON as they are.
func (m *maker) cut(n int) string {
	at := m.rng.IntN(len(m.text) - n)
	return m.text[at : at+n]
}

// prose is text of at least n bytes.
func (m *maker) prose(n int) string {
	words := strings.Fields(`the order of a customer was refunded because its parcel never came and nobody had asked why
		status pending since Monday please answer in two sentences quote the invoice and call no tool twice 4711 99.90 EUR`)
	var b strings.Builder
	for b.Len() < n {
		b.WriteString(words[m.rng.IntN(len(words))])
		b.WriteByte(' ')
	}
	return b.String()
}
