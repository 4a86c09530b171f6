package processor

import (
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
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

// A sender that makes a limit part the steps of another service's run makes both parts incomplete.
func TestStepsThatALimitPartsAreNotComplete(t *testing.T) {
	withFakeClock(t, func(s *Settings, _ *sink) { s.Limits.OpenRuns = 3 }, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(model("m", "", 1, 2, nil, "shell "+callID)))
		r.after(20*time.Second, 0)
		for i := range byte(3) {
			require.NoError(t, r.send(agent("a"+strconv.Itoa(int(i)), "", 20, 21).in(10+i).from("other")))
		}
		r.after(20*time.Second, 4)
		require.NoError(t, r.send(model("n", "", 40, 41, []string{callID}, "search "+otherCallID).in(2)))
		require.NoError(t, r.send(model("o", "", 42, 43, []string{otherCallID}).in(3)))
		r.after(2*time.Minute, 6)
		require.Equal(t, []any{"shell"}, r.verdict("m")["tool_correctness.called"])
		require.Equal(t, []any{"search"}, r.verdict("o")["tool_correctness.called"])
		require.Equal(t, false, r.verdict("m")["tool_correctness.complete"])
		require.Equal(t, false, r.verdict("o")["tool_correctness.complete"])
	})
}

// A conversation closes when none of its runs closed for the idle timeout.
func TestConversationIsClosedWhenItIsIdle(t *testing.T) {
	conversations := func(s *Settings, _ *sink) {
		s.Run.Conversations = true
		s.ConversationAttributes = []string{"app.chat"}
	}
	withFakeClock(t, conversations, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(agent("a", "", 1, 4).with("app.chat", "x"), tool("c", "a", 2, 3, "search")))
		r.after(50*time.Second, 1)
		require.NoError(t, r.send(agent("b", "", 51, 54).with("app.chat", "x").in(2), agent("o", "", 51, 54).in(3)))
		r.after(15*time.Second, 2) // the one without a conversation is a run of its own
		r.after(60*time.Second, 4)
		require.Equal(t, []any{"search"}, r.verdict("b")["tool_correctness.called"])
		require.Equal(t, "idle", r.verdict("b")["tool_correctness.closed_by"])
		require.NotContains(t, r.verdict("a"), "tool_correctness.score")
	})
}

// Runs that wait to be correlated count against the memory limit, and the oldest are released first.
func TestMemoryLimitReleasesRunsThatWaitToBeCorrelated(t *testing.T) {
	small := func(s *Settings, _ *sink) {
		s.Run.Conversations = true
		s.Wait = 0
		s.ConversationAttributes = []string{"app.chat"}
		s.Limits = Limits{OpenRuns: 100, Bytes: 3200}
	}
	withFakeClock(t, small, func(t *testing.T, r *rig) {
		for i, id := range []string{"a", "b", "c", "d", "e", "f"} {
			require.NoError(t, r.send(agent(id, "", 1, 4).with("app.chat", id).in(byte(i))))
			time.Sleep(time.Second)
			synctest.Wait()
		}
		require.NotZero(t, r.sink.got(), "something went before it was idle")
		require.LessOrEqual(t, r.held(), r.openBytes())
		require.Contains(t, r.verdict("a"), "tool_correctness.score")
	})
}

// A protocol's trace is no run, and adds how the agent's call ended.
func TestMCPSpansCompleteTheAgentsCall(t *testing.T) {
	withFakeClock(t, nil, func(t *testing.T, r *rig) {
		var calls []runs.Call
		r.observe = func(report evaluate.Report) { calls = append(calls, report.Run.Calls...) }
		require.NoError(t, r.send(
			agent("a", "", 1, 9), tool("c", "a", 2, 4, "search"),
			protocol("p", "session", 2, 4, "search").with("error.type", "tool_error").in(2),
		))
		r.after(5*time.Minute, 3)
		require.Len(t, calls, 1)
		require.Equal(t, scoring.StatusFailed, calls[0].Status)
		require.Equal(t, 1, r.total("runs_closed"))
		require.Equal(t, 1, r.total("duplicate_calls"), "the protocol recorded it a second time")
	})
}
