package releasebatch_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
)

// Spans of one origin leave behind each other if that saves more than a release batch.
func TestSpansLeaveByOrigin(t *testing.T) {
	const half = releasebatch.MaxBytes/2 - 1000
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
			var k releasebatch.Builder
			for _, name := range tc.spans {
				spans := held(evidence.Agent, string(name))
				spans[0].Origin = of[name]
				k.Take(&runs.Run{Anchors: spans})
			}
			require.Equal(t, tc.want, names(build(&k)), tc.reason)
		})
	}
}

// The spans of a run are of several large origins: copies of its own span from three requests, or the spans of its calls.
// Each origin still leaves a few times, and not for each run.
func TestOriginsOfOneRunLeaveByOrigin(t *testing.T) {
	origins := [...]*evidence.Origin{originOf(200_000, 250_000), originOf(200_000, 250_000), originOf(200_000, 250_000)}
	for _, kind := range [...]evidence.Kind{evidence.Agent, evidence.Tool} {
		var k releasebatch.Builder
		for range 300 {
			spans := held(kind, "abc")
			for i := range spans {
				spans[i].Origin = origins[i]
			}
			run := runs.Run{Anchors: spans}
			if kind == evidence.Tool {
				run = runs.Run{Anchors: held(evidence.Agent, "x"), Companions: spans}
			}
			k.Take(&run)
		}
		batches := build(&k)
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
		var k releasebatch.Builder
		own := map[string]string{} // of each other span: the own span of its run, if it has one
		taken := 0
		for n, b := range data[:min(len(data), 500)] {
			id := func(i int) string { return strconv.Itoa(n) + "abcd"[i:i+1] }
			span := func(kind evidence.Kind, i int) evidence.Held {
				s := ptrace.NewSpan()
				s.SetName(id(i))
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
			k.Take(&run)
		}
		left := map[string]bool{}
		for _, c := range build(&k) {
			require.LessOrEqual(t, c.Spans, releasebatch.MaxSpans)
			require.True(t, c.Spans == 1 || c.Wire <= releasebatch.MaxBytes)
			names := strings.Fields(spanNames(c))
			for _, name := range names {
				require.False(t, own[name] != "" && left[own[name]], "the own span of %q left in a batch before", name)
			}
			for _, name := range names {
				require.False(t, left[name], "%q left before", name)
				left[name] = true
			}
		}
		require.Len(t, left, taken)
		require.Zero(t, k.Size())
	})
}

// spanNames are the names of the spans of a batch, with blanks between them.
func spanNames(c *releasebatch.Batch) string {
	var all []string
	for _, rs := range c.Traces.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				all = append(all, span.Name())
			}
		}
	}
	return strings.Join(all, " ")
}
