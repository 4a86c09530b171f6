package processor

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
)

// With a storage, a next consumer that never returns loses no span: Shutdown reports no loss, and gives the storage back.
func TestShutdownWithAConsumerThatNeverAnswers(t *testing.T) {
	h := &host{memoryStorage: newMemoryStorage()}
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		next, err := consumer.NewTraces(func(context.Context, ptrace.Traces) error { <-answer; return nil })
		require.NoError(t, err)
		r := newRig(t, stored)
		r.next = next
		require.NoError(t, r.Start(t.Context(), h))
		require.NoError(t, r.send(agent("run", "", 1, 10)))
		r.after(12*time.Second, 0)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = r.Shutdown(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotContains(t, err.Error(), "lost")
		assert.Zero(t, h.open)

		second := startOn(t, h, nil)
		assert.Equal(t, 1, second.total("spans_resumed"))
		require.NoError(t, second.Shutdown(context.Background()))
		close(answer)
		synctest.Wait()
	})
}

// storedMultiple bounds the stored bytes of a request, in multiples of its size on the wire: see docs/security.md.
const storedMultiple = 4

// For a request of any shape, at most storedMultiple times its size is stored, and nothing once its spans were accepted.
// Records of closed runs have another bound.
func TestNoShapeOfARequestHasMuchStoredOfIt(t *testing.T) {
	for _, s := range someShapes() {
		t.Run(s.name, func(t *testing.T) {
			td, err := (&ptrace.ProtoUnmarshaler{}).UnmarshalTraces(s.wire(t))
			require.NoError(t, err)
			wire := (&ptrace.ProtoMarshaler{}).TracesSize(td)
			v := newMemoryStorage()
			r := newRig(t, func(set *Settings, _ *sink) {
				stored(set, nil)
				set.Limits = Limits{OpenRuns: 1 << 30, Bytes: 1 << 40}
				if s.change != nil {
					s.change(set)
				}
			})
			r.clock.stop()
			r.host = v
			require.NoError(t, r.openJournal(t.Context(), v))
			require.NoError(t, r.ConsumeTraces(t.Context(), td))
			bytes := memoryClient{v}.sizeAfter(nil)
			t.Logf("%d bytes: %.1f times as much is stored", wire, float64(bytes)/float64(wire))
			require.LessOrEqual(t, bytes, storedMultiple*wire+heldspans.MaxRepeated)
			for range 4 { // runs close, and conversations end
				r.Advance(t.Context(), time.Hour)
			}
			require.NoError(t, r.Shutdown(t.Context()))
			require.Empty(t, v.records())
		})
	}
}
