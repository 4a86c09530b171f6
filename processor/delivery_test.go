package processor

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl/contexts/ottlspan"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	expectations "github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal/journaltest"
)

func TestShutdownLetsADeliveryEndInTime(t *testing.T) {
	for _, takes := range []time.Duration{time.Second, time.Hour} {
		withFakeClock(t, nil, func(t *testing.T, r *rig) {
			r.next, _ = consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
				select {
				case <-time.After(takes):
					return r.sink.ConsumeTraces(ctx, td)
				case <-ctx.Done():
					return ctx.Err()
				}
			})
			require.NoError(t, r.send(agent("a", "", 1, 9)))
			time.Sleep(r.set.Wait + tickInterval) // the delivery is under way
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
			defer cancel()
			if err := r.Shutdown(ctx); takes < time.Minute {
				require.NoError(t, err)
				require.Equal(t, 1, r.sink.requests, "it is not delivered a second time")
			} else {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, 1, r.total("spans_failed"), "and what it lost is counted")
			}
		})
	}
}

// If more runs close than are scored at once, they leave in parts. If the next consumer begins to refuse between them, the
// rest is scored and counted as well.
func TestManyRunsLeaveInParts(t *testing.T) {
	for _, accepted := range []int{1 << 30, 5} {
		withFakeClock(t, func(s *Settings, _ *sink) { s.Limits = Limits{OpenRuns: 1 << 20, Bytes: 1 << 30} }, func(t *testing.T, r *rig) {
			const runs = 1<<14 + 1
			var spans []span
			for i := range runs {
				id := binary.BigEndian.AppendUint32([]byte("run"), uint32(i))
				spans = append(spans, agent(string(id), "", 1, 9).in(byte(1+i%200)))
			}
			for some := range slices.Chunk(spans, 200) {
				require.NoError(t, r.send(some...))
			}
			requests := 0
			r.sink.check = func(ptrace.Traces) error {
				if requests++; requests == 1 {
					require.Less(t, r.total("runs_closed"), runs, "the first leave before the last are judged")
				}
				if requests > accepted {
					return errors.New("the queue is full")
				}
				return nil
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
			defer cancel()
			err := r.Shutdown(ctx)
			require.Equal(t, runs, r.sink.got()+r.total("spans_failed"))
			if accepted > runs {
				require.NoError(t, err)
				require.Equal(t, runs, r.total("runs_closed"))
				require.Equal(t, runs, r.sink.got())
			} else {
				require.ErrorContains(t, err, "the queue is full")
				require.Equal(t, accepted*heldspans.MaxSpans, r.sink.got())
				require.Less(t, r.total("runs_closed"), runs, "when the time is up, the rest is not judged")
			}
		})
	}
}

// The limit may close a run between the refusal of its span and the next try.
func TestAnAnchorWhoseRunTheLimitClosedSaysSo(t *testing.T) {
	withFakeClock(t, func(set *Settings, _ *sink) { set.Limits.OpenRuns = 1 }, func(t *testing.T, r *rig) {
		refused := []span{plain("x", "a", 1, 2), tool("t", "a", 2, 3, "search"), agent("a", "", 1, 9)}
		r.sink.refuse(journaltest.ErrFull)
		require.Error(t, r.send(refused...))
		r.sink.refuse(nil)
		time.Sleep(time.Millisecond)
		require.NoError(t, r.send(tool("u", "b", 2, 3, "search").in(2))) // the limit closes trace 1
		require.NoError(t, r.send(refused...))
		r.after(time.Hour, 4)
		v := r.verdict("a")
		require.Equal(t, false, v["tool_correctness.complete"])
		// Whether what the limit closed was delivered before the span came again decides which.
		require.NotEmpty(t, v["tool_correctness.incomplete_because"])
		require.Subset(t, []any{"limit", "evidence_dropped", "anchor_late"}, v["tool_correctness.incomplete_because"])
	})
}

// The sender gets the error of the next consumer, and whether a retry may succeed.
func TestRefusalsGoBackAsTheyAre(t *testing.T) {
	cause := errors.New("no such tenant")
	for name, refusal := range map[string]error{"for good": consumererror.NewPermanent(cause), "for now": cause} {
		t.Run(name, func(t *testing.T) {
			withFakeClock(t, nil, func(t *testing.T, r *rig) {
				r.sink.refuse(refusal)
				err := r.send(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"))
				require.Equal(t, refusal, err)
				require.ErrorIs(t, err, cause)
				require.Equal(t, consumererror.IsPermanent(refusal), consumererror.IsPermanent(err))
				require.Equal(t, 2, r.total("spans_refused"), "with its anchor, which is not held")
				require.Zero(t, r.total("spans_held"))
				r.sink.refuse(nil)
			})
			r := newRig(t, nil)
			require.NoError(t, r.Shutdown(t.Context()))
			r.sink.refuse(refusal)
			require.Equal(t, refusal, r.send(agent("a", "", 1, 9)), "of an anchor that will not be judged")
			require.Equal(t, 1, r.total("spans_refused"))
		})
	}
}

// judgedUntil cancels ctx when that number of runs was scored, and returns a counter of them.
func (r *rig) judgedUntil(runs int, end context.CancelFunc) *int {
	judged := new(int)
	r.observe = func(evaluate.Report) {
		if *judged++; *judged == runs {
			end()
		}
	}
	return judged
}

// sendRuns sends n runs of traces of their own.
func (r *rig) sendRuns(n int) {
	for i := range n {
		trace := byte(1 + i)
		require.NoError(r.t, r.send(
			tool("c"+strconv.Itoa(i), "a"+strconv.Itoa(i), 1, 2, "search").in(trace), agent("a"+strconv.Itoa(i), "", 0, 9).in(trace),
		))
	}
}

// A shutdown looks at its deadline between two runs, and closes no trace after it. Runs that it has no time to score leave without a
// verdict. No span is lost, and none waits for a slow verdict.
func TestAShutdownThatEndsJudgesNoMore(t *testing.T) {
	const runs = 100
	for _, inTime := range []int{0, 24} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, nil)
			require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
			r.sendRuns(runs)
			ctx, end := context.WithCancel(t.Context())
			judged := r.judgedUntil(inTime, end)
			if inTime == 0 {
				require.NoError(t, r.halt(t.Context()))
				r.stop = nil
				end()
			}
			require.NoError(t, r.Shutdown(ctx))
			require.Equal(t, inTime, *judged, "runs that were judged")
			require.Equal(t, 2*runs, r.sink.got(), "all spans went on")
			require.Equal(t, inTime > 0, r.total("runs_closed") > 0)
			r.conserved()
		})
	}
}

