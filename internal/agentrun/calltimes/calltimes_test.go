package calltimes

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/runtest"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// callsOf makes calls of specs "<name> <start>-<end>". The span of a call is its name, but calls of the group g have its span.
// The call X is another process's.
func callsOf(specs []string) (calls []agentrun.Call) {
	for _, spec := range specs {
		name, times, _ := strings.Cut(spec, " ")
		c := agentrun.Call{Call: scoring.Call{Name: name}, CallID: callID(name)}
		if name, fromGroup := strings.CutPrefix(name, "g:"); fromGroup {
			c.Span, c.Source, c.Name, c.CallID = runtest.At("g "+times), agentrun.SourceModel, name, callID(name)
		} else {
			c.Span = runtest.At(name + " " + times)
		}
		if c.Process = 1; name == "X" {
			c.Process = 2
		}
		c.Rank = uint16(len(calls)) //nolint:gosec // few
		calls = append(calls, c)
	}
	return calls
}

func callID(name string) string { return "call_of_the_tool_" + name }

// groupOf is the response of the group g. A task is "ab c": the names of its calls, with a space between messages.
func groupOf(tasks ...string) agentrun.ModelResponse {
	r := agentrun.ModelResponse{Span: runtest.At("g 0-100"), Shares: &[]agentrun.Share{}}
	r.Process = 1
	for number, task := range tasks {
		share := agentrun.Share{Agent: fmt.Sprint("agent", number), Task: number}
		for message := range strings.FieldsSeq(task) {
			share.Messages = append(share.Messages, len(message))
			for _, name := range message {
				r.Requests = append(r.Requests, agentrun.ToolRequest{ID: callID(string(name)), Name: string(name)})
			}
		}
		*r.Shares = append(*r.Shares, share)
	}
	return r
}

