package runs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// Each doubt has a log that raises it, and one beside it that does not. Package open raises anchor_late, and the processor restarted.
func TestEachDoubtAndItsNearMiss(t *testing.T) {
	for _, tc := range []struct{ doubt, but, raises, near string }{
		{"anchor_missing", "the agent's span arrived", `
			- agent planner [0-9]
			  tool search [1-2]`, `
			agent planner [0-9]
			  tool search [1-2]`},
		{"limit", "copies of a span are one call", `
			agent planner [0-9]
			  tool search [1-2]
			  tool search [3-4]
			  tool search [5-6]
			  tool search [7-8]`, `
			agent planner [0-9]
			  tool search [1-2]
			  tool search [3-4]
			  tool search [5-6]
			  tool search [5-6]`},
		{"owner_unknown", "only one agent ran then", `
			agent planner [0-9]
			  agent writer [1-8]
			- span [0-9]
			  tool search [3-4]`, `
			agent planner [0-9]
			  agent writer [1-2]
			- span [0-9]
			  tool search [3-4]`},
		{"copies_differ", "the first copy came before the output", `
			agent planner [0-9]
			  tool search->found [1-2]
			  tool search->lost [1-2]`, `
			agent planner [0-9]
			  tool search [1-2]
			  tool search->lost [1-2]`},
		{"copies_differ", "the spans have IDs of their own", `
			agent planner [0-9]
			  tool search [1-2] id:one
			  tool weather [3-4] id:one`, `
			agent planner [0-9]
			  tool search [1-2] id:one
			  tool weather [3-4] id:two`},
		{"copies_differ", "the requests have one spelling of the tool", `
			agent planner [0-9]
			  model [1-2] asks:getWeather asks:get_weather
			  tool get_weather [3-4] normalized id:one
			  tool get_weather [3-4] normalized id:two
			  tool get_weather [5-6] normalized`, `
			agent planner [0-9]
			  model [1-2] asks:getWeather
			  tool get_weather [3-4] normalized`},
		{"result_ambiguous", "the result has the ID of one call", `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  tool draft#call_search [1-2]
			  model [3-4] shows:#call_search->found`, `
			agent planner [0-9]
			  tool search#call_search [1-2]
			  tool draft#call_draft [1-2]
			  model [3-4] shows:#call_search->found`},
		{"content_unreadable", "calls have spans of their own", `
			agent planner [0-9]
			  model [1-2] messages unread`, `
			agent planner [0-9]
			  model [1-2] unread`},
		{"content_unreadable", "the span has the tool's name as it was asked for", `
			agent planner [0-9]
			  model [1-2] unread
			  tool get_weather [3-4] normalized`, `
			agent planner [0-9]
			  model [1-2] unread
			  tool get_weather [3-4]`},
		{"evidence_dropped", "it began after the table had lost something", `
			root [0-9]
			  tool search [1-2]`, `
			root [5-9]
			  tool search [6-7]`},
		{"part_incomplete", "the other instrumentation's run is complete", `
			agent planner [0-9] by:crew
			  tool search#call_search{} [1-2] by:crew
			trace b
			agent planner [0-9] by:other
			  model [1-2] messages unread by:other
			  tool search#call_search{} [1-2] by:other`, `
			agent planner [0-9] by:crew
			  tool search#call_search{} [1-2] by:crew
			trace b
			agent planner [0-9] by:other
			  model [1-2] unread by:other
			  tool search#call_search{} [1-2] by:other`},
	} {
		t.Run(tc.doubt+", but not: "+tc.but, func(t *testing.T) {
			s := closeAll()
			s.MaxCalls, s.Lost = 3, at(4).UnixNano()
			require.Contains(t, s.then(t, new(evidence.Log), tc.raises), tc.doubt)
			require.NotContains(t, s.then(t, new(evidence.Log), tc.near), "(")
		})
	}
}