// A shutdown judges nothing after its time for judging: the rest leaves without a verdict.
func TestAShutdownStopsJudgingInTime(t *testing.T) {
	const runs, takes = 100, 100 * time.Millisecond
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(set *Settings, _ *sink) { set.Limits.Bytes = 256 << 20 })
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		text := strings.Repeat("x", 200_000) // more than 8 MiB are left then, and not all of it is judged or passed at once
		for i := range runs {
			require.NoError(t, r.send(agent("a"+strconv.Itoa(i), "", 1, 9).in(byte(i)).with("text", text)))
		}
		judged := 0
		r.observe = func(evaluate.Report) {
			time.Sleep(takes)
			judged++
		}
		ctx, end := context.WithTimeout(t.Context(), flushShares*time.Second)
		defer end()
		require.NoError(t, r.Shutdown(ctx))
		require.LessOrEqual(t, judged, int(time.Second/takes)+1)
		require.Equal(t, judged, r.total("runs_closed"))
		require.Equal(t, runs, r.sink.got(), "all spans went on")
		r.conserved()
	})
}

// Many senders send the same traces and traces of their own, and retry refused ones. Meanwhile limits close runs, the next
// consumer refuses some, and the processor shuts down. No span that was accepted is lost. A span may be released more often
// than it was accepted. If an anchor without a verdict is refused, the rest of its batch was forwarded already, and the
// sender retries all of it.
func TestManySendersAndAShutdown(t *testing.T) {
	for round := range 8 {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(s *Settings, sink *sink) {
				s.Limits.OpenRuns = 20
				s.Wait = 100 * time.Millisecond
				s.Run.Conversations = round%2 == 1
				sink.mutates = round%4 >= 2
				s.AnnotateCalls = round >= 4
			})
			var requests atomic.Int64
			r.sink.check = func(ptrace.Traces) error {
				if requests.Add(1)%5 == 0 {
					return errors.New("not now")
				}
				return nil
			}
			require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
			var senders sync.WaitGroup
			var accepted, sent atomic.Int64
			half := make(chan struct{})
			for n := range 8 {
				senders.Go(func() {
					for i := range 30 {
						accepted.Add(sendAll(r.Processor, n, i))
						if sent.Add(1) == 120 {
							close(half)
						}
						time.Sleep(10 * time.Millisecond)
					}
				})
			}
			<-half
			require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
			senders.Wait()
			require.EqualValues(t, 8*30*5, accepted.Load())
			require.GreaterOrEqual(t, r.sink.got(), 8*30*5)
			require.Len(t, r.sink.spans, 3*30+8*30*2, "spans by their ids")
			require.Equal(t, r.total("spans_received"), r.total("spans_forwarded")+r.total("spans_held")+r.total("spans_refused"))
			require.Equal(t, r.total("spans_held"), r.total("spans_released"), "and none has failed")
		})
	}
}

