package open_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// Spans of a run that has closed are recognized after its trace has, too.
func TestLateSpansOfAClosedTrace(t *testing.T) {
	for _, tc := range []struct {
		name, closed, later string
		late                int
		then                string
		reason              string
	}{
		{"a call", planner, "- agent planner [0-9]\n  tool book [3-4]", 1, "", "its parent has closed"},
		{"a call after it", planner, "tool book [13-14]", 0, "160 ?: book (anchor_missing)", "it is of another run"},
		{"another run", planner, "agent writer [13-14]", 0, "110 writer:", "traces may have several runs, one after the other"},
		{"a copy of the anchor", planner, "agent planner [0-9]", 0, "", "it leaves without a verdict"},
		{"requests", planner, "- agent planner [0-9]\n  model [3-4] messages asks:book asks:pay", 2, "", "each is a call"},
		{"requests beside tool spans", planner, "- agent planner [0-9]\n  model [3-4] asks:book\n  tool book [5-6]", 1, "",
			"the span of the call counts"},
		{"the anchor of a run without one", "- agent planner [0-9]\n  tool search [1-2]", "agent planner [0-9]", 1, "",
			"the run was judged without it"},
		{"another anchor after a run without one", "- agent planner [0-9]\n  tool search [1-2]", "agent planner [3-9]", 0,
			"110 planner:", "the run was not in its time"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLogs(t)
			l.add(0, tc.closed)
			require.NotEmpty(t, l.tick(60))
			require.Equal(t, tc.late, l.add(100, tc.later), tc.reason)
			require.Equal(t, tc.then, l.closesAt(), tc.reason)
		})
	}
}

// A bounded number of closed traces is remembered. What began before one was forgotten is in doubt, if it may have had its calls.
func TestForgottenTracesAreADoubt(t *testing.T) {
	l := newLogs(t, func(s *open.Settings) { s.PastBytes = 300 })
	for i := range 3 {
		l.add(0, fmt.Sprintf("trace %d\n%s", i, planner))
	}
	l.tick(30)
	require.Zero(t, l.add(31, "trace 0\n- agent planner [0-9]\n  tool book [3-4]"), "it is forgotten")
	require.Equal(t, 1, l.add(31, "trace 2\n- agent planner [0-9]\n  tool book [3-4]"), "it is not")
	l.add(31, "trace b\nroot [20-25]\n  tool search#call_early [21-22]")
	l.add(31, "trace c\nroot [35-40]\n  tool search#call_later [36-37]")
	require.Equal(t, "?: book (anchor_missing, evidence_dropped)\nroot: search#call_early (evidence_dropped)\nroot: search#call_later\n", l.tick(91))
}

// A trace that was stored is restored: its anchors have waited since they arrived, and closed runs are known.
func TestARestoredTraceIsTheSame(t *testing.T) {
	stored := runstest.Log(t, `
		agent planner [0-9] at:5
		  span [1-8]
		    tool search [1-2] held at:5`).Traces[0]
	body, err := stored.AppendBinary(nil)
	require.NoError(t, err)
	trace, err := evidence.DecodeTrace(body)
	require.NoError(t, err)
	l := newLogs(t)
	l.Restore(at(7), &trace, 3)
	x, due := l.Take(at(15))
	require.True(t, due)
	require.Equal(t, []uint64{3}, x.Records)
	x.Records = nil
	closed := runs.Runs(&x.Log, &l.set.Options, &x.Examination)
	require.Equal(t, "planner + tool search: search\n", runstest.Text(&closed))

	past := x.Traces[0]
	l = newLogs(t)
	require.True(t, l.RestorePast(at(20), &past))
	require.Equal(t, 1, l.add(21, "- agent planner [0-9]\n  tool book [3-4]"), "late")
	require.False(t, l.RestorePast(at(20), &stored), "its runs are open")
	l.Restore(at(22), &stored, 4)
	require.False(t, l.RestorePast(at(22), &past), "the trace is open")
}

// A conversation that only held spans say is one log again after a start.
func TestARestoredConversationIsOneLog(t *testing.T) {
	l := newLogs(t, func(s *open.Settings) { s.Conversations = true })
	log := runstest.Log(t, `
		trace a
		root [0-9] conversation:talk
		  tool search [1-2]
		trace b
		root [10-19] conversation:talk
		  tool book [11-12]`)
	for i := range log.Traces {
		l.Restore(at(20), &log.Traces[i], uint64(i))
	}
	x, taken := l.TakeAny(at(21), evidence.ByShutdown)
	require.True(t, taken)
	require.Len(t, x.Traces, 2)
}

