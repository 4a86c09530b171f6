package open_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evidence"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/open"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runs/runstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// logs are open logs on a clock that a test moves, in seconds. An anchor waits for 10, and a trace without one for 60.
type logs struct {
	*open.Logs
	t   *testing.T
	set *open.Settings
}

func newLogs(t *testing.T, change ...func(*open.Settings)) *logs {
	set := &open.Settings{
		Options: runs.Options{MaxCalls: 100, KeepArguments: true, KeepOutput: true},
		Wait:    10 * time.Second, IdleTimeout: time.Minute, PendingTimeout: 10 * time.Minute, PastBytes: 1 << 20,
		Parents: new(lookup.ParentCache), Agentic: new(lookup.AgenticFilter),
	}
	for _, c := range change {
		c(set)
	}
	return &logs{open.New(set), t, set}
}

func at(seconds float64) time.Time { return runstest.Time(seconds).AsTime() }

// add adds the spans of a text: see package runstest. It returns how many calls were late.
func (l *logs) add(seconds float64, text string) (late int) {
	l.t.Helper()
	log := runstest.Log(l.t, text)
	for i := range log.Traces {
		t := &log.Traces[i]
		_, calls := l.Append(at(seconds), t.Key, t.Facts)
		late += len(calls)
		l.AppendLinks(at(seconds), t.Key, t.Links)
		for k := range t.Held {
			if _, run := l.Hold(at(seconds), t.Held[k]); run != nil {
				require.Equal(l.t, runs.AnchorLate, run.Doubts)
				late++
			}
		}
	}
	return late
}

// examine examines a log that was taken out, puts back what is left, and says what closed.
func (l *logs) examine(seconds float64, x *open.Examination) string {
	closed := runs.Runs(&x.Log, &l.set.Options, &x.Examination)
	l.Summarize(at(seconds), x.Traces[0].Key.Partition, closed.Runs)
	text := runstest.Text(&closed)
	l.Return(at(seconds), x)
	return text
}

// tick examines what is due, and says what closed.
func (l *logs) tick(seconds float64) string {
	var text strings.Builder
	for x, due := l.Take(at(seconds)); due; x, due = l.Take(at(seconds)) {
		text.WriteString(l.examine(seconds, x))
	}
	lines := slices.Sorted(strings.Lines(text.String())) // logs that are due at one time have no order
	return strings.Join(lines, "")
}