// sendAll sends three spans of a trace that all senders share, and two of a trace of its own, until they are accepted.
func sendAll(p *Processor, sender, i int) (accepted int64) {
	id := strconv.Itoa(i)
	own := strconv.Itoa(sender) + id
	for _, batch := range [][]span{
		{tool("c"+id, "a"+id, 2, 3, "search").with("session.id", "s"), plain("p"+id, "a"+id, 2, 3)},
		{agent("a"+id, "", 1, 9), agent("b"+own, "", 1, 9).in(byte(10 + sender)), tool("d"+own, "b"+own, 2, 3, "search").in(byte(10 + sender))},
	} {
		for p.ConsumeTraces(context.Background(), traces(batch...)) != nil {
			time.Sleep(time.Millisecond)
		}
		accepted += int64(len(batch))
	}
	return accepted
}

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
				fromAttribute.Name = "given"
				fromAttribute.Expected, fromAttribute.FromAttribute, fromAttribute.Parse = nil, "expected", expectations.Parse
				fromAttribute.When = hasAttribute("expected")
				s.Expectations = []evaluate.Expectation{fromAttribute, s.Expectations[0]}
			}, func(t *testing.T, r *rig) {
				r.sink.check = func(td ptrace.Traces) error {
					if new(ptrace.ProtoMarshaler).TracesSize(td) > 4<<20 {
						return errTooLarge
					}
					return nil
				}
				for i := range hostile { // each with a trace and a resource of its own
					td := traces(agent("e"+strconv.Itoa(i), "", 1, 9).in(byte(100 + i)))
					rs := td.ResourceSpans().At(0)
					attack.change(rs, rs.ScopeSpans().At(0).Spans().At(0))
					require.NoError(t, r.consume(td))
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
				r.sink.check = func(ptrace.Traces) error {
					attempts++
					return tc.refusal
				}
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

// hasAttribute is a condition.
type hasAttribute string

func (key hasAttribute) Eval(_ context.Context, tctx *ottlspan.TransformContext) (bool, error) {
	_, ok := tctx.GetSpan().Attributes().Get(string(key))
	return ok, nil
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
		v := journaltest.New()
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, func(s *Settings, sink *sink) {
				s.AnnotateCalls = seed&1 != 0
				s.Run.Conversations = seed&4 != 0
				sink.mutates = seed&8 != 0
				if seed&2 != 0 {
					s.Storage = &journaltest.ID
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
				require.NoError(t, r.consume(td))
				time.Sleep(time.Duration(random.IntN(60)) * time.Second)
			}
			time.Sleep(15 * time.Minute)
			require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
			require.Len(t, r.sink.spans, r.sink.count, "spans that came out twice")
			require.Len(t, next.failed, r.total("spans_failed"), "spans that were refused alone")
			r.conserved()
			require.Empty(t, recordsIn(v), "left in the storage")
		})
	})
}
