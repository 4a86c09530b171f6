package processor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

const callID, otherCallID = "call_7201bee762b6", "call_8a3f6719cc0d"

// Two instrumentations record one run in two traces. If a limit closes one of them early, the run is not complete.
func TestTracesThatALimitPartsAreNotComplete(t *testing.T) {
	for _, tc := range []struct {
		name          string
		before, after int // traces of another process, before the run and after its first trace
		complete      bool
		called        []any
		reason        string
	}{
		{"both are open", 0, 0, true, []any{"search", "shell"}, "the rows below add to it"},
		{"a limit closed other traces before", 5, 0, true, []any{"search", "shell"}, "the run had not begun"},
		{"a limit closed one of the two", 0, 4, false, []any{"search"}, "it recorded a call that the other did not"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, _ *sink) { s.Limits.OpenRuns = 4 }, func(t *testing.T, r *rig) {
				others := func(n int, trace byte) {
					for i := range byte(n) {
						now := int(time.Now().Unix())
						require.NoError(t, r.send(agent(fmt.Sprint("x", trace+i), "", now, now).in(trace+i).from("other")))
						time.Sleep(time.Second)
					}
				}
				others(tc.before, 10)
				time.Sleep(time.Minute)
				now := int(time.Now().Unix())
				require.NoError(t, r.send(
					tool("c", "a", now, now+1, "search").with("gen_ai.tool.call.id", callID).in(1).by("one"),
					tool("d", "a", now+1, now+2, "shell").with("gen_ai.tool.call.id", otherCallID).in(1).by("one")))
				time.Sleep(time.Second)
				others(tc.after, 30)
				require.NoError(t, r.send(tool("e", "b", now, now+1, "search").with("gen_ai.tool.call.id", callID).in(2).by("two"),
					agent("b", "", now, now+9).in(2).by("two")))
				require.NoError(t, r.send(agent("a", "", now, now+9).in(1).by("one")))
				time.Sleep(3 * time.Minute)
				synctest.Wait()
				judged := map[bool]string{true: "a", false: "b"}[tc.complete]
				require.Equal(t, tc.called, r.verdict(judged)["tool_correctness.called"])
				require.Equal(t, tc.complete, r.verdict(judged)["tool_correctness.complete"], tc.reason)
			})
		})
	}
}

// A conversation in which somebody has to approve a call has one verdict, and it is complete, though the processor was killed or shut
// down while it waited for longer than the idle timeout, and began again with its storage.
func TestAnApprovalOutlastsTheIdleTimeoutAndARestart(t *testing.T) {
	chat := func(s span, trace byte) span { return s.in(trace).with("session.id", "s") }
	refund := func(id, parent string, start, end int) span {
		return tool(id, parent, start, end, "refund").with("gen_ai.tool.call.id", "call_refundabc")
	}
	type arrival struct {
		after   time.Duration // since the one before
		restart bool
		spans   []span
	}
	for _, tc := range []struct {
		name    string
		turns   []string
		arrives []arrival
		anchor  string
	}{
		{"in a tool that takes 90 seconds, in the second of three turns", []string{"search", "refund", "search"}, []arrival{
			{0, false, []span{chat(agent("a1", "", 0, 9), 1), chat(tool("t1", "a1", 1, 2, "search"), 1)}},
			{20 * time.Second, false, []span{chat(model("m2", "a2", 20, 21, nil, "refund call_refundabc"), 2)}},
			{20 * time.Second, true, nil},
			{70 * time.Second, false, []span{chat(refund("t2", "a2", 21, 111), 2), chat(agent("a2", "", 20, 112), 2)}},
			{10 * time.Second, false, []span{chat(agent("a3", "", 120, 129), 3), chat(tool("t3", "a3", 121, 122, "search"), 3)}},
		}, "a3"},
		{"between two traces, after five minutes", []string{"refund"}, []arrival{
			{0, false, []span{chat(model("m1", "a1", 1, 2, nil, "refund call_refundabc"), 1), chat(agent("a1", "", 0, 9), 1)}},
			{40 * time.Second, true, nil},
			{5 * time.Minute, false, []span{chat(refund("t2", "a2", 341, 342), 2), chat(agent("a2", "", 340, 349), 2)}},
		}, "a2"},
	} {
		for _, killed := range []bool{true, false} {
			t.Run(fmt.Sprint(tc.name, ", killed: ", killed), func(t *testing.T) {
				s := newCrashPlay(t, func(set *Settings, _ *sink) {
					conversations(set)
					set.IdleTimeout, set.PendingTimeout = time.Minute, time.Hour
					var turns []scoring.ExpectationSettings
					for _, name := range tc.turns {
						turns = append(turns, scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: name}}})
					}
					expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Turns: turns})
					require.NoError(t, err)
					set.Expectations[0].Expected = expected
				}, newMemoryStorage())
				for _, a := range tc.arrives {
					s.elapse(t.Context(), a.after)
					if a.restart {
						if !killed {
							require.NoError(t, s.Shutdown(t.Context()))
						}
						s.begin()
					}
					if a.spans != nil {
						require.NoError(t, s.ConsumeTraces(t.Context(), traces(a.spans...)))
					}
					require.Empty(t, s.verdicts(), "nobody knows yet how it ends")
				}
				for range 4 {
					s.elapse(t.Context(), time.Minute)
				}
				s.end()
				judged := s.verdicts()
				require.Len(t, judged, 1)
				verdict := judged[spanID(tc.anchor)]
				require.InDelta(t, 1, verdict["tool_correctness.score"], 0, "%v", verdict)
				require.Equal(t, true, verdict["tool_correctness.complete"], "%v", verdict)
				require.Equal(t, "idle", verdict["tool_correctness.closed_by"])
			})
		}
	}
}

// verdicts are the attributes of the spans that came out with a verdict.
func (s *crashPlay) verdicts() map[pcommon.SpanID]map[string]any {
	judged := make(map[pcommon.SpanID]map[string]any)
	for id, copies := range s.out {
		for _, attributes := range copies {
			if attributes["tool_correctness.status"] != nil {
				judged[id] = attributes
			}
		}
	}
	return judged
}
