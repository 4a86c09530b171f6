package processor

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// slow is a consumer whose first delivery of a judged span takes until it is told to end.
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
	if _, judged := span.Attributes().Get(attrComplete); judged {
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
	inTime(t, nil, func(t *testing.T, r *rig) {
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
	inTime(t, nil, func(t *testing.T, r *rig) {
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

func TestShutdownSaysWhyNobodyAccepted(t *testing.T) {
	inTime(t, nil, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		r.sink.refuse(errors.New("backend is down"))
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Second)
		defer cancel()
		require.ErrorContains(t, r.Shutdown(ctx), "backend is down")
	})
}

// Receivers accept requests up to a size, and refuse larger ones for good.
func TestRequestsAreSmall(t *testing.T) {
	r := newRig(t, func(s *Settings, _ *sink) { s.Limits.Bytes = 1 << 30 })
	var sizer ptrace.ProtoMarshaler
	r.next = &picky{r.sink, func(td ptrace.Traces) error {
		if sizer.TracesSize(td) > 4<<20 {
			return consumererror.NewPermanent(errors.New("larger than 4 MiB"))
		}
		return nil
	}}
	for i := range 200 {
		s := agent(string([]byte{'a', byte(i)}), "", 1, 9).in(byte(i))
		s.attributes["gen_ai.input.messages"] = strings.Repeat("x", 50_000)
		require.NoError(t, r.send(s))
	}
	require.NoError(t, r.Shutdown(t.Context()))
	require.Equal(t, 200, r.sink.got())
	r.conserved()
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

// While senders go on sending and limits close runs, Shutdown loses nothing.
func TestShutdownWhileSending(t *testing.T) {
	for range 20 {
		r := newRig(t, func(s *Settings, _ *sink) { s.Limits.OpenRuns = 3 })
		require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
		var senders sync.WaitGroup
		sent := make([]int, 4)
		for n := range sent {
			senders.Go(func() {
				for i := range 50 {
					id := string([]byte{'a', byte(n), byte(i)})
					if r.ConsumeTraces(context.Background(), traces(agent(id, "", 1, 9).in(byte(50*n+i)))) == nil {
						sent[n]++
					}
				}
			})
		}
		require.NoError(t, r.Shutdown(t.Context()))
		senders.Wait()
		require.Equal(t, sent[0]+sent[1]+sent[2]+sent[3], r.sink.got())
	}
}

func TestARunThatClosedMeanwhileTakesNoAnchor(t *testing.T) {
	inTime(t, func(s *Settings, _ *sink) { s.Run.IdleTimeout = time.Second }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		r.next = &picky{r.sink, func(ptrace.Traces) error {
			time.Sleep(5 * time.Second) // long enough for the run to close without its anchor
			return nil
		}}
		require.NoError(t, r.send(agent("a", "", 1, 9), plain("s", "a", 4, 5)))
		r.after(time.Minute, 3)
		require.NotContains(t, r.verdict("a"), "tool_correctness.score", "its call was judged without it")
	})
}
