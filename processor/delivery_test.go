package processor

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/attributes"
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

func TestShutdownLetsADeliveryEnd(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		s := newSlow(r.sink)
		r.next = s
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		<-s.began
		go func() {
			time.Sleep(time.Second)
			close(s.proceed)
		}()
		require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
		require.Equal(t, 1, r.sink.requests, "it is not delivered a second time")
	})
}

func TestShutdownHonoursItsContext(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		s := newSlow(r.sink)
		r.next = s
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		<-s.began
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
		defer cancel()
		require.ErrorIs(t, r.Shutdown(ctx), context.DeadlineExceeded)
		require.Equal(t, 1, r.total("spans_failed"), "and what it lost is counted")
	})
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
