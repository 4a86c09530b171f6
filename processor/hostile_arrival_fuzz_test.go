package processor

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// FuzzHostileArrival sends the spans of a victim and of another process in two orders and two ways to cut them into batches.
// The verdicts on a span are the same: if spans contradict each other, their content decides, never their arrival. Only how
// many copies of a span have its verdict may differ, because a copy that comes late may not be held.
func FuzzHostileArrival(f *testing.F) {
	for seed := range uint64(40) {
		f.Add(seed, seed+1)
	}
	f.Fuzz(func(t *testing.T, spans, order uint64) {
		random := rand.New(rand.NewPCG(spans, 7))
		v := newVictim(random)
		all := slices.Clone(v.spans)
		for i := range 1 + random.IntN(16) {
			all = append(all, v.hostile(random, i))
		}
		a := v.arrive(t, all, rand.New(rand.NewPCG(order, 1)))
		b := v.arrive(t, all, rand.New(rand.NewPCG(order, 2)))
		require.Equal(t, a, b)
	})
}

// arrive returns the verdicts on all spans.
func (v *victim) arrive(t *testing.T, all []span, random *rand.Rand) map[string]map[string]bool {
	r := newRig(t, func(s *Settings, _ *sink) { v.set(s) })
	out := r.verdicts(t)
	r.clock.stop()
	// A root stands in only where calls of its trace and process are known when it comes.
	require.NoError(t, r.send(tool("x", "root", 1, 2, "search").from("victim"),
		tool("y", "root", 1, 2, "search").from("hostile"), tool("z", "", 1, 2, "search").in(1).from("hostile")))
	shuffled := slices.Clone(all)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, batch := range batched(random, shuffled) {
		require.NoError(t, r.send(batch...))
	}
	for range 3 {
		r.clock.advance(2 * time.Minute)
		r.tick(t.Context(), t.Context())
	}
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
	return out
}

// verdicts are those on the copies of each span that come out, by its process and id.
func (r *rig) verdicts(t *testing.T) map[string]map[string]bool {
	out := map[string]map[string]bool{}
	next, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		for _, rs := range td.ResourceSpans().All() {
			process, _ := rs.Resource().Attributes().Get("service.name")
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					key := process.Str() + " " + strings.TrimRight(span.SpanID().String(), "0")
					verdict := span.Attributes().AsRaw()
					maps.DeleteFunc(verdict, func(key string, _ any) bool { return !strings.HasPrefix(key, "tool_correctness.") })
					if len(verdict) > 0 && out[key] == nil {
						out[key] = map[string]bool{}
					}
					if len(verdict) > 0 {
						out[key][asText(verdict)] = true
					}
				}
			}
		}
		return r.sink.ConsumeTraces(ctx, td)
	})
	require.NoError(t, err)
	r.next = next
	return out
}