// A conversation is pending if its last response asked for a call that nothing answers.
func TestPending(t *testing.T) {
	for _, tc := range []struct {
		name, log string
		want      bool
		reason    string
	}{
		{"a request", "model [1-2] asks:pay#call_payment", true, "it has no result"},
		{"a request and its span", "model [1-2] asks:pay#call_payment\ntool pay#call_payment [3-4]", false, "the call was made"},
		{"a request and a span without an ID", "model [1-2] asks:pay#call_payment\ntool pay [3-4]", false, "it may be that call"},
		{"a request and an earlier span", "tool pay [0-1]\nmodel [2-3] asks:pay#call_payment", true, "that was another call"},
		{"a request and its result", "model [1-2] asks:pay#call_payment\nmodel [3-4] shows:#call_payment", false, "the model was shown it"},
		{"two requests", "model [1-2] asks:pay#call_payment asks:mail#call_mailing\ntool mail#call_mailing [3-4]", true, "one has no result"},
		{"a request of before", "model [1-2] asks:pay#call_payment\nmodel [3-4]", false, "the model went on without it"},
		{"a request in another trace", "trace a\ntool pay#call_payment [3-4]\ntrace b\nmodel [1-2] asks:pay#call_payment", false, "they are one log"},
		{"a call that the provider made", "model [1-2] hosts:search#call_search", false, "it was made"},
		{"a request with its result", "model [1-2] answers:search#call_search->found", false, "the response has the result"},
		{"a result that is not kept", "model [1-2] asks:pay#call_payment\nmodel [0-1] made:call_payment", false, "a model was shown it"},
		{"a refusal", "model [1-2] asks:pay#call_payment\nmodel [0-1] refused:call_payment", false, "a model was told"},
		{"no response", "tool pay#call_payment [3-4]", false, "nothing was asked for"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, runs.IsPending(runstest.Log(t, tc.log)), tc.reason)
		})
	}
}

// How a run was closed may be a doubt as well.
func TestDoubtsOfAnExamination(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		change     func(*setting)
	}{
		{"a limit, before the wait was over", "planner: (limit)", func(s *setting) { s.Due, s.By = 0, evidence.ByLimit }},
		{"a limit, later", "planner:", func(s *setting) { s.By = evidence.ByLimit }},
		{"a shutdown, before the wait was over", "planner: (shutdown)", func(s *setting) { s.Due, s.By = 0, evidence.ByShutdown }},
		{"a shutdown, later", "planner:", func(s *setting) { s.By = evidence.ByShutdown }},
		{"a limit closed a log with an ID of this one", "planner: (limit)", func(s *setting) { s.Parted = true }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := closeAll()
			tc.change(s)
			require.Equal(t, tc.want+"\n", s.then(t, new(evidence.Log), "agent planner [0-9]"))
		})
	}
}

// A run that closed early may have calls of the next ones of its trace.
func TestARunAfterOneThatClosedEarlyIsInDoubt(t *testing.T) {
	for _, tc := range []struct {
		name, next, want, reason string
		by                       evidence.CloseReason
	}{
		{"in its time", `agent planner [0-9]`, "planner: (evidence_dropped)\n", "its calls were judged without it", evidence.ByIdle},
		{"after it", `agent planner [3-9]`, "planner:\n", "no call can have been its", evidence.ByIdle},
		{"after a limit", `agent planner [3-9]`, "planner: (evidence_dropped)\n", "a limit may have taken any", evidence.ByLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := runstest.Log(t, "- agent planner [0-9]\n  tool search [1-2]")
			s := closeAll()
			s.By = tc.by
			require.NotEmpty(t, s.then(t, log, ""))
			require.Equal(t, tc.want, closeAll().then(t, log, tc.next), tc.reason)
		})
	}
}

// Payloads are compared by value only up to a bound of their size. Beyond it nothing is equal, and the run is in doubt.
func TestMorePayloadThanIsReadIsADoubt(t *testing.T) {
	for megabytes, inDoubt := range map[int]bool{1: false, 20: true} {
		var log strings.Builder
		log.WriteString("agent planner [0-9]\n")
		text := strings.Repeat("x", 1<<20)
		for i := range megabytes {
			fmt.Fprintf(&log, "  model [1-2] asks:search{\"q\":\"%s\"} id:m%d\n  tool search{\"q\":\"%d\"} [3-4] id:t%d\n", text, i, i, i)
		}
		require.Equal(t, inDoubt, strings.Contains(closeAll().then(t, new(evidence.Log), log.String()), "content_unreadable"))
	}
}

// Every doubt has a word of its own.
func TestEachDoubtHasAWord(t *testing.T) {
	require.Len(t, runs.AllDoubts(), 12)
	require.NotContains(t, runs.AllDoubts(), "")
	require.Equal(t, []string{"limit", "shutdown"}, (runs.Shutdown | runs.Limit).Names())
}
