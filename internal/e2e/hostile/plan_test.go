//go:build hostile

package hostile

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
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

func (a attack) planned() *plan {
	p := &plan{rng: rand.New(rand.NewPCG(*seed, 1))}
	a.plan(p)
	return p
}

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

func (p *plan) traceID() pcommon.TraceID { return spans.RandomTrace(p.rng) }

func (p *plan) spanID() pcommon.SpanID { return spans.RandomID(p.rng) }

// A batch is a request in the making: spans of one scope of a service.
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
		raw[strconv.Itoa(i)] = 1
	}
	_ = r.Attributes().FromRaw(raw) // numbers are of a type that it takes
}

func (b batch) span(trace pcommon.TraceID, id, parent pcommon.SpanID) spans.Span {
	return spans.In(b.spans, trace, id, parent)
}

// dense is JSON of 64 kB that is many times as large when it is decoded.
var dense = "[" + strings.Repeat("0,", 32_000) + "0]"
