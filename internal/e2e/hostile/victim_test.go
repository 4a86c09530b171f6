//go:build hostile

package hostile

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/e2e/spans"
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

// A victim sends what honest agents send, and counts what becomes of it.
type victim struct {
	stop atomic.Bool
	// since is when each goroutine began the call that it is in; zero while it is in none.
	since [victims]atomic.Int64
	aim   string

	mu        sync.Mutex // guards what follows
	latencies []time.Duration
	delays    []time.Duration
	pending   map[pcommon.SpanID]time.Time // agents' spans that were accepted and have not come out
	out       map[pcommon.SpanID]struct{}  // spans that came out
	accepted  map[pcommon.SpanID]struct{}
	outcomes
	aimed bool // a verdict on a span of another service has the aim in its reason
}

// outcomes count verdicts of the victim.
type outcomes struct {
	Changed  int // wrong, and call themselves complete
	Partial  int // say that they are not
	Unjudged int // agents' spans without one
	Verdicts int
}

func newVictim(aim string) *victim {
	return &victim{aim: aim, pending: map[pcommon.SpanID]time.Time{}, out: map[pcommon.SpanID]struct{}{}, accepted: map[pcommon.SpanID]struct{}{}}
}

// start sends until it is stopped.
func (v *victim) start(send func(ptrace.Traces) error) {
	for i := range victims {
		go func() {
			rng := rand.New(rand.NewPCG(uint64(i), 7))
			for !v.stop.Load() {
				v.once(i, rng, send)
				time.Sleep(pause)
			}
		}()
	}
}

func (v *victim) once(i int, rng *rand.Rand, send func(ptrace.Traces) error) {
	now := time.Now()
	td, agents := honestBatch(rng, now)
	var ids []pcommon.SpanID
	for _, s := range spans.All(td) {
		ids = append(ids, s.SpanID())
	}
	v.mu.Lock()
	for _, id := range agents {
		v.pending[id] = now
	}
	v.mu.Unlock()
	began := time.Now()
	v.since[i].Store(began.UnixNano())
	err := send(td)
	took := time.Since(began)
	v.since[i].Store(0)

	v.mu.Lock()
	defer v.mu.Unlock()
	v.latencies = append(v.latencies, took)
	if err != nil {
		for _, id := range agents {
			delete(v.pending, id)
		}
		return
	}
	for _, id := range ids {
		v.accepted[id] = struct{}{}
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
	b := batchOf("victim")
	at := now.Sub(spans.Epoch)
	var agents []pcommon.SpanID
	for range runsPerBatch {
		trace, agent := spans.RandomTrace(rng), spans.RandomID(rng)
		for i, name := range []string{"search_orders", "refund_order"} {
			begin := at + time.Duration(i*20-50)*time.Millisecond
			b.span(trace, spans.RandomID(rng), agent).From(begin, begin+10*time.Millisecond).
				Tool(name).With("gen_ai.tool.call.arguments", `{"currency":"EUR"}`)
		}
		s := b.span(trace, agent, spans.NoParent).From(at-100*time.Millisecond, at).Agent("support")
		s.Attributes().PutInt(sentAttribute, now.UnixNano())
		agents = append(agents, agent)
	}
	for range ordinary {
		trace, root := spans.RandomTrace(rng), spans.RandomID(rng)
		b.span(trace, spans.RandomID(rng), root).From(at-time.Millisecond, at).With("http.route", "/x")
		b.span(trace, root, spans.NoParent).From(at-2*time.Millisecond, at).With("http.route", "/x")
	}
	return b.td, agents
}

// largestRequest is what a gRPC receiver takes by default.
const largestRequest = 4 << 20

var errTooLarge = consumererror.NewPermanent(errors.New("the request is larger than 4 MiB"))

// receive is the next hop. Like a gRPC receiver it refuses what is too large, for good.
func (v *victim) receive(_ context.Context, td ptrace.Traces) error {
	if new(ptrace.ProtoMarshaler).TracesSize(td) > largestRequest {
		return errTooLarge
	}
	now := time.Now()
	v.mu.Lock()
	defer v.mu.Unlock()
	for rs, s := range spans.All(td) {
		if service, ok := rs.Resource().Attributes().Get("service.name"); !ok || service.Str() != "victim" {
			if !v.aimed && v.aim != "" {
				reason, judged := s.Attributes().Get("tool_correctness.reason")
				v.aimed = judged && strings.Contains(reason.Str(), v.aim)
			}
			continue
		}
		v.out[s.SpanID()] = struct{}{}
		if sent, ok := s.Attributes().Get(sentAttribute); ok {
			delete(v.pending, s.SpanID())
			v.delays = append(v.delays, now.Sub(time.Unix(0, sent.Int())))
			v.judge(spans.VerdictOf(s.Attributes()))
		}
	}
	return nil
}

// judge compares a verdict with the only right one.
func (v *victim) judge(came spans.Verdict) {
	right := spans.Verdict{Judged: true, Passed: true, Complete: true, Score: 1, Called: "search_orders,refund_order"}
	switch {
	case !came.Judged:
		v.Unjudged++
		return
	case !came.Complete:
		v.Partial++
	case came != right:
		v.Changed++
	}
	v.Verdicts++
}

// begin forgets the times and verdicts so far: what was before an attack does not count.
func (v *victim) begin() {
	v.measured()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.Partial, v.Verdicts = 0, 0
}

// settled waits until the victim's calls have returned and its verdicts came. It is false if that takes longer than patience.
func (v *victim) settled() bool {
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if v.blocked() == 0 && v.oldest() == 0 {
			return true
		}
	}
	return false
}

// measured empties the lists of times, and returns them sorted.
func (v *victim) measured() (latencies, delays []time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	latencies, delays = v.latencies, v.delays
	v.latencies, v.delays = nil, nil
	slices.Sort(latencies)
	slices.Sort(delays)
	return latencies, delays
}

// lost is how many accepted spans never came out. The caller has the lock.
func (v *victim) lost() (n int) {
	for id := range v.accepted {
		if _, came := v.out[id]; !came {
			n++
		}
	}
	return n
}

// oldest is how long the oldest agent's span waits that has not come out.
func (v *victim) oldest() (age time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, sent := range v.pending {
		age = max(age, time.Since(sent))
	}
	return age
}
