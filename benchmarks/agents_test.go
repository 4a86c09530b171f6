package benchmarks

import (
	"fmt"
	"slices"
	"strconv"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

var (
	deskTools     = []string{"search_orders", "refund_order", "send_email"}
	researchTools = []string{
		"search_web", "open_page", "read_pdf", "list_files", "read_file", "write_file",
		"run_python", "plot_chart", "query_table", "translate", "summarize", "cite",
	}
	// otherTools are expected in no run.
	otherTools = []string{"lookup_customer", "escalate", "get_time"}
)

// deskTrace is a run of 8 spans. None to all of its 3 calls are expected ones.
func (m *maker) deskTrace() trace {
	right := m.rng.IntN(4)
	calls := slices.Concat(deskTools[:right], otherTools[right:])
	m.rng.Shuffle(len(calls), func(i, k int) { calls[i], calls[k] = calls[k], calls[i] })
	t := m.newTrace("assistant")
	agent := m.newSpanID()
	for _, tool := range calls {
		id := m.hex()
		m.modelSpan(m.child(t, m.newSpanID(), agent), tool, id)
		m.toolSpan(m.child(t, m.newSpanID(), agent), tool, id)
	}
	m.modelSpan(m.child(t, m.newSpanID(), agent), "", "")
	m.agentSpan(m.child(t, agent, 0), Desk, ratio(right, len(deskTools)))
	return t
}

// researchTrace is a run of 500 spans: an agent, 150 tool calls, 200 model calls, and 149 requests of the tools. At
// least 9 of the 12 expected tools are called.
func (m *maker) researchTrace() trace {
	const calls, answers, requests = 150, 50, 149
	right := len(researchTools) - m.rng.IntN(4)
	may := slices.Concat(researchTools[:right], otherTools)
	t := m.newTrace("researcher")
	agent := m.newSpanID()
	for i := range calls {
		tool, id, call := may[i%len(may)], m.hex(), m.newSpanID()
		m.modelSpan(m.child(t, m.newSpanID(), agent), tool, id)
		if i < requests {
			m.httpSpan(m.child(t, m.newSpanID(), call))
		}
		m.toolSpan(m.child(t, call, agent), tool, id)
		if i < answers {
			m.modelSpan(m.child(t, m.newSpanID(), agent), "", "")
		}
	}
	m.agentSpan(m.child(t, agent, 0), Research, ratio(right, len(researchTools)))
	return t
}

func ratio(n, of int) float64 { return float64(n) / float64(of) }

func (m *maker) agentSpan(s ptrace.Span, name string, score float64) {
	m.load.Runs++
	s.SetName("invoke_agent " + name)
	a := s.Attributes()
	a.PutStr("gen_ai.operation.name", "invoke_agent")
	a.PutStr("gen_ai.provider.name", "openai")
	a.PutStr("gen_ai.agent.name", name)
	a.PutStr("gen_ai.agent.id", "agent-"+name)
	a.PutStr("gen_ai.request.model", "gpt-4o-mini")
	a.PutStr("gen_ai.conversation.id", m.hex())
	a.PutDouble(ScoreAttribute, score)
}

// modelSpan is a model's response: it requests a call of the tool or, without one, has a text.
func (m *maker) modelSpan(s ptrace.Span, tool, call string) {
	s.SetName("chat gpt-4o-mini")
	s.SetKind(ptrace.SpanKindClient)
	a := s.Attributes()
	a.PutStr("gen_ai.operation.name", "chat")
	a.PutStr("gen_ai.provider.name", "openai")
	a.PutStr("gen_ai.request.model", "gpt-4o-mini")
	a.PutStr("gen_ai.response.model", "gpt-4o-mini-2024-07-18")
	a.PutStr("gen_ai.response.id", "chatcmpl-"+m.hex())
	a.PutInt("gen_ai.usage.input_tokens", int64(m.rng.IntN(1000)))
	a.PutInt("gen_ai.usage.output_tokens", int64(m.rng.IntN(1000)))
	reason, parts := "stop", ""
	if tool != "" {
		reason = "tool_call"
		parts = fmt.Sprintf(`,{"type":"tool_call","id":"call_%s","name":%q,"arguments":%s}`, call, tool, m.arguments())
	}
	a.PutEmptySlice("gen_ai.response.finish_reasons").AppendEmpty().SetStr(reason)
	a.PutStr("gen_ai.input.messages", `[{"role":"system","parts":[{"type":"text","content":"You help."}]},`+
		`{"role":"user","parts":[{"type":"text","content":"`+m.told()+`"}]}]`)
	a.PutStr("gen_ai.output.messages",
		`[{"role":"assistant","parts":[{"type":"text","content":"`+m.said()+`"}`+parts+`],"finish_reason":"`+reason+`"}]`)
}

func (m *maker) toolSpan(s ptrace.Span, tool, call string) {
	m.load.Calls++
	s.SetName("execute_tool " + tool)
	a := s.Attributes()
	a.PutStr("gen_ai.operation.name", "execute_tool")
	a.PutStr("gen_ai.tool.name", tool)
	a.PutStr("gen_ai.tool.type", "function")
	a.PutStr("gen_ai.tool.call.id", "call_"+call)
	a.PutStr("gen_ai.tool.call.arguments", m.arguments())
	a.PutStr("gen_ai.tool.call.result", `{"status":"ok","text":"`+m.cut(200)+`"}`)
}

// arguments are a JSON object of some 200 bytes.
func (m *maker) arguments() string {
	return `{"order_id":"` + m.hex() + `","limit":` + strconv.Itoa(m.rng.IntN(100)) + `,"strict":true,"query":"` + m.cut(100) +
		`","range":{"from":"2026-01-01","to":"2026-06-30"},"tags":["a","b"]}`
}
