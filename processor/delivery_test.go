package processor

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// slow is a consumer whose first delivery of a span with a verdict takes until the test ends it.
type slow struct {
	*sink
	once           sync.Once
	began, proceed chan struct{}
}

func newSlow(s *sink) *slow {
	return &slow{sink: s, began: make(chan struct{}), proceed: make(chan struct{})}
}

func (s *slow) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
	if _, judged := span.Attributes().Get(attributes.Complete); judged {
		s.once.Do(func() { close(s.began) })
		select {
		case <-s.proceed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.sink.ConsumeTraces(ctx, td)
}

func TestShutdownLetsADeliveryEndInTime(t *testing.T) {
	for _, takes := range []time.Duration{time.Second, time.Hour} {
		withFakeClock(t, nil, func(t *testing.T, r *rig) {
			s := newSlow(r.sink)
			r.next = s
			require.NoError(t, r.send(agent("a", "", 1, 9)))
			<-s.began
			time.AfterFunc(takes, func() { close(s.proceed) })
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
			r.next = &picky{r.sink, func(ptrace.Traces) error {
				if requests++; requests == 1 {
					require.Less(t, r.total("runs_closed"), runs, "the first leave before the last are judged")
				}
				if requests > accepted {
					return errors.New("the queue is full")
				}
				return nil
			}}
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
				require.Equal(t, accepted*releasebatch.MaxSpans, r.sink.got())
				require.Less(t, r.total("runs_closed"), runs, "when the time is up, the rest is not judged")
			}
		})
	}
}

type picky struct {
	*sink
	check func(ptrace.Traces) error
}

func (p *picky) ConsumeTraces(ctx context.Context, td ptrace.Traces) error {
	if err := p.check(td); err != nil {
		return err
	}
	return p.sink.ConsumeTraces(ctx, td)
}

// A run waits for its span while the next consumer handles it, and after a refusal, because its sender retries.
func TestARunWaitsForASpanThatIsUnderWay(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.IdleTimeout = time.Second }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		r.next = &picky{r.sink, func(ptrace.Traces) error {
			time.Sleep(5 * time.Second)
			return nil
		}}
		require.NoError(t, r.send(agent("a", "", 1, 9), plain("s", "a", 4, 5)))
		r.next = r.sink
		r.sink.refuse(errFull)
		refused := []span{tool("t", "b", 2, 3, "search").in(2), agent("b", "", 1, 9).in(2)}
		require.Error(t, r.send(refused...))
		root := []span{tool("u", "web", 2, 3, "search").in(3), plain("web", "", 1, 9).in(3)}
		require.Error(t, r.send(root...))
		time.Sleep(5 * time.Minute)
		r.sink.refuse(nil)
		require.NoError(t, r.send(refused...))
		require.NoError(t, r.send(root...))
		r.after(time.Minute, 7)
		for _, name := range []string{"a", "b", "web"} {
			require.Equal(t, 1.0, r.verdict(name)["tool_correctness.score"], name)
			require.Equal(t, true, r.verdict(name)["tool_correctness.complete"], name)
		}
		require.Zero(t, r.total("late_calls"))
	})
}

func TestAnAnchorThatComesAfterItsRunWasClosedSaysSo(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.IdleTimeout = time.Second }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		time.Sleep(5 * time.Second)
		require.NoError(t, r.send(agent("a", "", 1, 9), plain("s", "a", 4, 5)))
		r.after(time.Minute, 3)
		v := r.verdict("a")
		require.NotContains(t, v, "tool_correctness.score", "its call was judged without it")
		require.Equal(t, "not_evaluable", v["tool_correctness.status"])
		require.Equal(t, false, v["tool_correctness.complete"])
		require.Equal(t, "idle", v["tool_correctness.closed_by"])
		require.Contains(t, v["tool_correctness.reason"], "closed before this span came")
		require.Empty(t, v["tool_correctness.missing"], "whether it was called is not known")
	})
}

// The limit may close a run between the refusal of its span and the next try.
func TestAnAnchorWhoseRunTheLimitClosedSaysSo(t *testing.T) {
	withFakeClock(t, func(set *Settings, _ *sink) { set.Limits.OpenRuns = 1 }, func(t *testing.T, r *rig) {
		refused := []span{plain("x", "a", 1, 2), tool("t", "a", 2, 3, "search"), agent("a", "", 1, 9)}
		r.sink.refuse(errFull)
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

// With a storage, a shutdown still releases what has closed: of the span of a run that closed before it came, the storage has nothing.
func TestAShutdownReleasesWhatHasClosed(t *testing.T) {
	s := newCrashPlay(t, func(*Settings, *sink) {}, newMemoryStorage())
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(tool("call", "run", 1, 2, "search"))))
	for range 4 {
		s.elapse(t.Context(), time.Minute)
	}
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(agent("run", "", 0, 9))))
	require.NoError(t, s.Shutdown(t.Context()))
	require.Len(t, s.out[spanID("run")], 1)
	require.Zero(t, s.total("spans_suspended"))
	require.Zero(t, s.total("spans_waiting"))
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
			r.next = &picky{r.sink, func(ptrace.Traces) error {
				if requests.Add(1)%5 == 0 {
					return errors.New("not now")
				}
				return nil
			}}
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
