package open_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

// When a run closes: see the fields of Settings. Anchors wait for 10 seconds, and what has none for 60 after its last span.
func TestWhenRunsClose(t *testing.T) {
	type arrival struct {
		at   float64
		text string
	}
	conversations := func(s *open.Settings) { s.Conversations = true }
	none := func(*open.Settings) {}
	for _, tc := range []struct {
		name    string
		set     func(*open.Settings)
		arrives []arrival
		want    string
		reason  string
	}{
		{"an anchor", none, []arrival{{0, planner}}, "10 planner: search#call_search", "its wait"},
		{"late calls", none, []arrival{{0, "agent planner [0-9]"}, {9, "- agent planner [0-9]\n tool search [1-2]"}},
			"10 planner: search", "the wait begins with the anchor, and calls do not prolong it"},
		{"two anchors of a trace", none, []arrival{{0, "agent planner [0-5]"}, {4, "agent writer [6-9]"}},
			"10 planner:\n14 writer:", "each by itself"},
		{"no anchor", none, []arrival{{0, "tool search [1-2]"}, {30, "tool book [3-4]"}},
			"90 ?: search, book (anchor_missing)", "idle since the last span"},
		{"a conversation, asked for", conversations, []arrival{{0, "agent planner [0-5] conversation:talk"}, {30, "trace b\nagent planner [6-9] conversation:talk"}},
			"90 planner + agent planner:", "a user responds late"},
		{"a conversation that waits for a result", conversations, []arrival{{0, "agent planner [0-5] conversation:talk\n model [1-2] asks:pay#call_payment"}},
			"600 planner: (pending)", "somebody has to approve the call"},
		{"a conversation that got the result", conversations, []arrival{
			{0, "agent planner [0-5] conversation:talk\n model [1-2] asks:pay#call_payment"},
			{300, "trace b\nagent planner [300-309] conversation:talk\n tool pay#call_payment [301-302]"},
		}, "360 planner + agent planner: pay#call_payment", "the wait is the usual one then"},
		{"a request that has no result, in one turn", none, []arrival{{0, "agent planner [0-5] conversation:talk\n model [1-2] asks:pay#call_payment"}},
			"10 planner:", "each turn is a run"},
		{"a conversation, not asked for", none, []arrival{{0, "agent planner [0-5] conversation:talk"}},
			"10 planner:", "it is a run like others"},
		{"a conversation of a root, asked for", conversations, []arrival{{0, "root [0-9] conversation:talk\n tool search [1-2]"}},
			"60 root: search", "a user responds late"},
		{"a conversation of a root beside an agent", conversations, []arrival{{0, "root [0-9] conversation:talk\n agent planner [1-5]"}},
			"10 passed: root; planner:", "the root represents no run"},
		{"two traces of one run", none, []arrival{
			{0, "agent planner [0-9] by:crew\n tool search#call_search [1-2] by:crew"},
			{5, "trace b\nagent planner [0-9] by:other\n tool search#call_search [1-2] by:other"},
		}, "15 planner + agent planner: search#call_search", "they wait for each other, so from the last anchor"},
		{"a step of a model", none, []arrival{{0, "model [0-1] held messages asks:search#call_search"}},
			"60 model: search#call_search asked", "the next step follows when the tool is done"},
		{"a step below an agent", none, []arrival{{0, "agent planner [0-9]\nmodel [0-1] messages asks:search#call_search"}},
			"10 planner: search#call_search asked", "the agent's span ends the run"},
		{"parts of an agent's run", none, []arrival{{0, "agent cli [0-5] conversation:talk part:p1"}, {30, "trace b\nagent cli [6-9] conversation:talk part:p1"}},
			"90 cli + agent cli:", "the next part follows when a tool is done or the user has agreed to it"},
		{"an orphan", none, []arrival{
			{0, "- agent planner [0-9]\n model [1-2] asks:search#call_search"}, {3, "trace b\ntool search#call_search [3-4] id:search\nroot [3-4] id:search"}, {20, "agent planner [0-9]"},
		}, "30 planner + root: search#call_search", "it waits for the run that it belongs to"},
		{"a root", none, []arrival{{0, "root [0-9]\n tool search [1-2]"}}, "10 root: search",
			"it waits as agents do"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLogs(t, tc.set)
			for _, a := range tc.arrives {
				l.add(a.at, a.text)
			}
			require.Equal(t, tc.want, l.closesAt(), tc.reason)
		})
	}
}

// A large log is examined at most once a second.
func TestALargeLogIsExaminedOnceASecond(t *testing.T) {
	for _, tc := range []struct {
		spans int
		want  string
	}{{10, "10.2"}, {2000, "11.0"}} {
		l := newLogs(t)
		var text strings.Builder
		for i := range tc.spans {
			fmt.Fprintf(&text, "span [1-2] id:%d\n", i)
		}
		l.add(0, "agent planner [0-5]")
		l.add(0, text.String())
		l.add(0.2, "agent writer [6-9]")
		var closed string
		for tenths := range 200 {
			if strings.Contains(l.tick(float64(tenths)/10), "writer") {
				closed = fmt.Sprintf("%.1f", float64(tenths)/10)
			}
		}
		require.Equal(t, tc.want, closed, "%d spans", tc.spans)
	}
}

// Where a span was refused that may represent a run, its sender tries again for some minutes.
func TestARefusedAnchorIsWaitedFor(t *testing.T) {
	trace := runstest.Log(t, "agent planner [0-9]").Traces[0]
	call := "- agent planner [0-9]\n tool search [1-2]"

	l := newLogs(t)
	l.Append(at(0), trace.Key, trace.Facts)
	l.add(0, call)
	require.Equal(t, "660 ?: search (anchor_missing)", l.closesAt(), "the agent was seen")

	l = newLogs(t)
	l.add(0, call)
	l.Await(trace.Held)
	require.Equal(t, "660 ?: search (anchor_missing)", l.closesAt(), "the processor says so")

	l = newLogs(t)
	l.add(0, call)
	l.Await(trace.Held)
	l.add(300, "agent planner [0-9]")
	require.Equal(t, "310 planner: search", l.closesAt(), "it came")
}

// A log that was seen again is due later, and a log that got its anchor earlier.
func TestTheFirstLogThatIsDueComesFirst(t *testing.T) {
	l := newLogs(t)
	for i, name := range []string{"a", "b", "c", "d"} {
		l.add(float64(i), "trace "+name+"\ntool search#call_"+name+"x [1-2]")
	}
	l.add(10, "trace a\ntool search [3-4]")
	l.add(20, "trace c\nagent planner [0-9]")
	require.Equal(t, `30 planner: search#call_cx
61 ?: search#call_bx (anchor_missing)
63 ?: search#call_dx (anchor_missing)
70 ?: search#call_ax, search (anchor_missing)`, l.closesAt())
}
