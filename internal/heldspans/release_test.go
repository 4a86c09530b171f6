package heldspans_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// originOf returns the only origin of a resource and a scope of that many bytes on the wire.
func originOf(resource, scope uint32) *evidence.Origin {
	o := &evidence.Origin{Resource: ptrace.NewResourceSpans(), Scope: ptrace.NewScopeSpans()}
	o.First, o.OfResource.Wire, o.OfScope.Wire = o, resource, scope
	return o
}

// held returns a held span of each name, all of one resource.
func held(kind evidence.Kind, names string) []evidence.Held {
	o := originOf(0, 0)
	all := make([]evidence.Held, len(names))
	for i := range names {
		span := ptrace.NewSpan()
		span.SetName(names[i : i+1])
		all[i] = evidence.Held{Kind: kind, Origin: o, Data: span, Wire: 100}
	}
	return all
}

// long makes spans so long that a batch has room for two of them.
func long(all []evidence.Held) []evidence.Held {
	for i := range all {
		all[i].Wire = heldspans.MaxBytes*2/5 + 100
	}
	return all
}

// drained returns all batches of a queue.
func drained(q *heldspans.Queue) (all []*heldspans.Batch) {
	for c := q.Next(); c != nil; c = q.Next() {
		all = append(all, c)
		q.Batch = nil // its parts stay
	}
	return all
}

// names are those of the spans of batches, with a bar between two batches.
func names(batches []*heldspans.Batch) string {
	var parts []string
	for _, c := range batches {
		var b strings.Builder
		for _, rs := range c.Traces.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					b.WriteString(span.Name())
				}
			}
		}
		parts = append(parts, b.String())
	}
	return strings.Join(parts, "|")
}

func TestARunLeavesWithItsOwnSpanLast(t *testing.T) {
	run := func(own []evidence.Held, others ...[]evidence.Held) (r runs.Run) {
		r.Anchors = own
		for _, more := range others {
			r.Companions = append(r.Companions, more...)
		}
		return r
	}
	const agent, call = evidence.Agent, evidence.Tool
	for _, tc := range []struct {
		name   string
		runs   []runs.Run
		spans  string
		reason string
	}{
		{"calls and parts", []runs.Run{run(held(agent, "a"), held(call, "t"), held(agent, "p"))}, "tpa", "whoever has the verdict has the calls"},
		{"a full batch", []runs.Run{run(held(agent, "a"), held(agent, "p"), long(held(call, "tuv")))}, "ptu|va", "the own span is in the last batch"},
		{"two runs", []runs.Run{run(held(agent, "a"), held(call, "t")), run(held(agent, "b"), held(agent, "p"))}, "tpab",
			"all other spans leave before any run's own"},
		{"copies", []runs.Run{run(long(held(agent, "abc")))}, "ab|c", "a copy leaves with what was written on it"},
		{"too many copies", []runs.Run{run(held(agent, "abcdefghijklmnopqr"), held(call, "t"))}, "tabcdefghijklmnopqr", "more copies leave without a verdict"},
		{"no own span", []runs.Run{run(nil, held(agent, "pq"))}, "pq", "there is nothing to wait for"},
		{"no own span, a full batch", []runs.Run{run(nil, long(held(agent, "pqr")))}, "pq|r", "likewise"},
		{"nothing held", []runs.Run{run(nil)}, "", "a run without spans makes no batch"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var q heldspans.Queue
			for i := range tc.runs {
				q.Take(&tc.runs[i])
			}
			require.Equal(t, tc.spans, names(drained(&q)), tc.reason)
			require.Zero(t, q.Size())
		})
	}
}

func TestARunThatIsPassedLeavesInItsOrder(t *testing.T) {
	run := runs.Run{Anchors: held(evidence.Agent, "a"), Companions: append(held(evidence.Tool, "t"), held(evidence.Agent, "p")...)}
	var q heldspans.Queue
	q.PassRun(&run)
	require.Equal(t, "tpa", names(drained(&q)))
}

// The spans of a queue are in memory once: a batch is made only when it leaves.
func TestAQueueIsFullAfterAFewMiB(t *testing.T) {
	var q heldspans.Queue
	spans := held(evidence.Agent, strings.Repeat("x", 100))
	for i := range spans {
		spans[i].Size = 1 << 17
		require.False(t, i < 64 && q.Full(), "%d spans", i)
		q.Take(&runs.Run{Anchors: spans[i : i+1]})
	}
	require.True(t, q.Full(), "12.5 MiB were taken")
	require.Len(t, drained(&q), 1, "a batch has room for all of them")
	require.False(t, q.Full())
	require.Zero(t, q.Size())
}

