package processor

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
)

// refuseAfterOne has the next consumer accept one more request and refuse all behind it. The context ends with the first
// refusal, so that the batch is not tried again.
func (s *crashPlay) refuseAfterOne(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	before := len(s.out)
	next, err := consumer.NewTraces(func(ctx context.Context, td ptrace.Traces) error {
		if len(s.out) > before {
			cancel()
			return errNotNow
		}
		return s.consume(ctx, td)
	})
	require.NoError(t, err)
	s.next = next
	return ctx
}

// The process ends between the two requests of a run. All spans are released with their verdicts, and those of the first request
// again: an interrupted delivery begins anew.
func TestACrashBetweenTheRequestsOfARunLosesNoVerdict(t *testing.T) {
	s := newCrashPlay(t, annotatesCalls, newMemoryStorage())
	spans := append(manyCalls(), agent("small", "", 0, 1), tool("own", "small", 0, 1, "search"))
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
	ctx := s.refuseAfterOne(t)
	s.elapse(ctx, time.Minute)
	require.Len(t, s.out, releasebatch.MaxSpans, "of the first request")

	s.begin()
	s.elapse(t.Context(), time.Minute)
	s.end()
	require.Zero(t, s.total("records_set_aside"))
	require.Len(t, s.out, len(spans))
	require.Equal(t, "matched", s.out[spanID("own")][0]["tool_correctness.call.verdict"])
	for i := range releasebatch.MaxSpans + 100 {
		for _, attributes := range s.out[spanID("c"+strconv.Itoa(i))] {
			want := "unexpected"
			if i == 0 {
				want = "matched"
			}
			require.Equal(t, want, attributes["tool_correctness.call.verdict"], "call %d", i)
		}
	}
}

// A shutdown ends between the two requests of a run. The next process delivers all of it.
func TestAShutdownBetweenTheRequestsOfARunLosesNoSpan(t *testing.T) {
	s := newCrashPlay(t, annotatesCalls, newMemoryStorage())
	spans := manyCalls()
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
	ctx := s.refuseAfterOne(t)
	s.elapse(ctx, time.Minute)
	require.NoError(t, s.Shutdown(ctx))
	require.Equal(t, releasebatch.MaxSpans, s.total("spans_released"))
	require.Equal(t, len(spans)-releasebatch.MaxSpans, s.total("spans_suspended"))
	s.begin()
	require.Equal(t, len(spans), s.total("spans_resumed"))
	s.elapse(t.Context(), time.Minute)
	s.end()
	require.Len(t, s.out, len(spans))
}

// A held span of a call is restored after younger evidence. Its trace does not become older, and still waits for the run's
// own span.
func TestASpanOfACallDoesNotMakeItsTraceOld(t *testing.T) {
	s := newCrashPlay(t, annotatesCalls, newMemoryStorage())
	s.clock.advance(-51 * time.Second) // so that the next process begins a second later
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(tool("c", "run", 2, 3, "search"))))
	s.elapse(t.Context(), 50*time.Second)
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(plain("web", "run", 4, 50))))
	s.begin()
	s.elapse(t.Context(), 20*time.Second) // the idle timeout is a minute
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(agent("run", "", 1, 70))))
	s.elapse(t.Context(), 11*time.Second)
	require.Equal(t, "anchor", s.out[spanID("run")][0]["tool_correctness.closed_by"])
	require.Equal(t, "matched", s.out[spanID("c")][0]["tool_correctness.call.verdict"])
	s.end()
}

// The process ends between the two requests of a conversation. Its parts get no verdicts of their own, and the whole gets the
// same verdict as without the crash.
func TestACrashBetweenTheRequestsOfAConversationChangesNoVerdict(t *testing.T) {
	verdicts := func(crash bool) map[pcommon.SpanID]any {
		s := newCrashPlay(t, func(s *Settings, _ *sink) {
			s.Run.Conversations = true
			s.ConversationAttributes = []string{"session.id"}
		}, newMemoryStorage())
		var spans []span
		for i := range releasebatch.MaxSpans + 88 {
			name := strconv.Itoa(i)
			spans = append(spans, agent("a"+name, "", 10*i, 10*i+9).in(byte(i%200)).with("session.id", "s"),
				tool("t"+name, "a"+name, 10*i+1, 10*i+2, "search").in(byte(i%200)))
		}
		require.NoError(t, s.ConsumeTraces(t.Context(), traces(spans...)))
		if crash {
			forwarded, next := len(s.out), s.next
			ctx := s.refuseAfterOne(t)
			for range 4 {
				s.elapse(ctx, time.Minute)
			}
			require.Len(t, s.out, forwarded+releasebatch.MaxSpans, "of the first request")
			s.next = next
			s.begin()
		}
		for range 4 {
			s.elapse(t.Context(), time.Minute)
		}
		s.end()
		require.Len(t, s.out, len(spans))
		judged := make(map[pcommon.SpanID]any)
		for id, copies := range s.out {
			for _, attributes := range copies {
				if reason, ok := attributes["tool_correctness.reason"]; ok {
					judged[id] = reason
				}
			}
		}
		return judged
	}
	undisturbed := verdicts(false)
	require.Len(t, undisturbed, 1)
	require.Equal(t, undisturbed, verdicts(true))
}
