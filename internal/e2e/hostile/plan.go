package main

import (
	"encoding/binary"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// budget is how many bytes an attack may send in all. The bounds hold for attacks up to this size.
const budget = 10_000_000

// A plan is what an attack sends, and when. It is made before anything is measured, so that making it costs the victim
// nothing; requests are bytes, as they are on the wire.
type plan struct {
	rng      *rand.Rand
	requests []request
	bytes    int
	at       time.Duration // when the next request is sent, from the beginning of the attack
}

// A request is one Export call of the attacker.
type request struct {
	at   time.Duration
	body []byte
}

func newPlan(seed uint64) *plan { return &plan{rng: rand.New(rand.NewPCG(seed, 1))} }

// send adds a request. It is false where the budget is used up; then the request is left out.
func (p *plan) send(td ptrace.Traces) bool {
	body, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil || p.bytes+len(body) > budget {
		return false
	}
	p.bytes += len(body)
	p.requests = append(p.requests, request{p.at, body})
	return true
}

// wait lets time pass before the next request.
func (p *plan) wait(d time.Duration) { p.at += d }

func (p *plan) traceID() (id pcommon.TraceID) {
	binary.LittleEndian.PutUint64(id[:8], p.rng.Uint64())
	binary.LittleEndian.PutUint64(id[8:], p.rng.Uint64())
	return id
}

func (p *plan) spanID() (id pcommon.SpanID) {
	binary.LittleEndian.PutUint64(id[:], p.rng.Uint64()|1)
	return id
}

// A batch is a request in the making: spans of one scope of the attacker's service.
type batch struct {
	td       ptrace.Traces
	resource pcommon.Resource
	spans    ptrace.SpanSlice
}

func evil() batch { return batchOf("evil") }

func batchOf(service string) batch {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", service)
	return batch{td, rs.Resource(), rs.ScopeSpans().AppendEmpty().Spans()}
}

// fill gives a resource n small attributes. To put them one after the other would take the square of their number.
func fill(r pcommon.Resource, n int) {
	raw := make(map[string]any, n)
	for i := range n {
		raw[number(i)] = 1
	}
	_ = r.Attributes().FromRaw(raw) // numbers are of a type that it takes
}

// epoch is when spans begin whose times do not matter.
var epoch = time.Unix(1_700_000_000, 0)

func (b batch) span(trace pcommon.TraceID, id, parent pcommon.SpanID) span {
	return spanIn(b.spans, trace, id, parent)
}

func spanIn(spans ptrace.SpanSlice, trace pcommon.TraceID, id, parent pcommon.SpanID) span {
	s := spans.AppendEmpty()
	s.SetTraceID(trace)
	s.SetSpanID(id)
	s.SetParentSpanID(parent)
	return span{s}.from(0, time.Second)
}

// A span is one that is written a piece at a time.
type span struct{ ptrace.Span }

// from sets when the span began and ended, after the epoch.
func (s span) from(start, end time.Duration) span {
	s.SetStartTimestamp(pcommon.NewTimestampFromTime(epoch.Add(start)))
	s.SetEndTimestamp(pcommon.NewTimestampFromTime(epoch.Add(end)))
	return s
}

func (s span) with(key, value string) span {
	s.Attributes().PutStr(key, value)
	return s
}

func (s span) agent(name string) span {
	s.with("gen_ai.operation.name", "invoke_agent")
	if name != "" {
		s.with("gen_ai.agent.name", name)
	}
	return s
}

func (s span) tool(name string) span {
	return s.with("gen_ai.operation.name", "execute_tool").with("gen_ai.tool.name", name)
}

func (s span) chat() span { return s.with("gen_ai.operation.name", "chat") }

var noParent pcommon.SpanID

type (
	traceID = pcommon.TraceID
	spanID  = pcommon.SpanID
)

// dense is JSON of 64 kB that is many times as large when it is decoded.
var dense = "[" + repeat("0,", 32_000) + "0]"

func repeat(s string, n int) string { return strings.Repeat(s, n) }

func text(n int) string { return strings.Repeat("a", n) }

func number(i int) string { return strconv.Itoa(i) }
