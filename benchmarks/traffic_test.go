package benchmarks

import (
	"encoding/binary"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

func TestTheSameSeedMakesTheSameBytes(t *testing.T) {
	for _, kind := range Kinds() {
		one, two, other := kind.Make(3000, 7), kind.Make(3000, 7), kind.Make(3000, 8)
		if !slices.EqualFunc(one.Requests, two.Requests, slices.Equal) {
			t.Errorf("%s: the same seed made other bytes", kind.Name)
		}
		if slices.EqualFunc(one.Requests, other.Requests, slices.Equal) {
			t.Errorf("%s: another seed made the same bytes", kind.Name)
		}
	}
}

func TestALoadHasWhatItsKindSays(t *testing.T) {
	for _, tc := range []struct {
		kind                       Kind
		spans, traces, runs, calls int
		requests                   int
		bytesPerSpan               int
		reason                     string
	}{
		{Agent8, 8000, 1000, 1000, 3000, 16, 2567, "8 spans and 3 calls a trace, 512 spans a request"},
		{Mixed, 19400, 1000, 50, 150, 38, 461, "every twentieth trace has 8 spans and not 20"},
		{Long500, 8000, 16, 16, 2400, 256, 2150, "500 spans and 150 calls a trace, 16 requests a run"},
		{Split4, 8000, 1000, 1000, 3000, 16, 2567, "4 times 2000 spans, each in 4 requests"},
		{Ordinary, 8000, 400, 0, 0, 16, 400, "20 spans a trace"},
	} {
		load := tc.kind.Make(tc.spans, 1)
		if load.Spans != tc.spans || load.Traces != tc.traces || load.Runs != tc.runs || load.Calls != tc.calls || len(load.Requests) != tc.requests {
			t.Errorf("%s has %d spans, %d traces, %d runs, %d calls in %d requests: %s",
				tc.kind.Name, load.Spans, load.Traces, load.Runs, load.Calls, len(load.Requests), tc.reason)
		}
		if b := load.Bytes / load.Spans; 10*b < 9*tc.bytesPerSpan || 10*b > 11*tc.bytesPerSpan {
			t.Errorf("%s has %d bytes a span, want about %d", tc.kind.Name, b, tc.bytesPerSpan)
		}
	}
}

func TestALoadIsWhatItCounts(t *testing.T) {
	for _, kind := range Kinds() {
		load := kind.Make(2000, 1)
		var sum uint64
		traces, spans, scores := map[pcommon.TraceID]bool{}, map[pcommon.SpanID]bool{}, 0
		for s := range received(t, load) {
			id := s.SpanID()
			sum += binary.BigEndian.Uint64(id[:])
			traces[s.TraceID()], spans[id] = true, true
			if _, ok := s.Attributes().Get(ScoreAttribute); ok {
				scores++
			}
		}
		if len(spans) != load.Spans || len(traces) != load.Traces || scores != load.Runs || sum != load.SpanIDs {
			t.Errorf("%s: %d spans, %d traces, %d scores; counted were %d, %d, %d", kind.Name,
				len(spans), len(traces), scores, load.Spans, load.Traces, load.Runs)
		}
	}
}

func TestAPieceOfASplitTraceHasARequestOfItsOwn(t *testing.T) {
	parts := map[pcommon.TraceID]int{}
	for _, request := range Split4.Make(8000, 1).Requests {
		in := map[pcommon.TraceID]bool{}
		for s := range spansOf(t, request) {
			in[s.TraceID()] = true
		}
		for id := range in {
			parts[id]++
		}
	}
	for id, n := range parts {
		if n != 4 {
			t.Fatalf("trace %s is in %d requests, want 4", id, n)
		}
	}
}

func received(t *testing.T, load *Load) func(yield func(ptrace.Span) bool) {
	t.Helper()
	return func(yield func(ptrace.Span) bool) {
		for _, request := range load.Requests {
			for s := range spansOf(t, request) {
				if !yield(s) {
					return
				}
			}
		}
	}
}

func spansOf(t *testing.T, request []byte) func(yield func(ptrace.Span) bool) {
	t.Helper()
	td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(request)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, s := range ss.Spans().All() {
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}
