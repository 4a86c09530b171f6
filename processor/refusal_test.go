package processor

import (
	"context"
	"errors"
	"iter"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

// errTooLarge is what a receiver of OTLP over gRPC says.
var errTooLarge = consumererror.NewPermanent(errors.New("received message larger than max (4194304)"))

func isPoison(span ptrace.Span) bool { return span.Name() == "poison" }

// Whatever an attacker sends, the spans of others are released: no request is larger than receivers accept, unless a single
// span is.
func TestLargeSpansCostNoOtherSpans(t *testing.T) {
	text := func(bytes int) string { return strings.Repeat("x", bytes) }
	for name, attack := range map[string]struct {
		change func(ptrace.ResourceSpans, ptrace.Span)
		lost   bool // the spans of the attacker are
	}{
		"spans of 3 MiB":                {func(_ ptrace.ResourceSpans, s ptrace.Span) { s.Attributes().PutStr("x", text(3<<20)) }, false},
		"spans that are just too large": {func(_ ptrace.ResourceSpans, s ptrace.Span) { s.Attributes().PutStr("x", text(4<<20-200)) }, true},
		"agents' names of 2.2 MB": {func(_ ptrace.ResourceSpans, s ptrace.Span) {
			s.Attributes().PutStr("gen_ai.agent.name", text(2_200_000))
		}, false},
		"expectations of many names": {func(_ ptrace.ResourceSpans, s ptrace.Span) {
			s.Attributes().PutStr("expected", `["`+strings.Repeat(text(300)+`","`, 2000)+`x"]`)
		}, false},
		"names that are escaped": {func(_ ptrace.ResourceSpans, s ptrace.Span) {
			s.Attributes().PutStr("expected", `["`+strings.Repeat(strings.Repeat("\u202e", 100)+`","`, 200)+`x"]`)
		}, false},
		"large resources": {func(rs ptrace.ResourceSpans, _ ptrace.Span) { rs.Resource().Attributes().PutStr("x", text(200<<10)) }, false},
		"copies of a span": {func(rs ptrace.ResourceSpans, s ptrace.Span) {
			s.Attributes().PutStr("x", text(100_000))
			for range 60 {
				s.CopyTo(rs.ScopeSpans().At(0).Spans().AppendEmpty())
			}
		}, false},
		"calls of long names": {func(rs ptrace.ResourceSpans, s ptrace.Span) {
			for i := range 200 {
				c := rs.ScopeSpans().At(0).Spans().AppendEmpty()
				traces(tool("t"+strconv.Itoa(i), "x", 2, 3, strconv.Itoa(i)+text(1000))).ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).MoveTo(c)
				c.SetTraceID(s.TraceID())
				c.SetParentSpanID(s.SpanID())
			}
			for range 40 {
				s.CopyTo(rs.ScopeSpans().At(0).Spans().AppendEmpty())
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			honest, hostile := 60, 20
			if testing.Short() {
				hostile = 8
			}
			withFakeClock(t, func(s *Settings, _ *sink) {
				s.Limits.Bytes = 1 << 30
				fromAttribute := s.Expectations[0]
				fromAttribute.Name, fromAttribute.Expected, fromAttribute.FromAttribute = "given", nil, "expected"
				fromAttribute.When = hasAttribute("expected")
				s.Expectations = []evaluate.Expectation{fromAttribute, s.Expectations[0]}
			}, func(t *testing.T, r *rig) {
				r.next = &picky{r.sink, func(td ptrace.Traces) error {
					if new(ptrace.ProtoMarshaler).TracesSize(td) > 4<<20 {
						return errTooLarge
					}
					return nil
				}}
				for i := range hostile { // each with a trace and a resource of its own
					td := traces(agent("e"+strconv.Itoa(i), "", 1, 9).in(byte(100 + i)))
					rs := td.ResourceSpans().At(0)
					attack.change(rs, rs.ScopeSpans().At(0).Spans().At(0))
					r.sent += td.SpanCount()
					require.NoError(t, r.ConsumeTraces(t.Context(), td))
				}
				for i := range honest {
					id := strconv.Itoa(i)
					require.NoError(t, r.send(agent("h"+id, "", 1, 9).in(byte(i)), tool("c"+id, "h"+id, 2, 3, "search").in(byte(i))))
				}
				time.Sleep(time.Minute)
				for i := range honest {
					require.Equal(t, 1.0, r.verdict("h" + strconv.Itoa(i))["tool_correctness.score"])
				}
				lost := 0
				if attack.lost {
					lost = hostile
				}
				require.Equal(t, lost, r.total("spans_failed"))
				require.Equal(t, r.sent-lost, r.sink.got(), "what is counted as released has come out")
			})
		})
	}
}

// A batch that is refused because the sender is unknown is not divided, which would take a thousand attempts.
func TestARefusalOfTheSenderIsNotDivided(t *testing.T) {
	refusal := func(code codes.Code) error { return consumererror.NewPermanent(status.Error(code, "no")) }
	for name, tc := range map[string]struct {
		refusal  error
		attempts int
	}{
		"a token that has expired":   {refusal(codes.Unauthenticated), 1},
		"a span that cannot be read": {refusal(codes.InvalidArgument), 2*8 - 1},
	} {
		t.Run(name, func(t *testing.T) {
			withFakeClock(t, nil, func(t *testing.T, r *rig) {
				attempts := 0
				r.next = &picky{r.sink, func(ptrace.Traces) error {
					attempts++
					return tc.refusal
				}}
				for i := range 8 { // agents alone are held, so nothing is forwarded
					require.NoError(t, r.send(agent(strconv.Itoa(i), "", 1, 9).in(byte(i))))
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Equal(t, tc.attempts, attempts)
				require.Equal(t, 8, r.total("spans_failed"))
			})
		})
	}
}

// If a shutdown ends while the halves of a refused release are tried, the storage keeps the spans that were not accepted.
// Accepted ones may be released again.
func TestAShutdownAmongHalvesLosesNothing(t *testing.T) {
	v := newMemoryStorage()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, stored)
		require.NoError(t, r.Start(t.Context(), v))
		attempts := 0
		r.next = &picky{r.sink, func(td ptrace.Traces) error {
			attempts++
			switch {
			case td.SpanCount() == 4:
				return errTooLarge
			case attempts > 2:
				return errNotNow
			}
			return nil
		}}
		require.NoError(t, r.send(agent("a", "", 1, 9).in(1), agent("b", "", 1, 9).in(2), agent("c", "", 1, 9).in(3), agent("d", "", 1, 9).in(4)))
		r.after(12*time.Second, 2)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
		defer cancel()
		require.NoError(t, r.Shutdown(ctx))
		require.Equal(t, 2, r.sink.got(), "one half")
		require.Equal(t, 2, r.total("spans_released"))
		require.Equal(t, 2, r.total("spans_suspended"))
		r.sent = 2
		r.conserved()
		first := r.sink.spans

		r = newRig(t, stored)
		require.NoError(t, r.Start(t.Context(), v))
		time.Sleep(time.Minute)
		synctest.Wait()
		for id := range r.sink.spans {
			first[id] = r.sink.spans[id]
		}
		require.Len(t, first, 4)
		r.sent = r.sink.got()
		require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
		r.conserved()
	})
}