// orderOf says which calls come before which.
func orderOf(calls []scoring.Call) string {
	var pairs []string
	for _, c := range calls {
		for _, o := range calls {
			if c.Time.End <= o.Time.Start && c.Time.Start != o.Time.Start {
				pairs = append(pairs, c.Name+o.Name)
			}
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, " ")
}

// The messages of a group order calls that only its span recorded, unless that would order other calls too.
func TestOrderOfCallsThatOnlyAGroupRecorded(t *testing.T) {
	for _, tc := range []struct {
		name   string
		calls  []string
		tasks  []string
		order  string // the pairs of calls of which the first was before the second
		list   string // the calls as they are in the run
		reason string
	}{
		{"a message each", []string{"g:a 2-9", "g:b 2-9", "g:c 2-9"}, []string{"a b c"}, "ab ac bc", "abc", "a message has the results of the one before"},
		{"one message", []string{"g:a 2-9", "g:b 2-9"}, []string{"ab"}, "", "ab", "the model left the order open"},
		{"two messages", []string{"g:a 2-9", "g:b 2-9", "g:c 2-9"}, []string{"ab c"}, "ac bc", "abc", "only messages have an order"},
		{"one message of two tasks each", []string{"g:a 2-9", "g:b 2-9"}, []string{"a", "b"}, "", "ab", "agents of a group may work at the same time"},
		{"two messages of two tasks each", []string{"g:a 2-9", "g:b 2-9", "g:c 2-9", "g:d 2-9"}, []string{"a b", "c d"}, "", "abcd",
			"no times say that a is before b, c before d, and nothing else"},
		{"tasks one after the other", []string{"g:a 2-4", "g:b 2-4", "g:c 4-9", "g:d 4-9"}, []string{"a b", "c d"}, "ab ac ad bc bd cd", "abcd", "each has a time of its own"},
		{"tasks of which one ran longer", []string{"g:a 2-4", "g:b 2-4", "g:c 2-9", "g:d 2-9"}, []string{"a b", "c d"}, "ab", "abcd",
			"c and d may have run before a or after b"},
		{"a known call first", []string{"a 3-4", "g:b 2-9", "g:c 2-9"}, []string{"a b c"}, "ab ac bc", "abc", "the others were later"},
		{"a known call in the middle", []string{"b 3-4", "g:a 2-9", "g:c 2-9"}, []string{"a b c"}, "ab ac bc", "abc", "one was earlier, one later"},
		{"a known call last", []string{"c 3-4", "g:a 2-9", "g:b 2-9"}, []string{"a b c"}, "ab ac bc", "abc", "the others were earlier"},
		{"a known call of a moment", []string{"a 3-3", "g:b 2-9", "g:c 2-9"}, []string{"a b c"}, "ab ac bc", "abc", "a response has no length"},
		{"all known", []string{"a 3-4", "b 5-6"}, []string{"b a"}, "ab", "ab", "times count, also against messages"},
		{"all known, one message", []string{"a 3-4", "b 5-6"}, []string{"ab"}, "", "ab", "the model left the order open"},
		{"known calls against the messages", []string{"a 5-6", "c 3-4", "g:b 2-9"}, []string{"a b c"}, "ca", "bca", "b cannot be after a and before c"},
		{"known calls against the messages, and one behind them", []string{"a 5-6", "b 3-4", "g:c 2-9"}, []string{"a b c"}, "ac ba bc", "bac", "c was after both"},
		{"a part of a message", []string{"a 4-6", "g:b 2-9", "g:c 2-9"}, []string{"ab c"}, "ac bc", "abc", "b was in the time of its message"},
		{"another call in the time", []string{"g:a 2-9", "g:b 2-9", "x 4-5"}, []string{"a b"}, "", "abx", "x may have been before a, after b or between"},
		{"another call before the time", []string{"x 1-2", "g:a 2-9", "g:b 2-9"}, []string{"a b"}, "ab xa xb", "xab", "x was over"},
		{"another call around the time", []string{"x 1-10", "g:a 2-9", "g:b 2-9"}, []string{"a b"}, "ab", "xab", "the order of a and b says nothing about x"},
		{"another call in the time between known ones", []string{"a 2-3", "g:b 2-9", "g:c 2-9", "d 8-9", "x 4-5"}, []string{"a b c d"}, "ab ac ad ax bd cd xd", "abcxd",
			"only b and c have no order"},
		{"another process's call in the time", []string{"g:a 2-9", "g:b 2-9", "X 4-5"}, []string{"a b"}, "aX ab bX", "abX", "another process takes no order away"},
		{"a run of a moment", []string{"g:a 2-2", "g:b 2-2"}, []string{"a b"}, "", "ab", "there is no room for two moments"},
		{"a run without a start", []string{"g:a 0-9", "g:b 0-9"}, []string{"a b"}, "ab", "ab", "it may have been at any time, and messages have an order"},
		{"a call that nothing requested", []string{"g:a 2-9", "g:z 2-9"}, []string{"a"}, "", "az", "no message has it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			calls := callsOf(tc.calls)
			slices.SortStableFunc(calls, func(a, b agentrun.Call) int { return agentrun.CompareStart(a.Span, b.Span) })
			SetAskedBy(calls, []agentrun.ModelResponse{groupOf(tc.tasks...)})
			scored, names := make([]scoring.Call, len(calls)), make([]string, len(calls))
			for i := range calls {
				scored[i], names[i] = calls[i].Call, calls[i].Name
			}
			Set(scored, calls)
			if got, list := orderOf(scored), strings.Join(names, ""); got != tc.order || list != tc.list {
				t.Errorf("%q, as %q, want %q, as %q: %s", got, list, tc.order, tc.list, tc.reason)
			}
		})
	}
}

// A model's own response says more about its calls than the group's messages.
func TestAModelsResponseIsBeforeAMessage(t *testing.T) {
	calls := callsOf([]string{"a 2-3", "b 4-5"})
	m := agentrun.ModelResponse{Span: runtest.At("m 1-2"), Requests: []agentrun.ToolRequest{{ID: callID("a")}, {ID: callID("b")}}}
	m.Process = 1
	SetAskedBy(calls, []agentrun.ModelResponse{m, groupOf("b a")})
	scored := make([]scoring.Call, len(calls))
	Set(scored, calls)
	if got := orderOf(scored); got != "" {
		t.Errorf("order %q: the model left the order open", got)
	}
}

// Times at the end of time have no room, and are no error.
func TestTimesAtTheEndOfTime(t *testing.T) {
	const end = pcommon.Timestamp(math.MaxUint64)
	for _, start := range []pcommon.Timestamp{0, end - 3, end - 1, end} {
		calls := callsOf([]string{"g:a 2-9", "b 2-9", "g:c 2-9", "g:d 2-9"})
		for i := range calls {
			calls[i].Start, calls[i].End = start, end
		}
		SetAskedBy(calls, []agentrun.ModelResponse{groupOf("a b c d")})
		scored := make([]scoring.Call, len(calls))
		Set(scored, calls)
		for i := range scored {
			if scored[i].Time.End < scored[i].Time.Start {
				t.Errorf("from %d: call %d is from %d to %d", start, i, scored[i].Time.Start, scored[i].Time.End)
			}
		}
	}
}