// The records of a log leave with it, and one that is undone before does not.
func TestTheRecordsOfALogAreKnown(t *testing.T) {
	l := newLogs(t)
	key := runstest.Log(t, planner).Traces[0].Key
	require.False(t, l.Track(key, 1), "it is not open")
	require.False(t, l.Untrack(key, 1))
	l.add(0, planner)
	require.True(t, l.Track(key, 1))
	require.True(t, l.Track(key, 2))
	require.True(t, l.Untrack(key, 1))
	x, _ := l.Take(at(10))
	require.Equal(t, []uint64{2}, x.Records)
	require.False(t, l.Untrack(key, 2), "it has been taken out")
	require.True(t, l.Track(key, 3), "for what comes meanwhile")
	l.examine(10, x)
}

// Spans of MCP in traces of their own complete calls of their process.
func TestAProtocolsTracesCompleteCalls(t *testing.T) {
	const call = "agent planner [0-9] from:desk\n  tool search [1-4] from:desk"
	for _, tc := range []struct{ name, protocol, want, reason string }{
		{"alone in its trace", "trace mcp\nmcp search [2-3] from:desk failed", "planner: search failed", "the client's trace"},
		{"of another process", "trace mcp\nmcp search [2-3] from:shop failed", "planner: search", "another agent's"},
		{"of another partition", "trace mcp/2\nmcp search [2-3] from:desk failed", "planner: search", "partitions never meet"},
		{"in the trace of an agent", "trace mcp\nagent writer [0-9] from:desk\n  mcp search [2-3] from:desk failed", "planner: search",
			"that agent made the call"},
		{"copies that differ", "trace mcp\nmcp search [2-3] from:desk failed\nmcp search [2-3] from:desk ok", "planner: search (result_ambiguous)",
			"nobody knows how it ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLogs(t)
			l.add(0, tc.protocol)
			l.add(1, call)
			require.Contains(t, l.tick(11), tc.want+"\n", tc.reason)
		})
	}
}

// What is kept of a protocol's spans is bounded, however many processes send them, and what is forgotten completes nothing.
func TestTheOldestSpansOfAProtocolAreForgotten(t *testing.T) {
	l := newLogs(t)
	for i := range 5000 {
		l.add(5, fmt.Sprintf("trace %d\nmcp search [2-3] from:p%d failed", i, i))
	}
	l.tick(100)
	l.add(110, "trace a\nagent first [0-9] from:p1\n  tool search [1-4] from:p1")
	l.add(110, "trace b\nagent last [0-9] from:p4999\n  tool search [1-4] from:p4999")
	require.Equal(t, "first: search\nlast: search failed\n", l.tick(120))
}

// A sender of many copies of one span that differ pushes out no other spans of the tool.
func TestCopiesOfAProtocolsSpanPushOutNoOthers(t *testing.T) {
	l, run := newLogs(t), []string{"agent planner [0-40] from:desk"}
	for i := range 20 {
		l.add(0, fmt.Sprintf("trace %d\nmcp search [%d.2-%d.3] from:desk failed", i, i, i))
		run = append(run, fmt.Sprintf("  tool search [%d.1-%d.4] from:desk", i, i))
	}
	for i := range 1000 {
		l.add(0, fmt.Sprintf("trace copies\nmcp search{%d} [90-91] from:desk", i))
	}
	l.add(1, strings.Join(run, "\n"))
	require.Contains(t, l.tick(51), "planner: search failed"+strings.Repeat(", search failed", 19)+"\n")
}

// Model calls in traces of their own are recognized by the closed run of an agent of their process.
func TestStepsOfAClosedRunAreRecognized(t *testing.T) {
	for _, announced := range []bool{true, false} {
		l := newLogs(t)
		desk := runstest.Log(t, "agent planner [0-9] from:desk\n  tool search [2-3] from:desk").Traces[0]
		if announced {
			l.AddSteps(at(0), []evidence.Sender{{Process: desk.Facts[0].Process}})
		}
		l.add(0, "agent planner [0-9] from:desk\n  tool search [2-3] from:desk")
		require.Equal(t, "planner: search\n", l.tick(10))
		l.add(11, "trace b\nmodel [1-2] held messages from:desk asks:search")
		want := map[bool]string{true: "71 passed: model", false: "71 model: search asked"}[announced]
		require.Equal(t, want, l.closesAt(), "only of processes that send steps, runs are remembered")
	}
	require.Nil(t, runs.SummaryOf(&runs.Run{}))
}

