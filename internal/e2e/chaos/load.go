package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// expected are the tools that every run should call; the collectors' configuration says the same.
var expected = []string{"search_orders", "refund_order", "send_mail"}

// passMark is over two of three and below three of three, as is every threshold that a case configures.
const passMark = 0.8

// A spanID names one span.
type spanID struct {
	trace pcommon.TraceID
	span  pcommon.SpanID
}

// A verdict is what an anchor must carry, or does.
type verdict struct {
	score    float64
	passed   bool
	called   string // the names, with commas between them
	complete bool
	because  string // why it is not complete, with commas between the words
}

// A span is one span of the load.
type span struct {
	id         spanID
	parent     pcommon.SpanID
	operation  string // gen_ai.operation.name; empty: an ordinary span
	name       string // of the tool or agent, or of the ordinary span
	start, end time.Time
}

// An anchor is an agent's span with the verdict that it must get.
type anchor struct {
	id   spanID
	want verdict
}

// A trace is a run with what is around it, or an ordinary trace.
type trace struct {
	spans   []span // children before their parents, as they end
	anchors []anchor
	root    spanID
}

// A shape says how large a job is.
type shape struct{ runs, ordinary, requests int }

// A job is what one sender sends in order: some runs and ordinary traces, interleaved and cut into requests. A request
// may be empty.
type job struct {
	requests [][]span
	runs     []*sentRun
}

// makeJob makes the n-th job of a seed, always the same.
func makeJob(seed, n uint64, s shape) job {
	rng := rand.New(rand.NewPCG(seed, n))
	j := job{requests: make([][]span, s.requests)}
	for i := range s.runs + s.ordinary {
		m := maker{rng: rng, now: epoch}
		rng2 := rng.Uint64()
		for b := range 8 {
			m.trace[b] = byte(rng2 >> (8 * b))
			m.trace[8+b] = byte(n >> (8 * b))
		}
		if i < s.runs {
			t := m.agentTrace()
			first, last := j.cut(rng, t)
			j.runs = append(j.runs, &sentRun{anchors: t.anchors, root: t.root, first: first, last: last})
		} else {
			j.cut(rng, m.ordinaryTrace())
		}
	}
	return j
}

// epoch is when all jobs begin, until they do.
var epoch = time.Unix(1_800_000_000, 0)

// beginAt moves the job's spans in time.
func (j *job) beginAt(at time.Time) {
	for _, request := range j.requests {
		for i := range request {
			request[i].start, request[i].end = request[i].start.Add(at.Sub(epoch)), request[i].end.Add(at.Sub(epoch))
		}
	}
}

// cut spreads a trace over the requests, in its order. It says which are the first and the last with a part of it.
func (j *job) cut(rng *rand.Rand, t trace) (first, last int) {
	at := make([]int, len(t.spans))
	for i := range at {
		at[i] = rng.IntN(len(j.requests))
	}
	slices.Sort(at)
	for i, s := range t.spans {
		j.requests[at[i]] = append(j.requests[at[i]], s)
	}
	return at[0], at[len(at)-1]
}

// A maker makes the spans of one trace.
type maker struct {
	rng   *rand.Rand
	trace pcommon.TraceID
	now   time.Time
	out   trace
}

// agentTrace is an agent's run, sometimes below a server's span, sometimes with a sub-agent that is a run as well.
func (m *maker) agentTrace() trace {
	server := span{id: m.id(), name: "POST /chat", start: m.tick()}
	below := m.rng.Float64() < 0.3
	root := pcommon.SpanID{}
	if below {
		root = server.id.span
	}
	m.out.root = m.agent(root, "support", m.rng.Float64() < 0.1)
	if below {
		m.end(server)
		m.out.root = server.id
	}
	return m.out
}

