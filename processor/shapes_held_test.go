package processor

import (
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

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
	{name: "a large scope with many agents", n: 2000, fill: func(m *maker, n int) {
		_ = m.ss.Scope().Attributes().FromRaw(numbers(5 * n))
		for range n {
			m.agent()
			m.newTrace()
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
