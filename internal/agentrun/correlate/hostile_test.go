package correlate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// runNumber is a run of a trace of its own, from start to end, with one call of that name and id.
func runNumber(i int, kind agentrun.AnchorKind, start, end int, name, callID string) agentrun.Run {
	id := pcommon.TraceID{1, byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}
	s := agentrun.Span{Trace: id, ID: runtest.SpanOf('a', i), Start: pcommon.Timestamp(start), End: pcommon.Timestamp(end), Process: 1}
	call := agentrun.Call{Call: scoring.Call{Name: name}, CallID: callID, Span: s}
	call.ID = runtest.SpanOf('c', i)
	return agentrun.Run{Trace: id, Complete: true, Calls: []agentrun.Call{call}, Anchors: []agentrun.Anchor{
		{Span: s, Kind: kind, Held: ptrace.NewSpan()},
	}}
}

func idNumber(i int) string { return fmt.Sprintf("call_%d_abcdefghi", i) }

// hostileRuns returns runs of several traces that are slow to correlate.
var hostileRuns = []struct {
	name   string
	set    func(*agentrun.Settings)
	play   func(s *Correlator, now time.Time, n int)
	reason string
}{
	{"steps that lead to the end of a long chain", nil, func(s *Correlator, now time.Time, n int) {
		for i := range n {
			r := runNumber(i, agentrun.Root, i, i, "x", idNumber(i))
			r.Step = true
			s.Take(now, []agentrun.Run{r})
		}
		for j := range n - 1 {
			r := runNumber(n+j, agentrun.Root, n+j, n+j, "x", "")
			r.Step, r.AnsweredIDs = true, []string{idNumber(n - 1), idNumber(n - 2 - j)}
			s.Take(now, []agentrun.Run{r})
		}
	}, "the way to the end is halved each time"},
	{"duplicates of a run with a long name", nil, func(s *Correlator, now time.Time, n int) {
		name := strings.Repeat("a_", n)
		for i := range n {
			r := runNumber(i, agentrun.Agent, i, 2*n, name, idNumber(0))
			r.SharesCalls = true
			s.Take(now, []agentrun.Run{r})
			name = "x"
		}
	}, "a name is folded once"},
	{"a model's call with a long name, and agents that may have made it", nil, func(s *Correlator, now time.Time, n int) {
		for i := range n {
			s.Take(now, []agentrun.Run{runNumber(i, agentrun.Agent, 0, 9, "x", "")})
		}
		r := runNumber(n, agentrun.Root, 5, 5, strings.Repeat("a_", n), idNumber(0))
		r.Step, r.Calls[0].Start, r.Calls[0].End = true, 0, 0
		s.Take(now, []agentrun.Run{r})
	}, "a name is folded once"},
	{"a conversation that is looked at over and over", func(set *agentrun.Settings) { set.Conversations = true }, func(s *Correlator, now time.Time, n int) {
		for i := range n {
			r := runNumber(i, agentrun.Agent, i, i, "x", "")
			r.Conversation = "c"
			s.Take(now, []agentrun.Run{r})
			s.CloseDue(now)
		}
	}, "how long it waits is known"},
}

// correlateAll plays with n runs and returns the work.
func correlateAll(n int, change func(*agentrun.Settings), play func(s *Correlator, now time.Time, n int)) compare.Work {
	set := agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}
	if change != nil {
		change(&set)
	}
	s := New(Settings{Settings: set})
	now := time.Unix(1000, 0)
	play(s, now, n)
	s.CloseDue(now.Add(time.Hour))
	return s.work
}

// Four times as many runs take four times the work to correlate.
func TestWorkGrowsWithTheRuns(t *testing.T) {
	for _, tc := range hostileRuns {
		t.Run(tc.name, func(t *testing.T) {
			runtest.CheckGrowth(t, 250, tc.reason, func(_ testing.TB, n int) compare.Work { return correlateAll(n, tc.set, tc.play) })
		})
	}
}

// BenchmarkHostileRuns: what does a run of each shape cost, and is that the same for many?
func BenchmarkHostileRuns(b *testing.B) {
	for _, tc := range hostileRuns {
		runtest.BenchmarkGrowth(b, tc.name, func(_ testing.TB, n int) compare.Work { return correlateAll(n, tc.set, tc.play) })
	}
}