// agent plays an agent. It asks a model before each call, and some calls stand below an ordinary span.
func (m *maker) agent(parent pcommon.SpanID, name string, delegates bool) spanID {
	agent := span{id: m.id(), parent: parent, operation: "invoke_agent", name: name, start: m.tick()}
	calls := m.calls()
	for _, tool := range calls {
		m.end(span{id: m.id(), parent: agent.id.span, operation: "chat", name: "a-model", start: m.tick()})
		step := span{id: m.id(), parent: agent.id.span, name: "step", start: m.tick()}
		call := span{id: m.id(), parent: agent.id.span, operation: "execute_tool", name: tool, start: m.tick()}
		if m.rng.Float64() < 0.3 {
			call.parent = step.id.span
		}
		m.end(span{id: m.id(), parent: call.id.span, name: "GET /orders", start: m.tick()})
		m.end(call)
		if call.parent == step.id.span {
			m.end(step)
		}
	}
	if delegates {
		m.end(span{id: m.id(), parent: agent.id.span, operation: "chat", name: "a-model", start: m.tick()})
		m.agent(agent.id.span, "research", false)
	}
	m.end(agent)
	m.out.anchors = append(m.out.anchors, anchor{id: agent.id, want: judge(calls)})
	return agent.id
}

// calls are the tools of one run: most of the expected ones, in any order, and sometimes another or one twice.
func (m *maker) calls() []string {
	var calls []string
	for _, tool := range expected {
		if m.rng.Float64() < 0.8 {
			calls = append(calls, tool)
		}
	}
	if m.rng.Float64() < 0.3 {
		calls = append(calls, "web_search")
	}
	if len(calls) > 0 && m.rng.Float64() < 0.2 {
		calls = append(calls, calls[m.rng.IntN(len(calls))])
	}
	m.rng.Shuffle(len(calls), func(i, k int) { calls[i], calls[k] = calls[k], calls[i] })
	return calls
}

// judge is the verdict on a complete run: the share of the expected tools that were called.
func judge(calls []string) verdict {
	found := 0
	for _, tool := range expected {
		if slices.Contains(calls, tool) {
			found++
		}
	}
	score := float64(found) / float64(len(expected))
	return verdict{score: score, passed: score >= passMark, called: strings.Join(calls, ","), complete: true}
}

// ordinaryTrace is a request without an agent.
func (m *maker) ordinaryTrace() trace {
	root := span{id: m.id(), name: "GET /shop", start: m.tick()}
	for range 1 + m.rng.IntN(4) {
		m.end(span{id: m.id(), parent: root.id.span, name: "SELECT shop", start: m.tick()})
	}
	m.end(root)
	return m.out
}

func (m *maker) id() spanID {
	id := spanID{trace: m.trace}
	bits := m.rng.Uint64() | 1
	for b := range id.span {
		id.span[b] = byte(bits >> (8 * b))
	}
	return id
}

func (m *maker) tick() time.Time {
	m.now = m.now.Add(time.Millisecond)
	return m.now
}

func (m *maker) end(s span) {
	s.end = m.tick()
	m.out.spans = append(m.out.spans, s)
}

// traces are the spans as OTLP.
func traces(spans []span) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("chaos")
	ss.Spans().EnsureCapacity(len(spans))
	for _, s := range spans {
		s.write(ss.Spans().AppendEmpty())
	}
	return td
}

func (s span) write(to ptrace.Span) {
	to.SetTraceID(s.id.trace)
	to.SetSpanID(s.id.span)
	to.SetParentSpanID(s.parent)
	to.SetStartTimestamp(pcommon.NewTimestampFromTime(s.start))
	to.SetEndTimestamp(pcommon.NewTimestampFromTime(s.end))
	attributes := to.Attributes()
	if s.operation == "" {
		to.SetName(s.name)
		attributes.PutStr("http.route", "/orders/{id}")
		return
	}
	to.SetName(s.operation + " " + s.name)
	attributes.PutStr("gen_ai.operation.name", s.operation)
	switch s.operation {
	case "invoke_agent":
		attributes.PutStr("gen_ai.agent.name", s.name)
	case "execute_tool":
		attributes.PutStr("gen_ai.tool.name", s.name)
		attributes.PutStr("gen_ai.tool.call.id", s.id.span.String())
		attributes.PutStr("gen_ai.tool.call.arguments", `{"order_id": 7, "currency": "EUR"}`)
	case "chat":
		attributes.PutStr("gen_ai.request.model", s.name)
	}
}
