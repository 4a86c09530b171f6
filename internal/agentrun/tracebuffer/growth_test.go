//go:build unix

package tracebuffer

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/ownership"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// processorTime returns the CPU time of the process. Unlike wall time it does not depend on other load.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// A trace of any shape that is sixteen times as large takes little more than sixteen times the memory and processor time to
// close. Caches and logarithms make it some thirty times, and quadratic work would be 256 times.
func TestClosingGrowsWithTheTrace(t *testing.T) {
	const (
		small, large = 500, 8_000
		memory, slow = 30, 100
	)
	for name, shape := range map[string]struct {
		fill    func(grower)
		include bool
		calls   int // of all runs, in those that came
	}{
		"calls of unknown origin among agents side by side": {func(g grower) {
			for i := range g.n {
				g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), pcommon.SpanID{}, i, i+g.n))
				g.call(i, pcommon.SpanID{}, i+1, i+2)
			}
		}, false, 1},
		"calls of unknown origin among agents in agents": {func(g grower) {
			g.nested(agentrun.Agent)
			for i := range g.n {
				g.call(i, pcommon.SpanID{}, i, i+1)
			}
		}, false, 1},
		"calls of unknown origin that nothing contains": {func(g grower) {
			for i := range g.n {
				g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), pcommon.SpanID{}, 2*i, 2*i+1))
				g.call(i, pcommon.SpanID{}, 2*i, 4*g.n)
			}
		}, false, 1},
		"answers of unknown origin": {func(g grower) {
			for i := range g.n {
				g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), pcommon.SpanID{}, i, i+g.n))
				g.answer(i, pcommon.SpanID{}, i+1, i+2)
			}
		}, false, 1},
		"calls of the innermost of nested stand-ins": {func(g grower) {
			g.nested(agentrun.Workflow)
			for i := range g.n {
				g.call(i, runtest.SpanOf('a', g.n-1), g.n, g.n+1)
			}
		}, false, 1},
		"calls of all nested agents": {func(g grower) {
			g.nested(agentrun.Agent)
			for i := range g.n {
				g.call(i, runtest.SpanOf('a', i), g.n, g.n+1)
			}
		}, false, 1},
		"calls of all nested agents, that count for all around": {func(g grower) {
			g.nested(agentrun.Agent)
			for i := range g.n {
				g.call(i, runtest.SpanOf('a', i), g.n, g.n+1)
			}
		}, true, 1 + ownership.MaxCopies},
		"answers of all nested agents, that count for all around": {func(g grower) {
			g.nested(agentrun.Agent)
			for i := range g.n {
				g.answer(i, runtest.SpanOf('a', i), g.n, g.n+1)
			}
		}, true, 1 + ownership.MaxCopies},
		"tools that run agents, among agents side by side": {func(g grower) {
			for i := range g.n {
				g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), pcommon.SpanID{}, i, i+g.n))
				g.call(i, pcommon.SpanID{}, i+1, i+2)
				g.AddStep(g.now, g.span(runtest.SpanOf('s', i), runtest.SpanOf('c', i), i+1, i+2), "")
			}
		}, false, 1},
		"tools of many processes that run agents": {func(g grower) {
			g.agentAround()
			for i := range g.n {
				s := g.span(runtest.SpanOf('c', i), pcommon.SpanID{}, i, 3*g.n-i)
				s.Process = agentrun.Process(1 + i/32)
				g.AddCall(g.now, agentrun.Call{Call: scoring.Call{Name: "search"}, Span: s})
				s.ID, s.Parent = runtest.SpanOf('s', i), s.ID
				g.AddStep(g.now, s, "")
			}
		}, false, 1},
		"calls in calls, each of another process": {func(g grower) {
			g.agentAround()
			for i := range g.n {
				s := g.span(runtest.SpanOf('c', i), pcommon.SpanID{}, i, 3*g.n-i)
				if i > 0 {
					s.Parent = runtest.SpanOf('c', i-1)
				}
				s.Process = agentrun.Process(1 + i)
				g.AddCall(g.now, agentrun.Call{Call: scoring.Call{Name: strconv.Itoa(i)}, Span: s})
			}
		}, false, 1},
		"one cycle of agents": {func(g grower) {
			for i := range g.n {
				g.anchor(agentrun.Agent, g.span(runtest.SpanOf('a', i), runtest.SpanOf('a', (i+1)%g.n), i, i+1))
				g.call(i, runtest.SpanOf('a', i), i, i+1)
			}
		}, true, 1 + ownership.MaxCopies},
	} {
		t.Run(name, func(t *testing.T) {
			settle := func(n int) (h agentrun.ClosedBatch, took time.Duration, bytes uint64) {
				// The bound of the calls goes by the limit, so that goes with the size.
				b := newFixture(t, func(s *Settings) { s.MaxCalls, s.Include = n, shape.include })
				shape.fill(grower{b, n})
				var before, after runtime.MemStats
				runtime.GC()
				defer debug.SetGCPercent(debug.SetGCPercent(-1))
				runtime.ReadMemStats(&before)
				began := processorTime(t)
				h = b.wait(time.Hour)
				took = processorTime(t) - began
				runtime.ReadMemStats(&after)
				b.held -= held(h)
				b.done()
				return h, took, after.TotalAlloc - before.TotalAlloc
			}
			var little, much time.Duration = time.Hour, time.Hour
			for range 3 { // others may use the caches
				_, took, of := settle(small)
				little = min(little, took)
				h, took, bytes := settle(large)
				much = min(much, took)
				t.Logf("%v and %d bytes, then %v and %d", little, of, much, bytes)
				require.Equal(t, shape.calls*large, callsOf(h))
				require.LessOrEqual(t, bytes, memory*of)
				if much <= slow*little {
					return
				}
			}
			t.Errorf("%v for %d anchors, and %v for %d", little, small, much, large)
		})
	}
}
