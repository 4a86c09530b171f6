package main

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	// victims is how many goroutines send honest requests, and pause how long each waits between two.
	victims = 2
	pause   = 10 * time.Millisecond
	// runsPerBatch is how many runs a request of the victim has, and ordinary how many traces without an agent.
	runsPerBatch, ordinary = 3, 5
)

// sentAttribute is when an agent's span of the victim was sent, in nanoseconds. What goes through the processor brings it
// back.
const sentAttribute = "victim.sent"

// A ledger counts the outcomes of the victim's spans. Many goroutines write to it.
type ledger struct {
	mu        sync.Mutex // guards what follows
	latencies []time.Duration
	delays    []time.Duration
	pending   map[pcommon.SpanID]time.Time // agents' spans that were accepted and have not come out
	out       map[pcommon.SpanID]int       // spans that came out
	accepted  map[pcommon.SpanID]struct{}
	refused   int // requests
	changed   int // verdicts that are wrong and call themselves complete
	partial   int // verdicts that say that they are not
	unjudged  int // agents' spans without a verdict
	verdicts  int
	aim       string
	aimed     bool // a verdict on a span of another service has the aim in its reason
}

func newLedger() *ledger {
	return &ledger{
		pending: map[pcommon.SpanID]time.Time{}, out: map[pcommon.SpanID]int{}, accepted: map[pcommon.SpanID]struct{}{},
	}
}

// A victim sends what honest agents send.
type victim struct {
	ledger *ledger
	send   func(ptrace.Traces) error
	stop   atomic.Bool
	done   sync.WaitGroup
	// since is when each goroutine began the call that it is in; zero while it is in none.
	since [victims]atomic.Int64
}

func (v *victim) start() {
	for i := range victims {
		v.done.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			for !v.stop.Load() {
				v.once(i, rng)
				time.Sleep(pause)
			}
		})
	}
}

func (v *victim) once(i int, rng *rand.Rand) {
	now := time.Now()
	td, agents := honestBatch(rng, now)
	ids := spanIDs(td)
	v.ledger.mu.Lock()
	for _, id := range agents {
		v.ledger.pending[id] = now
	}
	v.ledger.mu.Unlock()
	began := time.Now()
	v.since[i].Store(began.UnixNano())
	err := v.send(td)
	took := time.Since(began)
	v.since[i].Store(0)

	v.ledger.mu.Lock()
	defer v.ledger.mu.Unlock()
	v.ledger.latencies = append(v.ledger.latencies, took)
	if err != nil {
		v.ledger.refused++
		for _, id := range agents {
			delete(v.ledger.pending, id)
		}
		return
	}
	for _, id := range ids {
		v.ledger.accepted[id] = struct{}{}
	}
}

// blocked is how long the longest call that has not returned takes already.
func (v *victim) blocked() (longest time.Duration) {
	for i := range v.since {
		if since := v.since[i].Load(); since > 0 {
			longest = max(longest, time.Since(time.Unix(0, since)))
		}
	}
	return longest
}

// honestBatch is a request of the victim, with the ids of its agents' spans.
func honestBatch(rng *rand.Rand, now time.Time) (ptrace.Traces, []pcommon.SpanID) {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "victim")
	spans := rs.ScopeSpans().AppendEmpty().Spans()
	at := func(s span, start, end time.Duration) span {
		s.SetStartTimestamp(pcommon.NewTimestampFromTime(now.Add(start)))
		s.SetEndTimestamp(pcommon.NewTimestampFromTime(now.Add(end)))
		return s
	}
	var agents []pcommon.SpanID
	for range runsPerBatch {
		trace, agent := randomTrace(rng), randomSpan(rng)
		for i, name := range []string{"search_orders", "refund_order"} {
			begin := time.Duration(i*20-50) * time.Millisecond
			at(spanIn(spans, trace, randomSpan(rng), agent), begin, begin+10*time.Millisecond).
				tool(name).with("gen_ai.tool.call.arguments", `{"currency":"EUR"}`)
		}
		s := at(spanIn(spans, trace, agent, noParent), -100*time.Millisecond, 0).agent("support")
		s.Attributes().PutInt(sentAttribute, now.UnixNano())
		agents = append(agents, agent)
	}
	for range ordinary {
		trace, root := randomTrace(rng), randomSpan(rng)
		at(spanIn(spans, trace, randomSpan(rng), root), -time.Millisecond, 0).with("http.route", "/x")
		at(spanIn(spans, trace, root, noParent), -2*time.Millisecond, 0).with("http.route", "/x")
	}
	return td, agents
}

