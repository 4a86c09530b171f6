package processor

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
)

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

// With a storage, a shutdown leaves open runs to the next start, whose verdicts are those of one process.
func TestAShutdownLeavesOpenRunsInTheStorage(t *testing.T) {
	const runs = 100
	h := &host{memoryStorage: newMemoryStorage()}
	synctest.Test(t, func(t *testing.T) {
		first := newRig(t, stored)
		require.NoError(t, first.Start(t.Context(), h))
		first.sendRuns(runs)
		require.NoError(t, first.Shutdown(t.Context()))
		require.Equal(t, runs, first.sink.got(), "spans of calls")
		require.Equal(t, runs, first.total("spans_suspended"))
		require.NoError(t, first.telemetry.Shutdown(context.Background()))

		second := newRig(t, stored)
		require.NoError(t, second.Start(t.Context(), h))
		require.Equal(t, runs, second.total("spans_resumed"))
		second.after(time.Minute, runs)
		for i := range runs {
			verdict := second.verdict("a" + strconv.Itoa(i))
			require.Contains(t, verdict, "tool_correctness.score", "run %d", i)
			require.Equal(t, true, verdict["tool_correctness.complete"], "run %d", i)
		}
		require.NoError(t, second.Shutdown(t.Context()))
		require.Empty(t, h.records())
		require.NoError(t, second.telemetry.Shutdown(context.Background()))
	})
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
