package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// Calls that one response asked for have no order: each has the time of all of them.
func TestCallsOfOneResponseHaveOneTime(t *testing.T) {
	for _, r := range []struct{ name, reason, log, want string }{
		{"asked for together", "they ran one after the other by chance", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search asks:draft#call_draft
			  tool search#call_search [3-4]
			  tool draft#call_draft [5-6]`, `search 3-6, draft 3-6`},
		{"asked for one after the other", "the second needed the first", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search
			  tool search#call_search [3-4]
			  model [4-5] asks:draft#call_draft
			  tool draft#call_draft [5-6]`, `search 3-4, draft 5-6`},
		{"with an ID of another tool", "a model may use an ID again", `
			agent planner [0-9]
			  model [1-2] asks:search#call_search asks:draft#call_draft
			  tool search#call_search [3-4]
			  tool book#call_draft [5-6]`, `search 3-4, book 5-6`},
		{"in the messages of a group's task, beside a call with a span", "times cannot say which messages were before the span", `
			group [0-20] messages share:planner asks:fetch#call_fetch next asks:search#call_search next asks:book#call_book shows:#call_fetch shows:#call_book
			  agent planner [1-9] by:crew
			    tool search#call_search [4-5] by:crew`, `fetch 1-9, book 1-9, search 4-5`},
		{"in messages that spans order differently", "times that are known count", `
			group [0-20] messages share:planner asks:book#call_book next asks:fetch#call_fetch
			  agent planner [1-9]
			    tool fetch#call_fetch [3-4]
			    tool book#call_book [5-6]`, `fetch 3-4, book 5-6`},
		{"in messages of a task that nothing else recorded", "a moment each, in their order", `
			group [0-20] messages share:planner asks:fetch#call_fetch next asks:book#call_book
			  agent planner [1-9]`, `fetch 1-1, book 1-1`},
	} {
		t.Run(r.name, func(t *testing.T) {
			s := closeAll()
			closed := runs.Runs(runstest.Log(t, r.log), &s.Options, &s.Examination)
			require.Len(t, closed.Runs, 1, runstest.Text(&closed))
			require.Equal(t, r.want, timesOf(closed.Runs[0].Calls), r.reason)
		})
	}
}

// The messages of a task order its calls. A message with several calls leaves their order open.
func TestTheMessagesOfATaskOrderItsCalls(t *testing.T) {
	for between, want := range map[string]bool{"next": true, "": false} {
		s := closeAll()
		closed := runs.Runs(runstest.Log(t, `
			group [0-20] messages share:planner asks:fetch#call_fetch `+between+` asks:search#call_search
			  agent planner [1-9]`), &s.Options, &s.Examination)
		calls := make([]scoring.Call, 2)
		runs.SetTimes(calls, closed.Runs[0].Calls)
		require.Equal(t, want, calls[0].Time.End < calls[1].Time.Start, "%q between the calls", between)
	}
}

// timesOf says when calls ran, in seconds.
func timesOf(of []runs.Call) string {
	calls := make([]scoring.Call, len(of))
	runs.SetTimes(calls, of)
	var all []string
	for i := range of {
		all = append(all, fmt.Sprintf("%s %d-%d", of[i].Name, calls[i].Time.Start/runstest.Second-1, calls[i].Time.End/runstest.Second-1))
	}
	return strings.Join(all, ", ")
}