// hasAttribute is a condition.
type hasAttribute string

func (key hasAttribute) Eval(_ context.Context, tctx *ottlspan.TransformContext) (bool, error) {
	_, ok := tctx.GetSpan().Attributes().Get(string(key))
	return ok, nil
}

// spansOf are all spans of traces.
func spansOf(td ptrace.Traces) iter.Seq[ptrace.Span] {
	return func(yield func(ptrace.Span) bool) {
		for _, rs := range td.ResourceSpans().All() {
			for _, ss := range rs.ScopeSpans().All() {
				for _, span := range ss.Spans().All() {
					if !yield(span) {
						return
					}
				}
			}
		}
	}
}

// moody is a consumer that permanently refuses long requests and requests with poison. It refuses others temporarily at
// random, and sometimes accepts only a part and reports it.
type moody struct {
	*sink
	most int

	deciding sync.Mutex // guards all below: senders and the processor's own goroutine call at the same time
	random   *rand.Rand
	failed   map[pcommon.SpanID]bool // refused for good when they were alone
}

func (m *moody) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	m.deciding.Lock()
	defer m.deciding.Unlock()
	var poison error
	if new(ptrace.ProtoMarshaler).TracesSize(td) > m.most {
		poison = errTooLarge
	}
	judged := false
	for span := range spansOf(td) {
		if isPoison(span) {
			poison = consumererror.NewPermanent(errors.New("poison"))
		}
		_, is := span.Attributes().Get(attributes.Complete)
		judged = judged || is
	}
	switch {
	case !judged: // it is forwarded, and its sender gets the error
		return m.sink.ConsumeTraces(ctx, td)
	case poison != nil:
		if td.SpanCount() == 1 {
			for span := range spansOf(td) {
				m.failed[span.SpanID()] = true
			}
		}
		return poison
	case m.random.IntN(3) == 0:
		return errNotNow
	case td.SpanCount() > 1 && m.random.IntN(3) == 0:
		return m.part(ctx, td)
	}
	return m.sink.ConsumeTraces(ctx, td)
}

