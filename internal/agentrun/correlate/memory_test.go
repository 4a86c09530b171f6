package correlate

import (
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/summaries"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Correlated runs are removed from the Correlator, in any order of arrival.
func TestPutTogetherLeavesNothing(t *testing.T) {
	s := New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}})
	now := time.Unix(1000, 0)
	before := runtest.Heap()
	const pairs = 10_000
	for n := range 2 * pairs {
		calls := make([]agentrun.Call, 20)
		for i := range calls {
			calls[i].CallID = "call_" + string(rune(0x4e00+n/2)) + "_0123456789"
		}
		s.Take(now, []agentrun.Run{{Trace: runtest.TraceNumber(n), Calls: calls, SharesCalls: true}})
	}
	require.Greater(t, runtest.Heap()-before, int64(20*runtest.Little))
	for range pairs {
		require.NotEmpty(t, s.EvictOldest().Runs)
	}
	require.LessOrEqual(t, runtest.Heap()-before, int64(runtest.Little))
	require.Zero(t, s.Size())
}

// The memory of closed runs, which recognizes their model calls in other traces, is bounded in bytes: tools may have any name.
func TestSummariesAreBounded(t *testing.T) {
	const most = 1 << 20
	s := New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}, Summaries: summaries.Settings{Bytes: most}})
	for i := range uint64(summaries.Max) {
		r := ofProcess("a")
		r.Anchors[0].Span.ID = pcommon.SpanID(binary.BigEndian.AppendUint64(nil, i+1))
		r.Calls = []agentrun.Call{{Call: scoring.Call{Name: strings.Repeat("x", 10_000)}}}
		s.Take(time.Unix(0, 0), []agentrun.Run{r})
		if s.SummaryBytes() > most {
			t.Fatalf("%d bytes of summaries, want at most %d", s.SummaryBytes(), most)
		}
	}
	if s.SummaryBytes() < most/2 {
		t.Errorf("%d bytes of summaries: what fits is remembered", s.SummaryBytes())
	}
}

// While an attacker fills the memory of closed runs, the model calls of an agent's run are recognized. Otherwise the run that
// is made of them depends on others.
func TestSummariesOfOthersAreForgottenFirst(t *testing.T) {
	for _, tc := range []struct {
		name      string
		attackers int
		known     bool
		reason    string
	}{
		{"nothing", 0, true, "the agent's run has the calls"},
		{"one process", 1, true, "the attacker has most, and loses its own"},
		{"many processes", 4 * summaries.Max, false, "none has more than the victim"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}})
			now := time.Unix(1000, 0)
			s.Take(now, []agentrun.Run{sentBy(1, closed(1, agentrun.Agent, "a 0-9", "x"))})
			for i := range min(tc.attackers, 1) * 4 * summaries.Max {
				r := sentBy(agentrun.Process(2+i%tc.attackers), closed(2, agentrun.Agent, "b 0-9", "x"))
				r.Anchors[0].ID = runtest.SpanOf('b', i)
				now = now.Add(time.Millisecond)
				s.Take(now, []agentrun.Run{r})
			}
			step := sentBy(1, modelStep(3, "c 1-2", "", "x"))
			step.Calls[0].Start = 0
			s.Take(now, []agentrun.Run{step})
			h := s.CloseAll()
			require.Equal(t, tc.known, len(h.Runs) == 0, tc.reason)
			require.Equal(t, !tc.known, len(h.Runs) == 1 && h.Runs[0].DependsOnOthers, tc.reason)
		})
	}
}

// Runs that are correlated keep the spans of their calls, and count them.
func TestSpansOfCallsGoWithTheCorrelatedRun(t *testing.T) {
	with := func(r agentrun.Run, spec string) agentrun.Run {
		s := runtest.At(spec)
		s.Trace = r.Trace
		r.Companions = append(r.Companions, agentrun.Anchor{Span: s, Kind: agentrun.Tool, Size: 1000})
		return r
	}
	a := closed(1, agentrun.Agent, "a 0-9", "x call_7201bee7")
	b := with(closed(2, agentrun.Agent, "b 1-8", "x call_7201bee7"), "c<b 1-2")
	a.SharesCalls, b.SharesCalls = true, true
	s := New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute}})
	now := time.Unix(1000, 0)
	bare := b
	bare.Companions = nil
	require.Equal(t, runBytes(&bare)+anchorBytes+1000, runBytes(&b))
	require.Empty(t, s.Take(now, []agentrun.Run{a, b}))
	require.Equal(t, runBytes(&a)+runBytes(&b)+keyBytes+len(s.keys(&a)[0]), s.Size(), "both have one key")
	h := s.CloseAll()
	require.Equal(t, 3, runtest.Held(h))
	require.Contains(t, runtest.Say(h), "c with a", "of duplicate runs the first one represents both")
	require.Zero(t, s.Size())

	a, b = with(closed(1, agentrun.Agent, "a 0-9", "i"), "c<a 2-3"), with(closed(2, agentrun.Agent, "b 10-18", "k"), "d<b 12-13")
	a.Conversation, b.Conversation = "talk", "talk"
	s = New(Settings{Settings: agentrun.Settings{Wait: time.Second, IdleTimeout: time.Minute, Conversations: true}})
	require.Empty(t, s.Take(now, []agentrun.Run{a, b}))
	require.Subset(t, runtest.Say(s.CloseAll()), []string{"c with b", "d with b", "a passthrough"})
}

// ofProcess is a run of a service with these calls.
func ofProcess(service string, calls ...agentrun.Call) agentrun.Run {
	s := runtest.At("a 0-9")
	s.Process = runtest.ProcessOf(service)
	return agentrun.Run{Anchors: []agentrun.Anchor{{Span: s}}, Calls: calls}
}