func randomTrace(rng *rand.Rand) (id pcommon.TraceID) {
	binary.LittleEndian.PutUint64(id[:8], rng.Uint64())
	binary.LittleEndian.PutUint64(id[8:], rng.Uint64())
	return id
}

func randomSpan(rng *rand.Rand) (id pcommon.SpanID) {
	binary.LittleEndian.PutUint64(id[:], rng.Uint64()|1)
	return id
}

func spanIDs(td ptrace.Traces) (ids []pcommon.SpanID) {
	for _, s := range td.ResourceSpans().All() {
		for _, ss := range s.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				ids = append(ids, s.SpanID())
			}
		}
	}
	return ids
}

// largestRequest is what a gRPC receiver takes by default.
const largestRequest = 4 << 20

var errTooLarge = consumererror.NewPermanent(errors.New("the request is larger than 4 MiB"))

// sink is the next hop. Like a gRPC receiver it refuses what is too large, for good.
func (l *ledger) sink() (consumer.Traces, error) {
	var size ptrace.ProtoMarshaler
	return consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		if size.TracesSize(td) > largestRequest {
			return errTooLarge
		}
		l.take(td)
		return nil
	}, consumer.WithCapabilities(consumer.Capabilities{MutatesData: false}))
}

// take notes the victim's spans among those that came out.
func (l *ledger) take(td ptrace.Traces) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, rs := range td.ResourceSpans().All() {
		if service, ok := rs.Resource().Attributes().Get("service.name"); !ok || service.Str() != "victim" {
			l.aimed = l.aimed || l.aim != "" && hasReason(rs, l.aim)
			continue
		}
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				l.out[s.SpanID()]++
				if sent, ok := s.Attributes().Get(sentAttribute); ok {
					delete(l.pending, s.SpanID())
					l.delays = append(l.delays, now.Sub(time.Unix(0, sent.Int())))
					l.judge(s.Attributes())
				}
			}
		}
	}
}

// hasReason reports whether a verdict below a resource has a text in its reason.
func hasReason(rs ptrace.ResourceSpans, text string) bool {
	for _, ss := range rs.ScopeSpans().All() {
		for _, s := range ss.Spans().All() {
			if reason, judged := s.Attributes().Get("tool_correctness.reason"); judged && strings.Contains(reason.Str(), text) {
				return true
			}
		}
	}
	return false
}

// judge compares the verdict on a span of the victim with the only right one.
func (l *ledger) judge(attributes pcommon.Map) {
	complete, judged := attributes.Get("tool_correctness.complete")
	if !judged {
		l.unjudged++
		return
	}
	l.verdicts++
	score, _ := attributes.Get("tool_correctness.score")
	passed, _ := attributes.Get("tool_correctness.passed")
	right := score.Type() == pcommon.ValueTypeDouble && score.Double() == 1 && passed.Bool() &&
		strings.Join(called(attributes), ",") == "search_orders,refund_order"
	switch {
	case !complete.Bool():
		l.partial++
	case !right:
		l.changed++
	}
}

func called(attributes pcommon.Map) (names []string) {
	v, ok := attributes.Get("tool_correctness.called")
	if !ok || v.Type() != pcommon.ValueTypeSlice {
		return nil
	}
	for _, name := range v.Slice().All() {
		names = append(names, name.AsString())
	}
	return names
}

// begin forgets the times and verdicts so far: what was before an attack does not count.
func (l *ledger) begin() {
	l.measured()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.partial, l.verdicts = 0, 0
}

// measured empties the lists of times, and returns them sorted.
func (l *ledger) measured() (latencies, delays []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	latencies, delays = l.latencies, l.delays
	l.latencies, l.delays = nil, nil
	slices.Sort(latencies)
	slices.Sort(delays)
	return latencies, delays
}

// lost is how many accepted spans never came out.
func (l *ledger) lost() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.accepted {
		if l.out[id] == 0 {
			n++
		}
	}
	return n
}

// oldest is how long the oldest agent's span waits that has not come out.
func (l *ledger) oldest() (age time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, sent := range l.pending {
		age = max(age, time.Since(sent))
	}
	return age
}