// Traces that record one call, or are of one conversation where that is asked for, are one log.
func TestWhichTracesAreOneLog(t *testing.T) {
	conversations := func(s *open.Settings) { s.Conversations = true }
	wholeTraces := func(s *open.Settings) { s.WholeTrace = true }
	none := func(*open.Settings) {}
	const (
		search, searchOfOther = "tool search#call_search [1-2] by:crew", "tool search#call_search [1-2] by:other"
		below                 = "span [0-3]\n  tool search#call_search [1-2] by:"
		asks                  = "model [1-2] asks:search#call_search by:"
		step, nextStep        = "model [1-2] messages asks:search#call_search by:models", "model [3-4] messages shows:#call_search by:models"
		talk, rootTalk        = "agent planner [0-9] conversation:talk", "tool search [1-2]\nroot [0-9] conversation:talk"
	)
	for _, tc := range []struct {
		name   string
		set    func(*open.Settings)
		traces string // with | between them
		want   int
		reason string
	}{
		{"one call ID", none, search + "|" + searchOfOther, 1, "two instrumentations recorded the call"},
		{"one call ID of one instrumentation", none, search + "|" + search, 2, "it records a call once"},
		{"a request and the span of one instrumentation", none, asks + "crew|" + search, 1, "the span has lost its parent"},
		{"the same, below another span", none, asks + "crew|" + below + "crew", 2, "the call is of its own trace, and IDs may come from a cache"},
		{"an ID that is counted up", none, "tool search#call_0 [1-2] by:crew|tool search#call_0 [1-2] by:other", 2, "such IDs mean nothing by themselves"},
		{"a request and its span", none, search + "|" + asks + "models", 1, "both record the call"},
		{"steps of a model", none, step + "|" + nextStep, 1, "the result leads to the step before"},
		{"one call ID in two partitions", none, search + "|in 2: " + searchOfOther, 2, "partitions never meet"},
		{"a conversation", conversations, talk + "|" + talk, 1, "it is asked for"},
		{"a conversation in two partitions", conversations, talk + "|in 2: " + talk, 2, "partitions never meet"},
		{"a conversation that only roots say", conversations, rootTalk + "|" + rootTalk, 1, "held spans have IDs, too"},
		{"a conversation that a root says beside an agent", conversations,
			"agent planner [1-8] conversation:talk\nroot [0-9] conversation:other|agent planner [0-9] conversation:other", 2,
			"the agent represents the run, not the root"},
		{"a conversation, not asked for", none, talk + "|" + talk, 2, "each turn is a run"},
		{"parts of an agent's run", none, "agent cli [0-1] conversation:talk part:p1|agent cli [2-3] conversation:talk part:", 1,
			"they have one conversation"},
		{"whole traces", wholeTraces, search + "|" + searchOfOther, 2, "a run is a trace"},
		{"three by two IDs", none, search + "|tool book#call_book [1-2] by:crew|" + searchOfOther + "\ntool book#call_book [1-2] by:other", 1,
			"the third has both"},
		{"an ID of three", none, below + "models|" + step + "|" + nextStep, 2, "the steps are one, whatever the first trace is"},
		{"an ID of three, the odd one last", none, step + "|" + nextStep + "|" + below + "models", 2, "the same in another order"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLogs(t, tc.set)
			for i, text := range strings.Split(tc.traces, "|") {
				text, in2 := strings.CutPrefix(text, "in 2: ")
				l.add(0, fmt.Sprintf("trace %d/%d\n%s", i, map[bool]int{false: 1, true: 2}[in2], text))
			}
			require.Equal(t, tc.want, l.due(700), tc.reason)
		})
	}
	l := newLogs(t)
	l.add(0, "trace a/1\ntool search [1-2]\ntrace a/2\ntool search [1-2]")
	require.Equal(t, 2, l.due(700), "one trace in two partitions: partitions never meet")
}

// due takes out the logs that are due, and says how many they are.
func (l *logs) due(seconds float64) (n int) {
	for _, due := l.Take(at(seconds)); due; _, due = l.Take(at(seconds)) {
		n++
	}
	return n
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
