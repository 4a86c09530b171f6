package benchmarks

import (
	"math/rand/v2"

	"go.opentelemetry.io/collector/pdata/ptrace"
)

// This file and kinds_test.go, agents_test.go and spans_test.go make the traffic: OTLP protobuf requests, as a receiver gets them.
// The same kind, number of spans and seed make the same bytes on every machine.
//
// Agents are instrumented after OpenTelemetry's semantic conventions for generative AI. Every agent span has in
// [ScoreAttribute] the score that its run must get from the expectations of [Tools]. So a receiver can check each verdict
// without knowing what was sent.

// A Kind is one sort of traffic.
type Kind struct {
	Name string
	fill func(m *maker, spans int)
}

// The kinds of traffic.
var (
	// Agent8: Traces of 8 spans: an agent, 4 model calls (messages of 1 to 4 KiB in, up to 2 KiB out), 3 tool calls.
	Agent8 = Kind{"a_agent8", inTurn((*maker).deskTrace)}
	// Mixed: 5 of 100 traces are those of a_agent8, 95 are ordinary traces of 20 spans.
	Mixed = Kind{"b_mixed", inTurn((*maker).mixedTrace)}
	// Long500: Runs of 500 spans with 150 tool calls, 16 runs at a time, each in 16 requests.
	Long500 = Kind{"c_long500", sideBySide((*maker).researchTrace, 16, 16, true)}
	// Split4: Traces as in a_agent8, each cut over 4 requests, 1,000 traces interleaved.
	Split4 = Kind{"d_split4", sideBySide((*maker).deskTrace, 1000, 4, false)}
	// Ordinary: Ordinary traces of 20 spans, and no agent anywhere.
	Ordinary = Kind{"ordinary", inTurn((*maker).ordinaryTrace)}
)

// Kinds are all sorts of traffic.
func Kinds() []Kind { return []Kind{Agent8, Mixed, Long500, Split4, Ordinary} }

// ScoreAttribute holds the score that an agent span's run must get: the share of its expected tools that it called.
const ScoreAttribute = "bench.score"

// The agents of the traffic.
const (
	Desk     = "desk"     // has 3 tool calls in a run
	Research = "research" // has 150
)

// Tools are the names of the tools that a run of the agent is expected to call, once each.
func Tools(agent string) []string {
	if agent == Research {
		return researchTools
	}
	return deskTools
}

// A Load is traffic, ready to be sent.
type Load struct {
	Kind     Kind
	Requests [][]byte // OTLP protobuf, in the order of sending

	Spans, Traces, Runs, Calls, Bytes int

	// SpanIDs is the sum of all span ids as big-endian numbers, modulo 2^64. A receiver that gets other spans, or one of them
	// twice, gets another sum.
	SpanIDs uint64
}

// Make makes whole traces until there are at least as many spans.
func (k Kind) Make(spans int, seed uint64) *Load {
	m := &maker{rng: rand.New(rand.NewPCG(seed, 0)), load: &Load{Kind: k}, open: newRequest()}
	m.text = m.prose(1 << 16)
	k.fill(m, spans)
	m.flush()
	return m.load
}

// requestSpans is how many spans a request has, if nothing else is said: the batch of an SDK's batch processor.
const requestSpans = 512

// maker makes a load.
type maker struct {
	rng  *rand.Rand
	text string // what models and tools say is cut from it
	load *Load
	open *request
	now  uint64 // the time in the traffic, in nanoseconds
}

// request is a request that is being filled.
type request struct {
	traces ptrace.Traces
	scopes map[string]ptrace.SpanSlice // by service
	spans  int
}

func newRequest() *request {
	return &request{traces: ptrace.NewTraces(), scopes: make(map[string]ptrace.SpanSlice)}
}

// slot returns the place of the service's next span.
func (r *request) slot(service string) ptrace.Span {
	spans, ok := r.scopes[service]
	if !ok {
		rs := r.traces.ResourceSpans().AppendEmpty()
		resource := rs.Resource().Attributes()
		resource.PutStr("service.name", service)
		resource.PutStr("service.version", "1.4.2")
		resource.PutStr("deployment.environment.name", "production")
		resource.PutStr("host.name", "node-17")
		ss := rs.ScopeSpans().AppendEmpty()
		ss.Scope().SetName("opentelemetry.instrumentation." + service)
		spans = ss.Spans()
		r.scopes[service] = spans
	}
	r.spans++
	return spans.AppendEmpty()
}

// trace is the spans of one trace, in the order in which they end.
type trace struct {
	service string
	spans   ptrace.SpanSlice
}

// put moves the spans from first to before last of t into the open request.
func (m *maker) put(t trace, first, last int) {
	for i := first; i < last; i++ {
		t.spans.At(i).MoveTo(m.open.slot(t.service))
	}
}

// flush ends the open request.
func (m *maker) flush() {
	if m.open.spans == 0 {
		return
	}
	bytes, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(m.open.traces)
	if err != nil {
		panic(err) // no traces that the marshaler would refuse can be built
	}
	m.load.Requests = append(m.load.Requests, bytes)
	m.load.Bytes += len(bytes)
	m.open = newRequest()
}

// flushFull ends the open request if it has as many spans as a request has.
func (m *maker) flushFull() {
	if m.open.spans >= requestSpans {
		m.flush()
	}
}
