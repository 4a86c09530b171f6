package processor

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
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
