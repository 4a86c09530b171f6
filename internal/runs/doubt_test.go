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

// Each doubt has a log that raises it, and one beside it that does not. The processor raises anchor_late, restarted: see the tests of
// package open and of the processor.
func TestEachDoubtAndItsNearMiss(t *testing.T) {
	const one = `
		agent planner [0-9]
		  tool search [1-2]`
	for _, tc := range []struct {
		doubt      string
		raises     string
		near       string
		change     func(*setting) // of both
		changeNear func(*setting)
		reason     string
	}{
		{
			doubt: "anchor_missing",
			raises: `
				- agent planner [0-9]
				  tool search [1-2]`,
			near:   one,
			reason: "the agent's span arrived",
		},
		{
			doubt: "limit",
			raises: `
				agent planner [0-9]
				  tool search [1-2]
				  tool search [3-4]
				  tool search [5-6]`,
			near: `
				agent planner [0-9]
				  tool search [1-2]
				  tool search [3-4]
				  tool search [3-4]`,
			change: func(s *setting) { s.MaxCalls = 2 },
			reason: "copies of a span are one call",
		},
		{
			doubt: "limit", raises: one, near: one,
			change:     func(s *setting) { s.Due, s.By = 0, evidence.ByLimit },
			changeNear: func(s *setting) { s.Due = closeAll().Due },
			reason:     "the wait was over when the limit was reached",
		},
		{
			doubt: "limit", raises: one, near: one,
			change:     func(s *setting) { s.Parted = true },
			changeNear: func(s *setting) { s.Parted = false },
			reason:     "no other log had an ID of this one",
		},
		{
			doubt: "shutdown", raises: one, near: one,
			change:     func(s *setting) { s.Due, s.By = 0, evidence.ByShutdown },
			changeNear: func(s *setting) { s.Due = closeAll().Due },
			reason:     "the wait was over before the shutdown",
		},
		{
			doubt: "owner_unknown",
			raises: `
				agent planner [0-9]
				  agent writer [1-8]
				- span [0-9]
				  tool search [2-3]`,
			near: `
				agent planner [0-9]
				  agent writer [1-2]
				- span [0-9]
				  tool search [3-4]`,
			reason: "only one agent ran then",
		},
		{
			doubt: "copies_differ",
			raises: `
				agent planner [0-9]
				  tool search->found [1-2]
				  tool search->lost [1-2]`,
			near: `
				agent planner [0-9]
				  tool search [1-2]
				  tool search->lost [1-2]`,
			reason: "the first copy came before the output",
		},
		{
			doubt: "copies_differ",
			raises: `
				agent planner [0-9]
				  model [1-2] asks:getWeather asks:get_weather
				  tool get_weather [3-4] normalized id:one
				  tool get_weather [3-4] normalized id:two
				  tool get_weather [5-6] normalized`,
			near: `
				agent planner [0-9]
				  model [1-2] asks:getWeather
				  tool get_weather [3-4] normalized`,
			reason: "the requests have one spelling of the tool",
		},
		{
			doubt: "result_ambiguous",
			raises: `
				agent planner [0-9]
				  tool search#call_search [1-2] id:one by:crew
				  tool draft#call_search [1-2] id:two by:crew
				  model [3-4] shows:#call_search->found`,
			near: `
				agent planner [0-9]
				  tool search#call_search [1-2] id:one by:crew
				  tool draft#call_draft [1-2] id:two by:crew
				  model [3-4] shows:#call_search->found`,
			reason: "the result has the ID of one call",
		},
		{
			doubt: "content_unreadable",
			raises: `
				agent planner [0-9]
				  model [1-2] messages unread`,
			near: `
				agent planner [0-9]
				  model [1-2] unread`,
			reason: "the calls have spans of their own",
		},
		{
			doubt: "content_unreadable",
			raises: `
				agent planner [0-9]
				  model [1-2] unread
				  tool get_weather [3-4] normalized`,
			near: `
				agent planner [0-9]
				  model [1-2] unread
				  tool get_weather [3-4]`,
			reason: "the name of the tool is written as it was asked for",
		},
		{
			doubt: "evidence_dropped",
			raises: `
				root [0-9]
				  tool search [1-2]`,
			near: `
				root [5-9]
				  tool search [6-7]`,
			change: func(s *setting) { s.Lost = at(4).UnixNano() },
			reason: "it began after the table had lost something",
		},
		{
			doubt: "part_incomplete",
			raises: `
				agent planner [0-9] by:crew
				  tool search#call_search{"q":1} [1-2] by:crew
				trace b
				agent planner [0-9] by:other
				  model [1-2] messages unread by:other
				  tool search#call_search{"q":1} [1-2] by:other`,
			near: `
				agent planner [0-9] by:crew
				  tool search#call_search{"q":1} [1-2] by:crew
				trace b
				agent planner [0-9] by:other
				  model [1-2] unread by:other
				  tool search#call_search{"q":1} [1-2] by:other`,
			reason: "the other instrumentation's run is complete",
		},
	} {
		t.Run(tc.doubt+", not if "+tc.reason, func(t *testing.T) {
			s := closeAll()
			if tc.change != nil {
				tc.change(s)
			}
			require.Contains(t, doubtsOf(s.then(t, new(evidence.Log), tc.raises)), tc.doubt)
			if tc.changeNear != nil {
				tc.changeNear(s)
			}
			require.Empty(t, doubtsOf(s.then(t, new(evidence.Log), tc.near)), tc.near)
		})
	}
}

