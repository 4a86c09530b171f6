package processor

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

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
