package processor

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// While other processes fill the table of MCP spans, a run is not complete if a forgotten span may decide its verdict.
func TestForgottenMCPSpansMakeRunsIncomplete(t *testing.T) {
	ignoreFailed := func(s *Settings) { s.IgnoreFailed = true }
	for _, tc := range []struct {
		name      string
		set       func(*Settings)
		processes int
		called    []any
		complete  bool
		reason    string
	}{
		{"one process", ignoreFailed, 1, []any{}, true, "it loses its own spans, and the victim's say that the call failed"},
		{"many processes", ignoreFailed, 2000, []any{"search"}, false, "whether the call failed is not known any more"},
		{"many processes, and no question how calls end", nil, 2000, []any{"search"}, true, "the span could not change the verdict"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, func(s *Settings, _ *sink) {
				if tc.set != nil {
					tc.set(s)
				}
			})
			r.clock.stop()
			failed := protocol("p", "", 2, 4, "search").with("error.type", "tool_error").in(2)
			require.NoError(t, r.send(failed.from("victim")))
			var flood []span
			for i := range 2000 {
				flood = append(flood, protocol(strconv.Itoa(i), "", 0, 9, "search").in(3).from("hostile "+strconv.Itoa(i%tc.processes)))
			}
			r.Advance(t.Context(), time.Second)
			require.NoError(t, r.send(flood...))
			require.NoError(t, r.send(agent("a", "", 1, 9).from("victim"), tool("c", "a", 2, 4, "search").from("victim")))
			r.Advance(t.Context(), time.Hour)
			require.NoError(t, r.Shutdown(t.Context()))
			verdict := r.verdict("a")
			require.Equal(t, tc.called, verdict["tool_correctness.called"], tc.reason)
			require.Equal(t, tc.complete, verdict["tool_correctness.complete"], tc.reason)
			contested := 1
			if tc.complete {
				contested = 0
			}
			require.Equal(t, contested, r.totalWith("contested_runs", "contest", "other_process"), tc.reason)
			r.conserved()
		})
	}
}
