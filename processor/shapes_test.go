package processor

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
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

// heldShapes have spans that are held, or would be held without a bound.
var heldShapes = []shape{
	{name: "a large resource, and scopes with an agent each", n: 2000, fill: func(m *maker, n int) {
		_ = m.rs.Resource().Attributes().FromRaw(numbers(5 * n))
		for range n {
			m.agent()
			m.newTrace()
			m.scope()
		}
	}},
	{name: "a resource that is too large to be held", n: 2000, unheld: heldspans.TooWide, fill: func(m *maker, n int) {
		_ = m.rs.Resource().Attributes().FromRaw(numbers(50 * n))
		for range n {
			m.agent()
			m.newTrace()
			m.scope()
		}
	}},
	{name: "resources with an agent each", n: 2000, fill: each(func(m *maker, _ int) { m.agent(); m.newTrace(); m.rs = m.td.ResourceSpans().AppendEmpty(); m.scope() })},
	{name: "agents without an id, of one trace", n: 5000, fill: each(func(m *maker, _ int) { m.agent().SetSpanID(pcommon.SpanID{}) })},
	{name: "agents of traces of their own", n: 5000, fill: each(func(m *maker, _ int) { m.agent(); m.newTrace() })},
	{name: "copies of an agent", n: 5000, fill: each(func(m *maker, _ int) { m.agent().SetSpanID(idOf(1)) })},
	{name: "roots that stand in", n: 10_000, fill: func(m *maker, n int) {
		m.tool("x")
		for range n {
			m.bare()
		}
	}},
	{name: "roots that stand in and have no id", n: 10_000, unheld: heldspans.TooDense, fill: func(m *maker, n int) {
		m.tool("x").SetParentSpanID(idOf(1))
		for range n {
			m.bare().SetSpanID(pcommon.SpanID{})
		}
	}},
	{name: "an agent with a huge attribute", n: 1, fill: func(m *maker, n int) {
		m.agent().Attributes().PutStr("x", strings.Repeat("x", 1<<20))
	}},
	{name: "agents with a long conversation", n: 500, change: conversations, fill: each(func(m *maker, i int) {
		m.agent().Attributes().PutStr("session.id", strings.Repeat("x", 2000)+strconv.Itoa(i))
		m.newTrace()
	})},
	{name: "an agent with attributes of numbers", n: 100_000, fill: func(m *maker, n int) {
		s := m.agent()
		raw := numbers(n)
		raw["gen_ai.operation.name"] = "invoke_agent"
		_ = s.Attributes().FromRaw(raw)
	}},
	{name: "an agent with empty attributes", n: 100_000, unheld: heldspans.TooDense, raw: anAgentWith(9)},
	{name: "an agent with events of one attribute", n: 20_000, fill: func(m *maker, n int) {
		s := m.agent()
		for range n {
			s.Events().AppendEmpty().Attributes().PutStr("k", "v")
		}
	}},
	{name: "an agent with empty links", n: 50_000, unheld: heldspans.TooDense, raw: anAgentWith(13)},
	{name: "an agent with a list of nothing", n: 200_000, unheld: heldspans.TooDense, raw: aListOf(nil)},
	{name: "an agent with a list of numbers", n: 200_000, raw: aListOf([]byte{3 << 3, 1})},
	{name: "an agent with a list of empty lists", n: 100_000, unheld: heldspans.TooDense, raw: aListOf(field(5))},
	{name: "agents with lists in lists", n: 1200, unheld: heldspans.TooDense, fill: each(func(m *maker, _ int) {
		list := m.agent().Attributes().PutEmptySlice("x")
		for range 40 { // the Collector refuses bytes of 50 and more
			list = list.AppendEmpty().SetEmptySlice()
		}
	})},
}

// tooDeep cannot come as bytes, because the Collector refuses to read them. A processor before this one can make it.
var tooDeep = shape{name: "an agent with lists in lists", n: 10_000, unheld: heldspans.TooDeep, fill: func(m *maker, n int) {
	list := m.agent().Attributes().PutEmptySlice("x")
	for range n {
		list = list.AppendEmpty().SetEmptySlice()
	}
}}

