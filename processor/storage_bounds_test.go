package processor

import (
	"context"
	"encoding/binary"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// inTrace returns spans in the trace of a number that may be larger than a byte.
func inTrace(n int, spans ...span) ptrace.Traces {
	var id pcommon.TraceID
	binary.BigEndian.PutUint64(id[:], uint64(n)*0x9e3779b97f4a7c15) // spread over the shards
	binary.BigEndian.PutUint64(id[8:], uint64(n)+1)
	td := traces(spans...)
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				span.SetTraceID(id)
			}
		}
	}
	return td
}

// The evidence of a long trace is not stored once for each closed agent that waits for its conversation.
func TestMemoryOfALongTraceWhoseAgentsWaitToBeCorrelated(t *testing.T) {
	for name, v := range map[string]*memoryStorage{"in memory": nil, "with a storage": newMemoryStorage()} {
		t.Run(name, func(t *testing.T) {
			s := newCrashPlay(t, func(set *Settings, _ *sink) {
				set.Run.Conversations, set.Run.KeepArguments = true, true
				set.IdleTimeout = time.Hour
				set.Run.MaxCalls = 10_000
				set.Limits.Bytes = 16 << 20
			}, v)
			before := heap()
			text := `{"text": "` + strings.Repeat("x", 1000) + `"}`
			for i := range 1000 { // calls of an agent that is still at work
				require.NoError(t, s.ConsumeTraces(t.Context(), traces(
					tool("c"+strconv.Itoa(i), "run", 1, 2, "search").with("gen_ai.tool.call.arguments", text))))
			}
			for i := range 100 {
				require.NoError(t, s.ConsumeTraces(t.Context(), traces(
					agent("sub"+strconv.Itoa(i), "run", 1, 2).with("gen_ai.conversation.id", "talk"))))
				s.elapse(t.Context(), 11*time.Second)
			}
			if v != nil {
				v.entries = nil // they would be on a disk
			}
			assert.Less(t, heap()-before, s.set.Limits.Bytes)
			runtime.KeepAlive(s)
		})
	}
}

// Runs of one conversation that are correlated and judged at once leave in several requests, none of them
// larger than receivers accept.
func TestRequestsOfALongConversationAreBounded(t *testing.T) {
	s := newCrashPlay(t, func(set *Settings, _ *sink) {
		set.Run.Conversations = true
		set.Limits = Limits{OpenRuns: 10_000, Bytes: 64 << 20}
	}, nil)
	spans, bytes, all := 0, 0, 0
	var sizer ptrace.ProtoMarshaler
	next, err := consumer.NewTraces(func(_ context.Context, td ptrace.Traces) error {
		spans, bytes = max(spans, td.SpanCount()), max(bytes, sizer.TracesSize(td))
		all += td.SpanCount()
		return nil
	})
	require.NoError(t, err)
	s.next = next
	const runs = 1000
	text := strings.Repeat("x", 10_000)
	for i := range runs {
		require.NoError(t, s.ConsumeTraces(t.Context(), inTrace(i, agent("a"+strconv.Itoa(i), "", i, i+1).
			with("gen_ai.conversation.id", "talk").with("gen_ai.output.messages", text))))
	}
	for range 4 {
		s.elapse(t.Context(), 2*time.Minute)
	}
	assert.Equal(t, runs, all, "spans that came out")
	assert.LessOrEqual(t, spans, releasebatch.MaxSpans)
	assert.LessOrEqual(t, bytes, releasebatch.MaxBytes)
}

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
