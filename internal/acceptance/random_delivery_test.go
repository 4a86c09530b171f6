package acceptance

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// A randomSent is a span on its way.
type randomSent struct {
	trace *randomTrace
	span  *randomSpan
}

// randomRequests sends the spans of traces as exporters do: each process in batches of its own, in no order among them, and
// some spans twice. Traces that are sent together share batches.
func randomRequests(random *rand.Rand, traces []*randomTrace, rootsLast bool) (requests []ptrace.Traces) {
	chance := func(in int) bool { return random.IntN(in) == 0 }
	for len(traces) > 0 {
		together := 1
		if chance(2) {
			together = len(traces)
		}
		batches := randomBatches(random, traces[:together], rootsLast)
		traces = traces[together:]
		for len(batches) > 0 {
			n := min(len(batches), 1+random.IntN(3))
			requests = append(requests, randomRequest(batches[:n]))
			if chance(20) { // a client did not see the response, and tries again
				requests = append(requests, randomRequest(batches[:n]))
			}
			batches = batches[n:]
		}
	}
	return requests
}

// randomBatches cuts the spans of each process into batches.
func randomBatches(random *rand.Rand, traces []*randomTrace, rootsLast bool) (batches [][]randomSent) {
	sent := map[randomProcess][]randomSent{}
	var processes []randomProcess // in the order of their first span, because a map has none
	var roots [][]randomSent
	for _, trace := range traces {
		for i, span := range trace.spans {
			if i == 0 && rootsLast {
				roots = append(roots, []randomSent{{trace, span}})
				continue
			}
			if sent[span.process] == nil {
				processes = append(processes, span.process)
			}
			copies := 1
			if random.IntN(12) == 0 {
				copies = 2
			}
			sent[span.process] = append(sent[span.process], slices.Repeat([]randomSent{{trace, span}}, copies)...)
		}
	}
	for _, p := range processes {
		spans := sent[p]
		if random.IntN(2) == 0 { // an exporter sends a span when it ended
			slices.SortStableFunc(spans, func(a, b randomSent) int { return cmp.Compare(a.span.end, b.span.end) })
		} else {
			random.Shuffle(len(spans), func(i, j int) { spans[i], spans[j] = spans[j], spans[i] })
		}
		for len(spans) > 0 {
			n := min(len(spans), 1+random.IntN(20))
			batches = append(batches, spans[:n])
			spans = spans[n:]
		}
	}
	random.Shuffle(len(batches), func(i, j int) { batches[i], batches[j] = batches[j], batches[i] })
	return append(batches, roots...)
}

// randomRequest writes each batch with its resource, and its spans by their scopes.
func randomRequest(batches [][]randomSent) ptrace.Traces {
	td := ptrace.NewTraces()
	for _, batch := range batches {
		rs := td.ResourceSpans().AppendEmpty()
		batch[0].span.process.describe(rs.Resource())
		scopes := map[string]ptrace.ScopeSpans{}
		for _, sent := range batch {
			ss, ok := scopes[sent.span.scope]
			if !ok {
				ss = rs.ScopeSpans().AppendEmpty()
				ss.Scope().SetName(sent.span.scope)
				scopes[sent.span.scope] = ss
			}
			sent.span.write(sent.trace.id, ss.Spans().AppendEmpty())
		}
	}
	return td
}

func (p randomProcess) describe(r pcommon.Resource) {
	r.Attributes().PutStr("service.name", p.service)
	r.Attributes().PutStr("k8s.pod.name", p.pod)
	r.Attributes().PutStr("service.instance.id", p.String())
}

func (s *randomSpan) write(trace pcommon.TraceID, to ptrace.Span) {
	to.SetTraceID(trace)
	to.SetSpanID(s.id)
	to.SetParentSpanID(s.parent)
	to.SetName(s.name)
	to.SetKind(s.kind)
	to.SetStartTimestamp(randomEpoch + pcommon.Timestamp(s.start)*pcommon.Timestamp(time.Microsecond))
	to.SetEndTimestamp(randomEpoch + pcommon.Timestamp(s.end)*pcommon.Timestamp(time.Microsecond))
	if s.failed {
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Attributes().PutStr("error.type", "tool_error")
	}
	for _, key := range slices.Sorted(maps.Keys(s.attributes)) { // a seed gives the same bytes each time
		to.Attributes().PutStr(key, s.attributes[key])
	}
}
