package processor

import (
	"fmt"
	"strconv"
	"strings"
)

// recordedShapes make the processor record something about spans that are forwarded.
var recordedShapes = []shape{
	{name: "calls of one trace", n: 10_000, fill: each(func(m *maker, _ int) { m.tool("x") })},
	{name: "calls of one trace, whose spans are held", n: 10_000, change: func(s *Settings) { s.AnnotateCalls = true }, fill: each(func(m *maker, _ int) { m.tool("x").SetParentSpanID(idOf(1)) })},
	{name: "calls of traces of their own", n: 10_000, fill: each(func(m *maker, _ int) { m.tool("x").SetParentSpanID(idOf(1)); m.newTrace() })},
	{name: "calls of names of their own", n: 10_000, fill: each(func(m *maker, i int) { m.tool(strconv.Itoa(i)) })},
	{name: "calls with ids", n: 10_000, fill: each(func(m *maker, i int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.id", fmt.Sprintf("call_%010d", i))
	})},
	{name: "calls with long ids", n: 500, fill: each(func(m *maker, i int) {
		m.tool("x").Attributes().PutStr("gen_ai.tool.call.id", strings.Repeat("x", 5000)+strconv.Itoa(i))
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
	{name: "links of one trace", n: 50_000, fill: func(m *maker, n int) {
		m.tool("x")
		for range n {
			m.bare().SetParentSpanID(idOf(1))
		}
	}},
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