// What messages say costs in proportion to the calls, whatever tasks and messages they are of.
func TestMessagesGrowLinearly(t *testing.T) {
	for _, tc := range []struct {
		name  string
		tasks func(names string) []string
	}{
		{"a message each", func(names string) []string { return []string{strings.Join(strings.Split(names, ""), " ")} }},
		{"a task each", func(names string) []string { return strings.Split(names, "") }},
		{"one message", func(names string) []string { return []string{names} }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			runtest.CheckGrowth(t, 1<<8, "each call is looked at a few times", func(_ testing.TB, n int) compare.Work {
				var specs []string
				var names strings.Builder
				for i := range n {
					name := string(rune(0x1000 + i))
					names.WriteString(name)
					specs = append(specs, "g:"+name+" 2-9")
				}
				calls, group := callsOf(specs), groupOf()
				for _, task := range tc.tasks(names.String()) {
					share := agentrun.Share{Task: len(*group.Shares)}
					for message := range strings.FieldsSeq(task) {
						share.Messages = append(share.Messages, len([]rune(message)))
						for _, name := range message {
							group.Requests = append(group.Requests, agentrun.ToolRequest{ID: callID(string(name))})
						}
					}
					*group.Shares = append(*group.Shares, share)
				}
				w := SetAskedBy(calls, []agentrun.ModelResponse{group})
				Set(make([]scoring.Call, n), calls)
				return w
			})
		})
	}
}

// A run without an anchor is remembered by the times in which its processes called.
func TestTimesByProcess(t *testing.T) {
	call := func(by agentrun.Process, start, end pcommon.Timestamp) agentrun.Call {
		return agentrun.Call{Span: agentrun.Span{Process: by, Start: start, End: end}}
	}
	response := agentrun.ModelResponse{Span: agentrun.Span{Process: 7, Start: 1, End: 9}}
	id := pcommon.TraceID{1}
	for _, c := range []struct {
		name      string
		calls     []agentrun.Call
		responses []agentrun.ModelResponse
		want      []agentrun.Span
		reason    string
	}{
		{"nothing", nil, nil, nil, "there is no time"},
		{"two calls", []agentrun.Call{call(1, 4, 6), call(1, 2, 5)}, nil, []agentrun.Span{{Trace: id, Process: 1, Start: 2, End: 6}}, "from the first start to the last end"},
		{"two processes", []agentrun.Call{call(1, 4, 6), call(2, 2, 5)}, nil, []agentrun.Span{{Trace: id, Process: 1, Start: 4, End: 6}, {Trace: id, Process: 2, Start: 2, End: 5}}, "each has its own time"},
		{"a call and a model call", []agentrun.Call{call(1, 4, 6)}, []agentrun.ModelResponse{response}, []agentrun.Span{{Trace: id, Process: 1, Start: 4, End: 6}}, "calls count alone"},
		{"a model call", nil, []agentrun.ModelResponse{response}, []agentrun.Span{{Trace: id, Process: 7, Start: 1, End: 9}}, "there is no call"},
	} {
		t.Run(c.name, func(t *testing.T) { require.Equal(t, c.want, ByProcess(id, c.calls, c.responses), c.reason) })
	}
}

// The places of requests put calls in order that began together. The lowest place counts, and the first place has no rank.
func TestPlacesOfRequests(t *testing.T) {
	asked := func(ids ...string) agentrun.ModelResponse {
		a := agentrun.ModelResponse{Span: agentrun.Span{ID: pcommon.SpanID{ids[0][0]}, Process: 1}}
		for _, id := range ids {
			a.Requests = append(a.Requests, agentrun.ToolRequest{ID: id, Name: "t"})
		}
		return a
	}
	responses := []agentrun.ModelResponse{asked("call_aaaaaaaa", "call_bbbbbbbb", "call_cccccccc"), asked("call_xxxxxxxx", "call_cccccccc")}
	calls := []agentrun.PendingCall{{Process: 1, CallID: "call_aaaaaaaa"}, {Process: 1, CallID: "call_cccccccc"}, {Process: 2, CallID: "call_bbbbbbbb"}}
	SetRanks(calls, responses)
	require.Equal(t, []uint16{0, 1, 0}, []uint16{calls[0].Rank, calls[1].Rank, calls[2].Rank}, "a response says nothing of the calls of another process")
}