// part accepts some of the spans.
func (m *moody) part(ctx context.Context, td ptrace.Traces) error {
	taken, left := ptrace.NewTraces(), ptrace.NewTraces()
	for span := range spansOf(td) {
		to := []ptrace.Traces{taken, left}[m.random.IntN(2)]
		span.CopyTo(to.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty())
	}
	if err := m.sink.ConsumeTraces(ctx, taken); err != nil {
		return err
	}
	if left.SpanCount() == 0 {
		return nil
	}
	return consumererror.NewTraces(errNotNow, left)
}

// FuzzRefusals has the next consumer refuse spans for good, for now, and in part. Every accepted span is released exactly
// once or counted as failed. Only a span that is permanently refused alone fails, and the storage is empty in the end.
func FuzzRefusals(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 0))
		v := newMemoryStorage()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(s *Settings, sink *sink) {
				s.AnnotateCalls = seed&1 != 0
				s.Run.Conversations = seed&4 != 0
				sink.mutates = seed&8 != 0
				if seed&2 != 0 {
					s.Storage = &memoryStorageID
				}
			})
			next := &moody{
				sink: r.sink, most: 1000 + random.IntN(10_000),
				random: rand.New(rand.NewPCG(seed, 1)), failed: map[pcommon.SpanID]bool{},
			}
			r.next = next
			require.NoError(t, r.Start(t.Context(), v))
			for _, batch := range batched(random, randomSpans(random, 60)) {
				td := traces(batch...)
				td.ResourceSpans().At(0).Resource().Attributes().PutStr("x", strings.Repeat("x", int(seed&16)*100))
				for span := range spansOf(td) {
					if random.IntN(10) == 0 {
						span.SetName("poison")
					}
					span.Attributes().PutStr("x", strings.Repeat("x", random.IntN(2000)))
				}
				r.sent += td.SpanCount()
				require.NoError(t, r.ConsumeTraces(t.Context(), td))
				time.Sleep(time.Duration(random.IntN(60)) * time.Second)
			}
			time.Sleep(15 * time.Minute)
			require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
			require.Len(t, r.sink.spans, r.sink.count, "spans that came out twice")
			require.Len(t, next.failed, r.total("spans_failed"), "spans that were refused alone")
			r.conserved()
			require.Empty(t, v.records(), "left in the storage")
		})
	})
}