// closesAt says at which times runs close, looking once a second.
func (l *logs) closesAt() string {
	var all []string
	for seconds := range 1000 {
		if text := l.tick(float64(seconds)); text != "" {
			all = append(all, fmt.Sprintf("%d %s", seconds, strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")))
		}
	}
	size, n := l.Size()
	require.Zero(l.t, n, "open runs")
	require.Less(l.t, size, int64(4<<10), "bytes that nothing needs")
	return strings.Join(all, "\n")
}

const planner = `
	agent planner [0-9]
	  tool search#call_search [1-2]`

// A log is taken out and examined, and what comes meanwhile is collected where it was.
func TestALogGrowsWhileItIsExamined(t *testing.T) {
	l := newLogs(t)
	l.add(0, planner)
	x, due := l.Take(at(10))
	require.True(t, due)
	l.add(10, `
		- agent planner [0-9]
		  tool book [3-4]
		agent writer [5-6]`)
	_, due = l.Take(at(100))
	require.False(t, due, "the log is out")
	require.Equal(t, "planner: search#call_search\n", l.examine(10, x))
	require.Equal(t, "20 late: 1; writer:", l.closesAt())
}

// A log that is united with one that is out is not examined before that is back.
func TestALogIsUnitedWithOneThatIsExamined(t *testing.T) {
	l := newLogs(t)
	l.add(0, planner)
	x, due := l.Take(at(10))
	require.True(t, due)
	l.add(10, "trace b\nagent writer [0-9] by:other\n  tool search#call_search [1-2] by:other")
	_, due = l.Take(at(100))
	require.False(t, due, "a part of it is out")
	_, found := l.TakeAny(at(100), evidence.ByLimit)
	require.False(t, found)
	require.Equal(t, "planner: search#call_search\n", l.examine(100, x))
	require.Equal(t, "20 writer: search#call_search", l.closesAt())
}

// A sender that has no answer sends its spans again, and they may come while their run closes. The copy of an anchor then gets no verdict of
// the calls that came with it.
func TestACopyThatComesWhileItsRunCloses(t *testing.T) {
	l := newLogs(t)
	l.add(0, planner+"\n\t  tool book [3-4]")
	x, due := l.Take(at(10))
	require.True(t, due)
	l.add(10, planner)
	require.Equal(t, "planner: search#call_search, book\n", l.examine(10, x))
	require.Equal(t, "20 late: 1; passed: agent planner", l.closesAt())
}

// Which spans are held depends on what else is known of their trace.
func TestWhatMustBeHeld(t *testing.T) {
	span := runstest.Log(t, "agent x [0-9]").Traces[0]
	for _, tc := range []struct {
		name, log string
		kind      evidence.Kind
		whole     bool
		want      bool
		reason    string
	}{
		{"an agent", "", evidence.Agent, false, true, "agents always represent runs"},
		{"a workflow in a trace of agents", "agent planner [0-9]", evidence.Workflow, false, false, "the agents do"},
		{"a workflow", "tool search [0-9]", evidence.Workflow, false, true, "no agent was seen"},
		{"a root of calls", "tool search [0-9]", evidence.Root, false, true, "it is all that there is"},
		{"a root without calls", "model [0-9]", evidence.Root, false, false, "there is nothing to judge"},
		{"a root of a whole trace", "model [0-9]", evidence.Root, true, true, "its run may have no calls"},
		{"a root in a trace of workflows", "workflow [0-9] unheld\n tool search [1-2]", evidence.Root, false, false, "the workflows do"},
		{"a root of an unknown trace", "", evidence.Root, false, false, "it is not agentic"},
		{"a call", "tool search [0-9]", evidence.Tool, false, true, "it leaves with the run"},
		{"a call of an unknown trace", "", evidence.Tool, false, false, "it can leave at once"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l := newLogs(t, func(s *open.Settings) { s.WholeTrace = tc.whole })
			l.add(0, tc.log)
			require.Equal(t, tc.want, l.ShouldHold(span.Key, &span.Held[0].Span, tc.kind), tc.reason)
		})
	}
}

// A limit closes the log that has been idle longest, and what comes of it later is in doubt.
func TestALimitClosesTheIdlestLog(t *testing.T) {
	l := newLogs(t)
	l.add(0, planner)
	l.add(1, "trace b\nagent writer [0-9]")
	l.add(2, "trace a\n- agent planner [0-9]\n  tool book [3-4]")
	x, found := l.TakeAny(at(3), evidence.ByLimit)
	require.True(t, found)
	require.Equal(t, "writer: (limit)\n", l.examine(3, x))
	x, _ = l.TakeAny(at(3), evidence.ByLimit)
	l.add(3, "agent reader [5-6]")
	require.Equal(t, "planner: search#call_search, book (limit)\n", l.examine(3, x))
	require.Equal(t, "13 reader: (limit, evidence_dropped)", l.closesAt(), "it came while the limit closed its trace")
	_, found = l.TakeAny(at(800), evidence.ByLimit)
	require.False(t, found)

	l.add(800, "trace c\nagent critic [0-9]\n  tool check#call_search [1-2]")
	require.Equal(t, "810 critic: check#call_search (limit)", l.closesAt(), "the limit may have closed a part of it, by its call ID")
}

// Calls over the bound of a trace are left out, and its runs say so.
func TestCallsOverTheBoundAreLeftOut(t *testing.T) {
	l := newLogs(t, func(s *open.Settings) { s.MaxCalls = 2 })
	l.add(0, planner+`
	  tool book [3-4]
	  tool pay [5-6]
	trace b
	agent writer [7-8]`)
	require.Equal(t, "10 planner: search#call_search, book (limit); writer:", l.closesAt())
}

// A trace that has as many held spans as may wait is closed, but not if all spans come before anything is due.
func TestAFullTraceCloses(t *testing.T) {
	for _, replay := range []bool{false, true} {
		l := newLogs(t, func(s *open.Settings) { s.Replay = replay })
		trace := runstest.Log(t, "agent planner [0-9]").Traces[0]
		l.Append(at(0), trace.Key, trace.Facts)
		for i := range open.MaxAnchors {
			_, full := l.TakeFull(at(0), trace.Key)
			require.False(t, full)
			h := trace.Held[0]
			h.ID[7] = byte(i)      //nolint:gosec // the low byte
			h.ID[6] = byte(i >> 8) //nolint:gosec // the next one
			taken, _ := l.Hold(at(0), h)
			require.True(t, taken)
		}
		_, full := l.TakeFull(at(0), trace.Key)
		require.Equal(t, !replay, full)
	}
}

// A sender that repeats a batch does not make its trace larger and larger. Only links are kept some hundred times.
func TestARepeatedBatchTakesItsRoomTwiceAtMost(t *testing.T) {
	const links = 1 << 11 * evidence.LinkBytes
	copies := 200
	if testing.Short() {
		copies = 40
	}
	for _, calls := range []int{10, 20, 100} {
		l := newLogs(t, func(s *open.Settings) { s.MaxCalls = 10_000 })
		var text strings.Builder
		for i := range calls {
			fmt.Fprintf(&text, "tool search{%q:%q} [%d-%d]\nspan [%d-%d]\n", "q", strings.Repeat("long", 1<<8), i, i+1, i, i+1)
		}
		l.add(0, text.String())
		once, _ := l.Size()
		for range copies {
			l.add(0, text.String())
			now, _ := l.Size()
			require.Less(t, now, 3*once+links, calls)
		}
	}
}

// Calls count once for the bound of a trace, however often they come.
func TestCopiesAreNotOverTheBound(t *testing.T) {
	l := newLogs(t, func(s *open.Settings) { s.MaxCalls = 20 })
	batch, want := "- agent planner [0-9]\n", []string(nil)
	for i := range 8 {
		batch, want = batch+fmt.Sprintf("  tool search%d [%d-%d]\n", i, i, i+1), append(want, fmt.Sprintf("search%d", i))
	}
	for range 6 {
		l.add(0, batch)
	}
	l.add(0, "agent planner [0-9]")
	require.Equal(t, "10 planner: "+strings.Join(want, ", "), l.closesAt())
}

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
