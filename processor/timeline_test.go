package processor

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestSpansAfterShutdownLeaveWithoutAVerdict(t *testing.T) {
	r := newRig(t, nil)
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.send(spans("agent a [1-9]; tool c<a [2-3] search")...))
	require.Equal(t, []int{2, 2}, []int{r.sink.got(), r.total("spans_forwarded")})
	require.NotContains(t, r.verdict("a"), "tool_correctness.score")
}

func TestShutdownEndsThoughNothingIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(s *Settings, _ *sink) { s.Limits = Limits{OpenRuns: 1 << 20, Bytes: 1 << 30} })
		core, logged := observer.New(zap.ErrorLevel)
		r.logger = zap.New(core)
		require.NoError(t, r.Start(t.Context(), nil))
		for i := range 2 * heldspans.MaxSpans {
			require.NoError(t, r.send(agent("a"+strconv.Itoa(i), "", 1, 9).in(byte(1+i%200))))
		}
		r.sink.refuse(errors.New("backend is down"))
		begin := time.Now()
		err := r.Shutdown(context.WithoutCancel(t.Context()))
		require.ErrorContains(t, err, "1024 judged spans were not accepted")
		require.ErrorContains(t, err, "backend is down")
		require.LessOrEqual(t, time.Since(begin), flushTimeout+time.Second)
		require.Equal(t, 2*heldspans.MaxSpans, r.total("spans_failed"))
		named := int64(0)
		for _, line := range logged.FilterField(zap.String("reason", "shutdown")).All() {
			require.NotEmpty(t, line.ContextMap()["ids"])
			named += line.ContextMap()["spans"].(int64)
		}
		require.EqualValues(t, 2*heldspans.MaxSpans, named, "spans that the log says are lost")
		r.conserved()
	})
}

func TestUndeliveredRunsPushBack(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Limits.Bytes = 2000 }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		r.sink.refuse(errors.New("backend is down"))
		for i := range byte(20) { // anchors alone are not forwarded, so they are not refused
			if err := r.send(agent("a"+string('a'+rune(i)), "", 1, 9).in(i)); err != nil {
				require.ErrorIs(t, err, errBacklog)
				require.Positive(t, i, "some fit")
				r.sink.refuse(nil)
				r.after(5*time.Minute, r.sent)
				return
			}
			time.Sleep(20 * time.Second)
		}
		t.Error("the processor took everything, although the next consumer accepted nothing")
	})
}

func TestMemoryIsLimited(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Limits.Bytes = 10_000 }, func(t *testing.T, r *rig) {
		for i := range 1000 {
			id := string([]byte{'c', byte(i), byte(i >> 8)})
			require.NoError(t, r.send(tool(id, "a", i, i+1, "search")))
			synctest.Wait() // what was closed is judged, and weighs nothing any more
			require.LessOrEqual(t, r.held(), int64(10_000))
		}
	})
}

func TestDryRunHasAClockOfItsOwn(t *testing.T) {
	r := newRig(t, nil)
	require.True(t, r.Capabilities().MutatesData, "another pipeline of the receiver must not see what is written")
	var reports []evaluate.Report
	r.DryRun(func(rep evaluate.Report) { reports = append(reports, rep) })
	call := tool("c", "a", 2, 3, "search")
	call.attributes["gen_ai.tool.call.arguments"] = `{"q":1}`
	require.NoError(t, r.send(agent("a", "", 1, 9), call))
	r.Advance(t.Context(), 9*time.Second)
	require.Empty(t, reports)
	r.Advance(t.Context(), time.Second)
	require.Len(t, reports, 1)
	require.Equal(t, scoring.JSON(`{"q":1}`), reports[0].Run.Calls[0].Arguments, "kept, though no metric reads it")
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
}