// Spans of one origin leave behind each other if that saves more than a release batch.
func TestSpansLeaveByOrigin(t *testing.T) {
	const half = heldspans.MaxBytes/2 - 1000
	a, b, small, scoped := originOf(half, 0), originOf(half, 0), originOf(100, 0), originOf(half, half)
	second := originOf(0, half)
	second.First, second.Resource = scoped, scoped.Resource
	of := map[rune]*evidence.Origin{'a': a, 'b': b, 'c': small, 'r': scoped, 's': second}
	for _, tc := range []struct{ name, spans, want, reason string }{
		{"small", "acca", "aacc", "a batch has each origin once"},
		{"in turns", "ababca", "aaabbc", "resources keep the order in which they occur first"},
		{"in order", "aabbc", "aabbc", "they are behind each other"},
		{"scopes in turns", "rsrsrs", "rrr|sss", "so are the scopes of a resource"},
		{"scopes and resources in turns", "rarsas", "rr|ss|aa", "the scopes of one resource are behind each other"},
		{"a first origin that occurs late", "srsr", "ss|rr", "scopes keep the order in which they occur first, too"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var q heldspans.Queue
			for _, name := range tc.spans {
				spans := held(evidence.Agent, string(name))
				spans[0].Origin = of[name]
				q.Take(&runs.Run{Anchors: spans})
			}
			require.Equal(t, tc.want, names(drained(&q)), tc.reason)
		})
	}
}

// The spans of a run are of several large origins: copies of its own span from three requests, or the spans of its calls.
// Each origin still leaves a few times, and not for each run.
func TestOriginsOfOneRunLeaveByOrigin(t *testing.T) {
	origins := [...]*evidence.Origin{originOf(200_000, 250_000), originOf(200_000, 250_000), originOf(200_000, 250_000)}
	for _, kind := range [...]evidence.Kind{evidence.Agent, evidence.Tool} {
		var q heldspans.Queue
		for range 300 {
			spans := held(kind, "abc")
			for i := range spans {
				spans[i].Origin = origins[i]
			}
			run := runs.Run{Anchors: spans}
			if kind == evidence.Tool {
				run = runs.Run{Anchors: held(evidence.Agent, "x"), Companions: spans}
			}
			q.Take(&run)
		}
		batches := drained(&q)
		require.LessOrEqual(t, len(batches), 4, "each origin is in one batch, or in two")
		require.Equal(t, 300, strings.Count(names(batches), "c"))
	}
}

// Random spans leave once each, and the own span of a run in the last batch with a span of the run.
func FuzzOrder(f *testing.F) {
	f.Add([]byte("\x00\x31\x62\x93\xc4\xf5"))
	f.Add([]byte(strings.Repeat("\x07\x5a\xa3\xff", 50)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var origins [8]*evidence.Origin
		for i := range origins {
			origins[i] = originOf(uint32(i)*70_000, uint32(i)*30_000)
			if i >= 4 {
				origins[i].First = origins[i-4]
			}
		}
		var q heldspans.Queue
		own := map[string]string{} // of each other span: the own span of its run, if it has one
		taken := 0
		for n, b := range data[:min(len(data), 500)] {
			id := func(i int) string { return strconv.Itoa(n) + "abcd"[i:i+1] }
			span := func(kind evidence.Kind, i int) evidence.Held {
				s := ptrace.NewSpan()
				s.SetName(id(i) + ";")
				taken++
				return evidence.Held{Kind: kind, Data: s, Wire: uint32(b) * 100, Origin: origins[(int(b)+3*i)%8]}
			}
			var run runs.Run
			for i := range int(b>>2) & 3 {
				run.Companions = append(run.Companions, span([...]evidence.Kind{evidence.Agent, evidence.Tool}[i&1], 1+i))
				if b&1 == 1 {
					own[id(1+i)] = id(0)
				}
			}
			if b&1 == 1 {
				run.Anchors = append(run.Anchors, span(evidence.Agent, 0))
			}
			q.Take(&run)
		}
		left := map[string]bool{}
		for _, c := range drained(&q) {
			require.LessOrEqual(t, c.Spans, heldspans.MaxSpans)
			require.True(t, c.Spans == 1 || c.Wire <= heldspans.MaxBytes)
			names := strings.Fields(strings.ReplaceAll(names([]*heldspans.Batch{c}), ";", " "))
			for _, name := range names {
				require.False(t, own[name] != "" && left[own[name]], "the own span of %q left in a batch before", name)
			}
			for _, name := range names {
				require.False(t, left[name], "%q left before", name)
				left[name] = true
			}
		}
		require.Len(t, left, taken)
		require.Zero(t, q.Size())
	})
}