// recordedShapes make the processor record something about spans that are forwarded.
var recordedShapes = []shape{
	{name: "calls of one trace", n: 10_000, fill: each(func(m *maker, _ int) { m.tool("x") })},
	{name: "calls of one trace, whose spans are held", n: 10_000, change: func(s *Settings) { s.AnnotateCalls = true }, fill: each(func(m *maker, _ int) { m.tool("x").SetParentSpanID(idOf(1)) })},
	{name: "calls of traces of their own", n: 10_000, fill: each(func(m *maker, _ int) { m.tool("x").SetParentSpanID(idOf(1)); m.newTrace() })},
	{name: "calls of names of their own", n: 10_000, fill: each(func(m *maker, i int) { m.tool(strconv.Itoa(i)) })},
	{name: "calls with ids", n: 10_000, fill: each(func(m *maker, i int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%010d", i))
	})},
	{name: "calls with arguments", n: 5_000, change: keepAll, fill: each(func(m *maker, i int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.arguments", fmt.Sprint(`{"q":`, i, `}`))
	})},
	{name: "calls with large arguments", n: 100, change: keepAll, fill: each(func(m *maker, _ int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.arguments", `"`+strings.Repeat("x", 60_000)+`"`)
	})},
	{name: "calls with arguments that are a list of nothing", n: 10, change: keepAll, fill: each(func(m *maker, _ int) {
		list := m.tool("x").Attributes().PutEmptySlice("gen_ai.tool.call.arguments")
		for range 10_000 {
			list.AppendEmpty()
		}
	})},
	{name: "parents of one span", n: 50_000, fill: func(m *maker, n int) {
		m.tool("x")
		for i := range n {
			s := m.bare()
			s.SetSpanID(idOf(7))
			s.SetParentSpanID(idOf(uint64(i + 1)))
		}
	}},
	{name: "ordinary traces", n: 50_000, fill: each(func(m *maker, _ int) { m.bare().SetParentSpanID(idOf(1)); m.newTrace() })},
	{name: "a message that asks for many calls", n: 9_000, change: keepAll, fill: func(m *maker, n int) {
		m.chat().Attributes().PutStr("gen_ai.output.messages",
			`[{"parts":[`+strings.Repeat(`{"type":"tool_call","name":"x"},`, n)+`{}]}]`)
	}},
	{name: "a message that asks for a call, and has much else", n: 20, change: keepAll, fill: each(func(m *maker, _ int) {
		m.chat().Attributes().PutStr("gen_ai.output.messages",
			`[{"x":"`+strings.Repeat("x", 50_000)+`","parts":[{"type":"tool_call","id":"call_abcdefgh","name":"x","arguments":{"q":1}}]}]`)
	})},
	{name: "a message with results", n: 20_000, change: keepAll, fill: func(m *maker, n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"tool_call_response","id":"call_%08d"},`, i)
		}
		m.chat().Attributes().PutStr("gen_ai.input.messages", `[{"parts":[`+b.String()+`{}]}]`)
	}},
	{name: "a message with results whose ids mean nothing", n: 20_000, change: keepAll, fill: func(m *maker, n int) {
		m.chat().Attributes().PutStr("gen_ai.input.messages",
			`[{"parts":[`+strings.Repeat(`{"type":"tool_call_response","id":"1"},`, n)+`{}]}]`)
	}},
	{name: "a protocol's calls with long names and ids", n: 200, change: keepAll, fill: each(func(m *maker, i int) {
		a := m.with("mcp.method.name", "tools/call").Attributes()
		a.PutStr("gen_ai.tool.name", strings.Repeat("x", 10_000)+strconv.Itoa(i))
		a.PutStr("gen_ai.tool.call.id", strings.Repeat("x", 10_000)+strconv.Itoa(i))
	})},
	{name: "steps below spans", n: 10_000, fill: each(func(m *maker, i int) { m.with("openinference.span.kind", "LLM").SetParentSpanID(idOf(uint64(i))) })},
}

// talking puts a span into a conversation.
const talking = "session.id"

// correlatedShapes have runs that wait in the correlator for runs of other traces.
var correlatedShapes = []shape{
	{name: "agents with a conversation each", n: 5_000, change: conversations, fill: each(func(m *maker, i int) { m.agent().Attributes().PutStr(talking, strconv.Itoa(i)); m.newTrace() })},
	{name: "agents of one conversation", n: 5_000, change: conversations, fill: each(func(m *maker, _ int) { m.agent().Attributes().PutStr(talking, "x"); m.newTrace() })},
	{name: "calls with a conversation each", n: 5_000, change: conversations, fill: each(func(m *maker, i int) {
		s := m.tool("x")
		s.SetParentSpanID(idOf(1 << 60))
		s.Attributes().PutStr(talking, strconv.Itoa(i))
		m.newTrace()
	})},
	{name: "an agent with calls with ids, of one conversation", n: 10_000, change: conversations, fill: func(m *maker, n int) {
		m.agent().Attributes().PutStr(talking, "x")
		for i := range n {
			s := m.tool("x")
			s.SetParentSpanID(idOf(1))
			s.Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%08d", i))
		}
	}},
	{name: "scopes with an agent of a conversation each", n: 2_000, change: conversations, fill: each(func(m *maker, i int) {
		m.agent().Attributes().PutStr(talking, strconv.Itoa(i))
		m.newTrace()
		m.scope()
	})},
	{name: "agents that share calls with another trace, of a long conversation each", n: 500, fill: func(m *maker, n int) {
		for range 2 {
			m.scope()
			m.ss.Scope().SetName("scope " + strconv.FormatUint(m.trace, 10))
			for i := range n {
				a := m.agent()
				if i == 0 {
					a.Attributes().PutStr("gen_ai.conversation.id", strings.Repeat("x", 5_000))
				}
				c := m.tool("x")
				c.SetParentSpanID(a.SpanID())
				c.Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%08d", i))
			}
			m.newTrace()
		}
	}},
	{name: "model steps that ask for a call each", n: 5_000, change: keepAll, fill: each(func(m *maker, i int) {
		m.chat().Attributes().PutStr("gen_ai.output.messages",
			fmt.Sprintf(`[{"parts":[{"type":"tool_call","id":"call_%08d","name":"x"}]}]`, i))
		m.newTrace()
	})},
	{name: "a model step that asks for many calls with ids", n: 9_000, change: keepAll, fill: func(m *maker, n int) {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"type":"tool_call","id":"call_%08d","name":"x"},`, i)
		}
		m.chat().Attributes().PutStr("gen_ai.output.messages", `[{"parts":[`+b.String()+`{}]}]`)
	}},
	{name: "model steps that were shown a result each", n: 5_000, change: keepAll, fill: each(func(m *maker, i int) {
		m.chat().Attributes().PutStr("gen_ai.input.messages",
			fmt.Sprintf(`[{"parts":[{"type":"tool_call_response","id":"call_%08d"}]}]`, i))
		m.newTrace()
	})},
}
