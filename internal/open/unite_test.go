package open_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
)

// Traces that record one call, or are of one conversation where that is asked for, are one log.
func TestWhichTracesAreOneLog(t *testing.T) {
	conversations := func(s *open.Settings) { s.Conversations = true }
	none := func(*open.Settings) {}
	for _, tc := range []struct {
		name   string
		set    func(*open.Settings)
		log    string
		want   int
		reason string
	}{
		{"one call ID", none, `
			trace a
			tool search#call_search [1-2] by:crew
			trace b
			tool search#call_search [1-2] by:other`, 1, "two instrumentations recorded the call"},
		{"one call ID of one instrumentation", none, `
			trace a
			tool search#call_search [1-2] by:crew
			trace b
			tool search#call_search [1-2] by:crew`, 2, "it records a call once"},
		{"a request and the span of one instrumentation", none, `
			trace a
			model [1-2] asks:search#call_search by:crew
			trace b
			tool search#call_search [1-2] by:crew`, 1, "the span has lost its parent"},
		{"the same, below another span", none, `
			trace a
			model [1-2] asks:search#call_search by:crew
			trace b
			span [0-3]
			  tool search#call_search [1-2] by:crew`, 2, "the call is of its own trace, and IDs may come from a cache"},
		{"an ID that is counted up", none, `
			trace a
			tool search#call_0 [1-2] by:crew
			trace b
			tool search#call_0 [1-2] by:other`, 2, "such IDs mean nothing by themselves"},
		{"a request and its span", none, `
			trace a
			tool search#call_search [1-2] by:crew
			trace b
			model [1-2] asks:search#call_search by:models`, 1, "both record the call"},
		{"steps of a model", none, `
			trace a
			model [1-2] messages asks:search#call_search by:models
			trace b
			model [3-4] messages shows:#call_search by:models`, 1, "the result leads to the step before"},
		{"one call ID in two partitions", none, `
			trace a/1
			tool search#call_search [1-2] by:crew
			trace b/2
			tool search#call_search [1-2] by:other`, 2, "partitions never meet"},
		{"one trace in two partitions", none, `
			trace a/1
			tool search [1-2]
			trace a/2
			tool search [1-2]`, 2, "partitions never meet"},
		{"a conversation", conversations, `
			trace a
			agent planner [0-9] conversation:talk
			trace b
			agent planner [0-9] conversation:talk`, 1, "it is asked for"},
		{"a conversation in two partitions", conversations, `
			trace a/1
			agent planner [0-9] conversation:talk
			trace b/2
			agent planner [0-9] conversation:talk`, 2, "partitions never meet"},
		{"a conversation that only roots say", conversations, `
			trace a
			tool search [1-2]
			root [0-9] conversation:talk
			trace b
			tool search [1-2]
			root [0-9] conversation:talk`, 1, "held spans have IDs, too"},
		{"a conversation that a root says beside an agent", conversations, `
			trace a
			agent planner [1-8] conversation:talk
			root [0-9] conversation:other
			trace b
			agent planner [0-9] conversation:other`, 2, "the agent represents the run, not the root"},
		{"a conversation, not asked for", none, `
			trace a
			agent planner [0-9] conversation:talk
			trace b
			agent planner [0-9] conversation:talk`, 2, "each turn is a run"},
		{"parts of an agent's run", none, `
			trace a
			agent cli [0-1] conversation:talk part:p1
			trace b
			agent cli [2-3] conversation:talk part:`, 1, "they have one conversation"},
		{"whole traces", func(s *open.Settings) { s.WholeTrace = true }, `
			trace a
			tool search#call_search [1-2] by:crew
			trace b
			tool search#call_search [1-2] by:other`, 2, "a run is a trace"},
		{"three by two IDs", none, `
			trace a
			tool search#call_search [1-2] by:crew
			trace b
			tool book#call_book [1-2] by:crew
			trace c
			tool search#call_search [1-2] by:other
			tool book#call_book [1-2] by:other`, 1, "the third has both"},
		{"an ID of three", none, `
			trace a
			span [0-3]
			  tool search#call_search [1-2] by:models
			trace b
			model [1-2] messages asks:search#call_search by:models
			trace c
			model [3-4] messages shows:#call_search by:models`, 2, "the steps are one, whatever the first trace is"},
		{"an ID of three, the odd one last", none, `
			trace b
			model [1-2] messages asks:search#call_search by:models
			trace c
			model [3-4] messages shows:#call_search by:models
			trace a
			span [0-3]
			  tool search#call_search [1-2] by:models`, 2, "the same in another order"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLogs(t, tc.set)
			l.add(0, tc.log)
			n := 0
			for _, due := l.Take(at(700)); due; _, due = l.Take(at(700)) {
				n++
			}
			require.Equal(t, tc.want, n, tc.reason)
		})
	}
}

// Logs may turn out to be one while one of them is examined.
func TestALogIsUnitedWhileItIsExamined(t *testing.T) {
	l := newLogs(t)
	l.add(0, "agent planner [0-9] by:crew")
	l.add(5, "agent writer [0-9] by:crew")
	l.add(5, "trace b\ntool book#call_book [1-2] by:other")
	x, due := l.Take(at(10))
	require.True(t, due)
	l.add(10, "- agent writer [0-9] by:crew\n  tool book#call_book{} [1-2] by:crew")
	require.Equal(t, "planner:\n", l.examine(10, x))
	require.Equal(t, "15 writer: book#call_book{}\n70 ?: book#call_book (anchor_missing)", l.closesAt())
}
