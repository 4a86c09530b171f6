package processor

import (
	"fmt"
	"strconv"
	"strings"
)

// talking puts a span into a conversation.
const talking = "session.id"

// correlatedShapes have runs that wait in the correlator for runs of other traces.
var correlatedShapes = []shape{
	{name: "agents with a conversation each", n: 5_000, change: conversations, fill: each(func(m *maker, i int) { m.agent().Attributes().PutStr(talking, strconv.Itoa(i)); m.newTrace() })},
	{name: "agents of one conversation", n: 5_000, change: conversations, fill: each(func(m *maker, _ int) { m.agent().Attributes().PutStr(talking, "x"); m.newTrace() })},
	{name: "agents of one trace with a long conversation", n: 2_000, change: conversations, fill: func(m *maker, n int) {
		m.tool("x").Attributes().PutStr(talking, strings.Repeat("x", 2_000))
		for range n {
			m.agent()
		}
	}},
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
