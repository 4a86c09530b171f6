//go:build chaos

package e2e

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
)

// expected are the tools that every run should call; the collectors' configuration says the same.
var expected = []string{"search_orders", "refund_order", "send_mail"}

// passMark is over two of three and below three of three, as is every threshold that a case configures.
const passMark = 0.8

// An anchor is an agent's span with the verdict that it must get.
type anchor struct {
	id   spanID
	want spans.Verdict
}

// A madeTrace is a run with what is around it, or an ordinary trace.
type madeTrace struct {
	spans   []spans.Span // children before their parents, as they end
	anchors []anchor
	root    spanID
}

// A shape says how large a job is.
type shape struct{ runs, ordinary, requests int }

// A job is what one sender sends in order: some runs and ordinary traces, interleaved and cut into requests. A request
// may be empty.
type job struct {
	requests [][]spans.Span
	runs     []*sentRun
}

// makeJob makes the n-th job of a seed, always the same.
func makeJob(seed, n uint64, s shape) job {
	rng := rand.New(rand.NewPCG(seed, n))
	j := job{requests: make([][]spans.Span, s.requests)}
	for i := range s.runs + s.ordinary {
		m := maker{rng: rng, id: spans.RandomTrace(rng)}
		if i < s.runs {
			m.agentTrace()
			first, last := j.cut(rng, m.madeTrace)
			j.runs = append(j.runs, &sentRun{anchors: m.anchors, root: m.root, first: first, last: last})
		} else {
			m.ordinaryTrace()
			j.cut(rng, m.madeTrace)
		}
	}
	return j
}

// beginAt moves the job's spans in time, from the epoch.
func (j *job) beginAt(at time.Time) {
	later := pcommon.Timestamp(at.Sub(spans.Epoch))
	for _, request := range j.requests {
		for _, s := range request {
			s.SetStartTimestamp(s.StartTimestamp() + later)
			s.SetEndTimestamp(s.EndTimestamp() + later)
		}
	}
}

// cut spreads a trace over the requests, in its order. It says which are the first and the last with a part of it.
func (j *job) cut(rng *rand.Rand, t madeTrace) (first, last int) {
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
	madeTrace
	rng *rand.Rand
	id  pcommon.TraceID
	now time.Duration // since the epoch
}

// agentTrace is an agent's run, sometimes below a server's span, sometimes with a sub-agent that is a run as well.
func (m *maker) agentTrace() {
	server := m.begin(spans.NoParent, "POST /chat")
	below := m.rng.Float64() < 0.3
	var root pcommon.SpanID
	if below {
		root = server.SpanID()
	}
	m.root = m.agent(root, "support", m.rng.Float64() < 0.1)
	if below {
		m.end(server.With("http.route", "/chat"))
		m.root = idOf(server.Span)
	}
}

// agent plays an agent. It asks a model before each call, and some calls stand below an ordinary span.
func (m *maker) agent(parent pcommon.SpanID, name string, delegates bool) spanID {
	agent := m.begin(parent, "invoke_agent "+name).Agent(name)
	calls := m.calls()
	for _, tool := range calls {
		m.ask(agent.SpanID())
		step := m.begin(agent.SpanID(), "step")
		call := m.begin(agent.SpanID(), "execute_tool "+tool).Tool(tool).With("gen_ai.tool.call.arguments", `{"order_id": 7, "currency": "EUR"}`)
		call.With("gen_ai.tool.call.id", call.SpanID().String())
		inStep := m.rng.Float64() < 0.3
		if inStep {
			call.SetParentSpanID(step.SpanID())
		}
		m.end(m.begin(call.SpanID(), "GET /orders").With("http.route", "/orders/{id}"))
		m.end(call)
		if inStep {
			m.end(step.With("http.route", "/orders/{id}"))
		}
	}
	if delegates {
		m.ask(agent.SpanID())
		m.agent(agent.SpanID(), "research", false)
	}
	m.end(agent)
	m.anchors = append(m.anchors, anchor{id: idOf(agent.Span), want: judge(calls)})
	return idOf(agent.Span)
}

func (m *maker) ask(parent pcommon.SpanID) {
	m.end(m.begin(parent, "chat a-model").Chat().With("gen_ai.request.model", "a-model"))
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
func judge(calls []string) spans.Verdict {
	found := 0
	for _, tool := range expected {
		if slices.Contains(calls, tool) {
			found++
		}
	}
	score := float64(found) / float64(len(expected))
	return spans.Verdict{Judged: true, Score: score, Passed: score >= passMark, Called: strings.Join(calls, ","), Complete: true}
}

// ordinaryTrace is a request without an agent.
func (m *maker) ordinaryTrace() {
	root := m.begin(spans.NoParent, "GET /shop").With("http.route", "/shop")
	for range 1 + m.rng.IntN(4) {
		m.end(m.begin(root.SpanID(), "SELECT shop").With("http.route", "/shop"))
	}
	m.end(root)
}

func (m *maker) begin(parent pcommon.SpanID, name string) spans.Span {
	s := spans.In(ptrace.NewSpanSlice(), m.id, spans.RandomID(m.rng), parent)
	s.SetName(name)
	s.SetStartTimestamp(m.tick())
	return s
}

func (m *maker) end(s spans.Span) {
	s.SetEndTimestamp(m.tick())
	m.spans = append(m.spans, s)
}

func (m *maker) tick() pcommon.Timestamp {
	m.now += time.Millisecond
	return pcommon.NewTimestampFromTime(spans.Epoch.Add(m.now))
}

// traces are the spans as OTLP.
func traces(all []spans.Span) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "shop")
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("chaos")
	ss.Spans().EnsureCapacity(len(all))
	for _, s := range all {
		s.CopyTo(ss.Spans().AppendEmpty())
	}
	return td
}
