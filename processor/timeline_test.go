package processor

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func TestOnlyTheAnchorIsHeld(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		require.True(t, r.Capabilities().MutatesData, "another pipeline of the receiver must not see what is written")
		require.NoError(t, r.send(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), plain("s", "a", 4, 5)))
		r.after(0, 2)
		r.after(9*time.Second, 2)
		r.after(2*time.Second, 3)
		v := r.verdict("a")
		require.Equal(t, 1.0, v["tool_correctness.score"])
		require.Equal(t, true, v["tool_correctness.passed"])
		require.Equal(t, "scored", v["tool_correctness.status"])
		require.Equal(t, "anchor", v["tool_correctness.closed_by"])
		require.Equal(t, true, v["tool_correctness.complete"])
		require.Equal(t, "0", v["tool_correctness.expectation"])
		require.Equal(t, "00000000", v["tool_correctness.config"])
		require.Equal(t, []any{"search"}, v["tool_correctness.called"])
	})
}

func TestCallArrivesTooLate(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		r.after(11*time.Second, 1)
		require.NoError(t, r.send(tool("c", "a", 2, 3, "search")))
		r.after(5*time.Minute, 2)
		require.Equal(t, 0.0, r.verdict("a")["tool_correctness.score"])
		require.Equal(t, 1, r.total("late_calls"))
		m, err := r.telemetry.GetMetric("otelcol_processor_tool_correctness_late_call_age")
		require.NoError(t, err)
		require.InDelta(t, 1, m.Data.(metricdata.Histogram[float64]).DataPoints[0].Sum, 0.11, "seconds after the run had closed")
		require.Equal(t, 1, r.total("runs_closed"), "a late call opens no run")
	})
}

func TestRunWithoutAnAnchor(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(tool("c", "lost", 2, 3, "search")))
		r.after(59*time.Second, 1)
		require.Equal(t, 1, r.total("open_runs"))
		r.after(2*time.Second, 1)
		require.Equal(t, 0, r.total("open_runs"))
		require.Equal(t, 1, r.total("runs_closed"))
		require.Equal(t, 1, r.total("verdicts"), "it is judged, and the verdict is counted")
	})
}

func TestShutdownJudgesHeldAnchors(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search")))
		require.NoError(t, r.Shutdown(context.WithoutCancel(t.Context())))
		v := r.verdict("a")
		require.Equal(t, 1.0, v["tool_correctness.score"])
		require.Equal(t, "shutdown", v["tool_correctness.closed_by"])
		require.Equal(t, false, v["tool_correctness.complete"])
	})
}

func TestSpansAfterShutdownLeaveWithoutAVerdict(t *testing.T) {
	r := newRig(t, nil)
	require.NoError(t, r.Start(t.Context(), componenttest.NewNopHost()))
	require.NoError(t, r.Shutdown(t.Context()))
	require.NoError(t, r.send(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search")))
	require.Equal(t, 2, r.sink.got())
	require.Equal(t, 2, r.total("spans_forwarded"))
	require.NotContains(t, r.verdict("a"), "tool_correctness.score")
}

func TestReleaseIsRetried(t *testing.T) {
	for name, mutates := range map[string]bool{"by a consumer that keeps what it gets": false, "by one that changes it": true} {
		t.Run(name, func(t *testing.T) {
			withFakeClock(t, func(_ *Settings, s *sink) { s.mutates = mutates }, func(t *testing.T, r *rig) {
				require.NoError(t, r.send(agent("a", "", 1, 9), tool("c", "a", 2, 3, "search")))
				r.sink.refuse(errors.New("backend is down"))
				r.after(10*time.Minute, 1)
				r.sink.refuse(nil)
				r.after(2*time.Minute, 2)
				require.Equal(t, 1.0, r.verdict("a")["tool_correctness.score"])
			})
		})
	}
}

func TestShutdownEndsThoughNothingIsAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		require.NoError(t, r.Start(t.Context(), nil))
		require.NoError(t, r.send(agent("a", "", 1, 9)))
		r.sink.refuse(errors.New("backend is down"))
		begin := time.Now()
		err := r.Shutdown(context.WithoutCancel(t.Context()))
		require.ErrorContains(t, err, "1 judged spans were not accepted")
		require.ErrorContains(t, err, "backend is down")
		require.LessOrEqual(t, time.Since(begin), flushTimeout+time.Second)
		require.Equal(t, 1, r.total("spans_failed"))
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

func TestOddSpansPassWhereNothingIsExpected(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Expectations = nil }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send())
		require.NoError(t, r.send(agent("", "", 0, 0), agent("a", "a", 9, 1), tool("", "", 0, 0, "")))
		r.after(5*time.Minute, 3)
		require.NotContains(t, r.verdict("a"), "tool_correctness.expectation", "no expectation, so nothing is written")
	})
}

func TestStrayCallsBeforeTheirTraceWasKnown(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		// The span between came when its trace was not known to have an agent.
		require.NoError(t, r.send(plain("s", "a", 1, 9)))
		require.NoError(t, r.send(tool("c", "s", 20, 30, "search")))
		require.NoError(t, r.send(agent("b", "a", 19, 40), agent("a", "", 1, 50)))
		r.after(5*time.Minute, 4)
		require.Equal(t, 1.0, r.verdict("a")["tool_correctness.score"], "the link in the ring leads to a, not b")
		require.Equal(t, 0.0, r.verdict("b")["tool_correctness.score"])
	})
}

func TestDryRunHasAClockOfItsOwn(t *testing.T) {
	r := newRig(t, nil)
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

// A run that was under way when the processor began may have had calls before.
func TestARunThatWasUnderWayIsNotComplete(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		now := int(time.Now().Unix())
		require.NoError(t, r.send(
			agent("under way", "", now-5, now+5), tool("c", "under way", now+1, now+2, "search"),
			agent("just over", "", now-50, now-40).in(2), agent("long over", "", now-500, now-400).in(3), agent("new", "", now, now+1).in(4)))
		r.after(11*time.Second, 5)
		for name, complete := range map[string]bool{"under way": false, "just over": false, "long over": true, "new": true} {
			require.Equal(t, complete, r.verdict(name[:min(8, len(name))])["tool_correctness.complete"], name)
			require.Equal(t, "anchor", r.verdict(name[:min(8, len(name))])["tool_correctness.closed_by"], name)
		}
	})
}
