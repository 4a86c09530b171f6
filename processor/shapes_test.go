package processor

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// A shape is a request of about n parts that makes the processor keep much of it.
type shape struct {
	name string
	n    int
	// fill makes it, or raw makes its bytes.
	fill func(m *maker, n int)
	raw  func(n int) []byte
	// change is what the settings need to have it kept.
	change func(*Settings)
	// unheld is the bound that keeps its spans from being held, if one does.
	unheld heldspans.Bound
}

// each fills a request with n of something.
func each(add func(m *maker, i int)) func(*maker, int) {
	return func(m *maker, n int) {
		for i := range n {
			add(m, i)
		}
	}
}

// wire is the request as it comes.
func (s *shape) wire(tb testing.TB) []byte {
	if s.raw != nil {
		return s.raw(s.n)
	}
	m := newMaker()
	s.fill(m, s.n)
	wire, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(m.td)
	require.NoError(tb, err)
	return wire
}

// traces is the request as a receiver or another processor hands it on.
func (s *shape) traces(tb testing.TB) ptrace.Traces {
	if s.raw == nil {
		m := newMaker()
		s.fill(m, s.n)
		return m.td
	}
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(s.raw(s.n))
	require.NoError(tb, err)
	return td
}

// A maker makes a request, as small on the wire as it can be.
type maker struct {
	td    ptrace.Traces
	rs    ptrace.ResourceSpans
	ss    ptrace.ScopeSpans
	spans int
	trace uint64
}

func newMaker() *maker {
	m := &maker{td: ptrace.NewTraces()}
	m.rs = m.td.ResourceSpans().AppendEmpty()
	m.ss = m.rs.ScopeSpans().AppendEmpty()
	return m
}

func (m *maker) scope() { m.ss = m.rs.ScopeSpans().AppendEmpty() }

// newTrace starts another trace for the next spans.
func (m *maker) newTrace() { m.trace++ }

// bare adds a span that has nothing but ids.
func (m *maker) bare() ptrace.Span {
	s := m.ss.Spans().AppendEmpty()
	var t pcommon.TraceID
	binary.LittleEndian.PutUint64(t[:], (m.trace+1)*0x9E3779B97F4A7C15)
	binary.LittleEndian.PutUint64(t[8:], (m.trace+1)*0xBF58476D1CE4E5B9)
	s.SetTraceID(t)
	m.spans++
	s.SetSpanID(idOf(uint64(m.spans)))
	return s
}

func (m *maker) with(key, value string) ptrace.Span {
	s := m.bare()
	s.Attributes().PutStr(key, value)
	return s
}

func (m *maker) agent() ptrace.Span { return m.with("gen_ai.operation.name", "invoke_agent") }

func (m *maker) tool(name string) ptrace.Span {
	s := m.with("gen_ai.operation.name", "execute_tool")
	s.Attributes().PutStr("gen_ai.tool.name", name)
	return s
}

func (m *maker) chat() ptrace.Span { return m.with("gen_ai.operation.name", "chat") }

// numbers are n attributes, each a small number under a short key.
func numbers(n int) map[string]any {
	raw := make(map[string]any, n)
	for i := range n {
		raw[strconv.Itoa(i)] = 1
	}
	return raw
}

// field is a field of a protocol buffers message that has a length.
func field(number int, content ...[]byte) []byte {
	all := slices.Concat(content...)
	return append(binary.AppendUvarint([]byte{byte(number<<3 | 2)}, uint64(len(all))), all...)
}

// anAgentWith is a request of one agent's span that has n empty fields of a number. Field 9 is an attribute, 11 an event
// and 13 a link.
func anAgentWith(number int) func(n int) []byte {
	return func(n int) []byte {
		return request(nil, nil, field(9, field(1, []byte("gen_ai.operation.name")), field(2, field(1, []byte("invoke_agent")))),
			bytes.Repeat(field(number), n))
	}
}

// aListOf is a request of one agent's span with a list of n elements.
func aListOf(element []byte) func(n int) []byte {
	return func(n int) []byte {
		list := field(5, bytes.Repeat(field(1, element), n))
		return request(nil, nil, field(9, field(1, []byte("gen_ai.operation.name")), field(2, field(1, []byte("invoke_agent")))),
			field(9, field(1, []byte("x")), field(2, list)))
	}
}

// request is one span of some fields, in a scope of some fields, of a resource of some fields.
func request(resource, scope []byte, span ...[]byte) []byte {
	ids := slices.Concat(field(1, bytes.Repeat([]byte{7}, 16)), field(2, bytes.Repeat([]byte{7}, 8)))
	return field(1, field(1, resource), field(2, field(1, scope), field(2, append([][]byte{ids}, span...)...)))
}

func keepAll(s *Settings) { s.Run.KeepArguments, s.Run.KeepOutput = true, true }

func conversations(s *Settings) {
	s.Run.Conversations = true
	s.ConversationAttributes = []string{"session.id"}
}

func conversationsOnly(s *Settings, _ *sink) { conversations(s) }
