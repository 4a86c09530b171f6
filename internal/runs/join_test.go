package runs_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// A client of MCP often has a trace of its own, and its spans know how calls ended.
func TestAProtocolsSpansOfOtherTracesCompleteCalls(t *testing.T) {
	for _, tc := range []struct {
		name, protocol, want, reason string
	}{
		{"in the call's time", `mcp search{"q":1}->found [3-4] from:desk failed`,
			`planner: search{"q":1}->found failed, book, book`, "the only one that fits"},
		{"in another process", `mcp search{"q":1}->found [3-4] from:shop failed`,
			`planner: search{"q":1}, book, book`, "another agent's"},
		{"with other arguments", `mcp search{"q":2}->found [3-4] from:desk failed`,
			`planner: search{"q":1}, book, book`, "another call's"},
		{"at another time", `mcp search{"q":1}->found [6-7] from:desk failed`,
			`planner: search{"q":1}, book, book`, "the call was over"},
		{"two", `mcp search{"q":1}->found [3-4] from:desk failed
		         mcp search{"q":1}->found [4-4.5] from:desk ok`,
			`planner: search{"q":1}, book, book (result_ambiguous)`, "one says that the call failed"},
		{"two that say no more", `mcp search{"q":1} [3-4] from:desk
		         mcp search{"q":1} [4-4.5] from:desk`,
			`planner: search{"q":1}, book, book`, "nothing depends on which"},
		{"one for two calls", `mcp book [3-4] from:desk failed`,
			`planner: search{"q":1}, book, book (result_ambiguous)`, "one of the two failed"},
		{"copies that differ", `mcp search{"q":1}->found [3-4] from:desk failed
		         mcp search{"q":1}->found [3-4] from:desk ok`,
			`planner: search{"q":1}, book, book (result_ambiguous)`, "nobody knows how it ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := closeAll()
			spans := runstest.Log(t, "trace mcp\n"+tc.protocol).Traces[0].Facts
			s.Protocol = func(p evidence.Process, tool string) (of []evidence.Fact) {
				for _, f := range spans {
					if f.Process == p && f.Call.Name == tool {
						of = append(of, f)
					}
				}
				return of
			}
			require.Equal(t, tc.want+"\n", s.then(t, new(evidence.Log), `
				agent planner [0-9] from:desk
				  tool search{"q":1} [1-5] from:desk
				  tool book [2-5] from:desk id:1
				  tool book [2-5] from:desk id:2`), tc.reason)
		})
	}
}