// doubtsOf returns the doubts in a text of runs.
func doubtsOf(text string) (all []string) {
	for line := range strings.Lines(text) {
		if _, doubts, has := strings.Cut(strings.TrimSpace(line), "("); has {
			all = append(all, strings.Split(strings.TrimSuffix(doubts, ")"), ", ")...)
		}
	}
	return all
}

// A run that closed early may have calls of the next ones of its trace.
func TestARunAfterOneThatClosedEarlyIsInDoubt(t *testing.T) {
	const first = `
		- agent planner [0-9]
		  tool search [1-2]`
	for _, tc := range []struct {
		name, next, want, reason string
		by                       evidence.CloseReason
	}{
		{"in its time", `agent planner [0-9]`, "planner: (evidence_dropped)\n", "its calls were judged without it", evidence.ByIdle},
		{"after it", `agent planner [3-9]`, "planner:\n", "no call can have been its", evidence.ByIdle},
		{"after a limit", `agent planner [3-9]`, "planner: (evidence_dropped)\n", "a limit may have taken any", evidence.ByLimit},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log := runstest.Log(t, first)
			s := closeAll()
			s.By = tc.by
			require.NotEmpty(t, s.then(t, log, ""))
			require.Equal(t, tc.want, closeAll().then(t, log, tc.next), tc.reason)
		})
	}
}

// Payloads are compared by value only up to a bound of their size. Beyond it nothing is equal, and the run is in doubt.
func TestMorePayloadThanIsReadIsADoubt(t *testing.T) {
	for _, tc := range []struct {
		bytes int
		doubt string
	}{{1 << 20, "[]"}, {20 << 20, "[content_unreadable]"}} {
		var log strings.Builder
		log.WriteString("agent planner [0-9]\n")
		text := strings.Repeat("x", 1<<20)
		for i := range tc.bytes >> 20 {
			fmt.Fprintf(&log, "  model [1-2] asks:search#call_%x{\"q\":\"%s\"} id:m%d\n", 0xabcdef+i<<8, text, i)
			fmt.Fprintf(&log, "  tool search{\"q\":\"%d\"} [3-4] id:t%d\n", i, i)
		}
		require.Equal(t, tc.doubt, fmt.Sprint(doubtsOf(closeAll().then(t, new(evidence.Log), log.String()))))
	}
}

// Every doubt has a word of its own.
func TestEachDoubtHasAWord(t *testing.T) {
	words := map[string]bool{}
	for _, w := range runs.AllDoubts() {
		require.NotEmpty(t, w)
		words[w] = true
	}
	require.Len(t, words, 11)
	require.True(t, runs.Doubts(0).Complete())
	require.Equal(t, []string{"limit", "shutdown"}, (runs.Shutdown | runs.Limit).Names())
}
