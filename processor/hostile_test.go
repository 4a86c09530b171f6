package processor

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	expectations "github.com/toolcorrectness/toolcorrectnessprocessor/internal/expect"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// bounded runs f and checks that it ends in time, and that it allocates at most that number of bytes in all. The bounds hold
// with the race detector as well, which takes up to ten times as long.
func bounded(t *testing.T, d time.Duration, bytes uint64, f func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := time.Now()
	f()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	t.Logf("%s, %d bytes allocated", took.Round(time.Millisecond), after.TotalAlloc-before.TotalAlloc)
	require.Less(t, took, d)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, bytes)
}

// strict is a processor that reads everything and holds much. Its clock stands.
func strict(t *testing.T, change func(*Settings)) *rig {
	o := scoring.DefaultNative()
	o.Arguments, o.Output = scoring.ArgumentsExact, scoring.OutputExact
	method, err := scoring.NewNative(o)
	require.NoError(t, err)
	expected, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{
		{Name: "search", Arguments: scoring.JSON(`{"q": "x"}`), Output: scoring.JSON(`{"r": "y"}`)},
	}})
	require.NoError(t, err)
	r := newRig(t, func(s *Settings, _ *sink) {
		s.Limits = Limits{OpenRuns: 1 << 20, Bytes: 1 << 30}
		s.Run.MaxCalls, s.Run.KeepArguments, s.Run.KeepOutput = 10_000, true, true
		s.ConversationAttributes = []string{"session.id"}
		s.Metrics = []evaluate.Metric{{Name: "m", Method: method, Reason: true}}
		s.Expectations = []evaluate.Expectation{{Name: "0", Expected: expected, Metrics: s.Metrics}}
		if change != nil {
			change(s)
		}
	})
	r.clock.stop()
	return r
}

// pass has td go through the processor, to the end.
func (r *rig) pass(td ptrace.Traces) {
	r.t.Helper()
	require.NoError(r.t, r.consume(td))
	r.Advance(r.t.Context(), time.Hour)
	require.NoError(r.t, r.Shutdown(r.t.Context()))
	r.conserved()
}

// oneAgent is the agent "a" before the first spans.
func oneAgent(i int, spans ...span) []span {
	if i == 0 {
		return append(spans, agent("a", "", 0, 1_000_000))
	}
	return spans
}

func workflow(id, parent string, start, end int) span {
	return span{id: id, parent: parent, start: start, end: end, attributes: map[string]any{"gen_ai.operation.name": "invoke_workflow"}}
}

// Whatever the shape of a trace, it takes seconds at most and memory in proportion to its spans.
func TestTracesOfHostileShapes(t *testing.T) {
	n := 5_000
	if testing.Short() {
		n = 1_000
	}
	name := strconv.Itoa
	for claim, spans := range map[string]func(i int) []span{
		"one trace id for all traffic, with hundreds of agents": func(i int) []span {
			if i%10 == 0 {
				return []span{agent("a"+name(i), "", i, i+9), tool("c"+name(i), "a"+name(i), i, i+1, "search")}
			}
			var others []span
			for j := range 10 {
				others = append(others, plain("s"+name(10*i+j), "a"+name(i/10*10), i, i+1))
			}
			return others
		},
		"agents, and calls of unknown origin": func(i int) []span {
			return []span{agent("a"+name(i), "", i, i+n), tool("c"+name(i), "lost", i+1, i+2, "search")}
		},
		"stand-ins in stand-ins": func(i int) []span {
			return []span{workflow("w"+name(i), "w"+name(i-1), i, 3*n-i), tool("c"+name(i), "w"+name(n-1), n, n+1, "search")}
		},
		"agents in agents": func(i int) []span {
			return []span{agent("a"+name(i), "a"+name(i-1), i, 3*n-i), tool("c"+name(i), "a"+name(i), n, n+1, "search")}
		},
		"tools in tools of the same name": func(i int) []span {
			return []span{tool("c"+name(i), "c"+name(i-1), i, 3*n-i, "search")}
		},
		"spans that are their own parents": func(i int) []span {
			return []span{agent("a"+name(i), "a"+name(i), i, i+1), tool("c"+name(i), "c"+name(i), i, i+1, "search")}
		},
		"one cycle of agents, tools and others": func(i int) []span {
			up := name((i + 1) % n)
			return []span{[]span{agent(name(i), up, i, i+1), tool(name(i), up, i, i+1, "search"), plain(name(i), up, i, i+1)}[i%3]}
		},
		"cycles of two": func(i int) []span {
			return []span{[]span{agent(name(i), name(i^1), i, i+1), tool(name(i), name(i^1), i, i+1, "search")}[i%2]}
		},
		"spans with the same id": func(i int) []span {
			return []span{agent("x", "y", i, i+1), tool("x", "z"+name(i), i, i+1, "search"), plain("x", "x"+name(i), i, i+1)}
		},
		"spans without an id": func(i int) []span {
			return []span{agent("", "", i, i+1), tool("", "", i, i+1, "search"), plain("", "x"+name(i), i, i+1)}
		},
		"calls with one call id": func(i int) []span {
			return oneAgent(i, tool("c"+name(i), "a", i, i+1, "search"+name(i)).with("gen_ai.tool.call.id", "call_abcdefgh"))
		},
		"one request of many models for one call": func(i int) []span {
			return oneAgent(i, model("m"+name(i), "a", i, i+1, []string{"call_abcdefgh"}, "search call_abcdefgh", "search "+name(i)))
		},
		"calls that nothing names": func(i int) []span {
			return oneAgent(i, tool("c"+name(i), "a", i, i+1, "execute_tool").with("gen_ai.tool.call.id", "call_"+name(i)+"_abcdefgh"))
		},
		"agents with long names, which differ at their ends": func(i int) []span {
			return []span{agent("a"+name(i), "p", i, 3*n-i).with("gen_ai.agent.name", strings.Repeat("x", 2<<10)+name(i))}
		},
		"failed calls of an agent that lists many tools, all with long names": func(i int) []span {
			long := strings.Repeat(".x", 200)
			if i == 0 {
				var tools []string
				for k := range 200 {
					tools = append(tools, `{"name":"`+name(k)+long+`"}`)
				}
				return []span{agent("a", "", 0, 1_000_000).with("gen_ai.tool.definitions", "["+strings.Join(tools, ",")+"]")}
			}
			called := "c" + name(i) + long
			return []span{tool("c"+name(i), "a", i, i+1, called).with("error.type", "x").with("gen_ai.tool.call.result", `"unknown tool `+called+`"`)}
		},
		"calls of a protocol": func(i int) []span {
			return oneAgent(i, protocol("p"+name(i), "a", i, i+1, "search"), tool("c"+name(i), "p"+name(i), i, i+1, "search"+name(i%2)))
		},
	} {
		t.Run(claim, func(t *testing.T) {
			var all []span
			for i := range n {
				all = append(all, spans(i)...)
			}
			td := traces(all...)
			r := strict(t, nil)
			bounded(t, 40*time.Second, uint64(len(all))*32<<10, func() { r.pass(td) })
		})
	}
}

// While one trace has 50,000 spans, and agents of it close all the time, each honest run has its verdict at most 2 seconds after its wait.
// The clock is the test's, and the time that the processor works is added to it. The large trace is examined once a second.
func TestALargeTraceDelaysNoOtherVerdict(t *testing.T) {
	const step, sending, most = 200 * time.Millisecond, 50, 2 * time.Second
	inStep := 1000
	if testing.Short() {
		inStep = 200
	}
	r := strict(t, nil)
	var done, slowest time.Duration
	released, attackers, examinations := 0, 0, 0
	out := func(id string) bool { _, out := r.sink.spans[spanID(id)]; return out }
	for n := 0; released < sending; n++ {
		now := time.Duration(n) * step
		began := time.Now()
		if n < sending {
			var all []span
			for i := range inStep {
				id := fmt.Sprintf("%d.%d", n, i)
				switch up := fmt.Sprintf("%d.%d", n, i/50*50); i % 50 {
				case 0:
					all = append(all, agent(id, "", n, n+1))
				case 1, 2, 3:
					all = append(all, tool(id, up, n, n+1, "search"))
				default:
					all = append(all, plain(id, up, n, n+1))
				}
			}
			require.NoError(t, r.send(all...))
			require.NoError(t, r.send(agent(fmt.Sprintf("h%d", n), "", n, n+1).in(byte(2+n))))
		}
		r.Advance(t.Context(), step)
		done = max(done, now+step) + time.Since(began)
		for ; released < sending && out(fmt.Sprintf("h%d", released)); released++ { // in their order
			slowest = max(slowest, done-time.Duration(released)*step-r.set.Wait)
		}
		before := attackers
		for out(fmt.Sprintf("%d.0", attackers)) {
			attackers++
		}
		if attackers > before {
			examinations++
		}
		require.Less(t, now, time.Minute, "honest runs without a verdict")
	}
	t.Logf("at most %s after the wait, in %d examinations", slowest, examinations)
	require.Positive(t, slowest)
	require.Less(t, slowest, most)
	require.LessOrEqual(t, examinations, int(sending*step/time.Second)+1)
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
}

// What one attribute holds may be as long and as deep as a request can carry. Receivers take up to 20 MiB by default.
func TestHostileAttributes(t *testing.T) {
	n, long := 100_000, strings.Repeat("x", 20<<20)
	if testing.Short() {
		n, long = 10_000, long[:2<<20]
	}
	deepList := pcommon.NewValueSlice()
	for at, i := deepList.Slice(), 0; i < n/5; i++ {
		at = at.AppendEmpty().SetEmptySlice()
	}
	deepMap := pcommon.NewValueMap()
	for at, i := deepMap.Map(), 0; i < n/5; i++ {
		at = at.PutEmptyMap("k")
	}
	for name, v := range map[string]pcommon.Value{
		"a long text":             pcommon.NewValueStr(long),
		"a long JSON string":      pcommon.NewValueStr(`{"q": "` + long + `"}`),
		"JSON that nests deep":    pcommon.NewValueStr(strings.Repeat("[", n) + strings.Repeat("]", n)),
		"JSON that never closes":  pcommon.NewValueStr(strings.Repeat(`{"k":`, n)),
		"a Python literal":        pcommon.NewValueStr(strings.Repeat("{'k': (", n) + "None" + strings.Repeat(",)}", n)),
		"many backslashes":        pcommon.NewValueStr(`{"q": "` + strings.Repeat(`\\\"`, n) + `"}`),
		"one key over and over":   pcommon.NewValueStr("{" + strings.Repeat(`"k":1,`, n) + `"k":1}`),
		"a list that nests deep":  deepList,
		"a map that nests deep":   deepMap,
		"a number of many digits": pcommon.NewValueStr(strings.Repeat("9", n) + "e" + strings.Repeat("9", n)),
		"a list of many":          pcommon.NewValueStr("[" + strings.Repeat("0,", n) + "0]"),
		"a Python list of many":   pcommon.NewValueStr("[" + strings.Repeat("'tool_calls',", n) + "0]"),
	} {
		for kind, keys := range map[string][]string{
			"content": {
				"gen_ai.tool.call.arguments", "gen_ai.tool.call.result", "traceloop.entity.input", "traceloop.entity.output",
				"input.value", "output.value", "gen_ai.output.messages", "gen_ai.input.messages", "gen_ai.tool.definitions", "any.other",
			},
			"names":    {"gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.agent.name", "session.id"},
			"expected": {"expected"},
		} {
			t.Run(name+" as "+kind, func(t *testing.T) {
				r := strict(t, func(s *Settings) {
					if kind == "expected" {
						x := &s.Expectations[0]
						x.Expected, x.FromAttribute, x.Parse = nil, kind, expectations.Parse
					}
				})
				td := hostileSpans(v, keys)
				bounded(t, 20*time.Second, 2<<30, func() { r.pass(td) })
			})
		}
	}
}

// hostileSpans are spans of several dialects, each with v under all of keys.
func hostileSpans(v pcommon.Value, keys []string) ptrace.Traces {
	td := traces(
		agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), plain("s", "a", 4, 5),
		span{id: "m", parent: "a", attributes: map[string]any{"gen_ai.operation.name": "chat"}},
		span{id: "t", parent: "a", attributes: map[string]any{"traceloop.span.kind": "tool", "traceloop.entity.name": "search"}},
		span{id: "o", parent: "a", attributes: map[string]any{"openinference.span.kind": "TOOL", "tool.name": "search"}},
	)
	for _, s := range td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().All() {
		for _, key := range keys {
			v.CopyTo(s.Attributes().PutEmpty(key))
		}
	}
	return td
}

// A skewed clock or a hostile sender may send any times: an end before its start, the years 1970 and 2554, all time. Calls
// and runs are in the same order, however they arrive.
func TestSkewedClocksGiveTheSameVerdictsInAnyOrder(t *testing.T) {
	times := [][2]uint64{
		{0, math.MaxUint64}, {math.MaxUint64, 0}, {0, 0}, {1, 2}, {math.MaxUint64, math.MaxUint64},
		{1 << 60, 1 << 59}, {1 << 63, 1<<63 + 1}, {1<<63 - 1, math.MaxUint64 - 1}, {5, 1 << 62},
	}
	td := ptrace.NewTraces()
	add := func(s span, start, end uint64) {
		one := traces(s)
		placed := one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		placed.SetStartTimestamp(pcommon.Timestamp(start))
		placed.SetEndTimestamp(pcommon.Timestamp(end))
		one.ResourceSpans().MoveAndAppendTo(td.ResourceSpans())
	}
	for i, at := range times {
		add(agent("a"+strconv.Itoa(i), "", 0, 0), at[0], at[1])
		add(tool("c"+strconv.Itoa(i), "a"+strconv.Itoa(i), 0, 0, "search"), at[1], at[0])
		add(tool("d"+strconv.Itoa(i), "lost"+strconv.Itoa(i), 0, 0, "lookup"+strconv.Itoa(i)), at[0], at[1])
	}
	want := arrivingTraces(t, td, 0)
	require.Len(t, want, 3*len(times))
	for first := range td.ResourceSpans().Len() {
		require.Equal(t, want, arrivingTraces(t, td, first), "from the span %d on", first)
	}
}

// arrivingTraces returns the released spans if the spans of td arrive one by one, in order from one of them on and around.
func arrivingTraces(t *testing.T, td ptrace.Traces, first int) map[string]string {
	r := strict(t, nil)
	for i := range td.ResourceSpans().Len() {
		one := ptrace.NewTraces()
		td.ResourceSpans().At((first + i) % td.ResourceSpans().Len()).CopyTo(one.ResourceSpans().AppendEmpty())
		require.NoError(t, r.consume(one))
	}
	r.Advance(t.Context(), time.Hour)
	require.NoError(t, r.Shutdown(t.Context()))
	r.conserved()
	out := make(map[string]string)
	for id, s := range r.sink.spans {
		out[string(id[:])] = fmt.Sprint(s.Attributes().AsRaw())
	}
	return out
}

// Runs that take long to judge come first. Small ones that are due as well do not wait for all of them, and a large one still has its turn.
func TestSmallLogsPassLargeOnesThatTakeLong(t *testing.T) {
	p := memoryProcessor(t, nil)
	var judged []pcommon.TraceID
	p.DryRun(func(r evaluate.Report) {
		judged = append(judged, r.Run.Trace)
		p.clock.advance(sliceTime) // which judging took
	})
	const large, small = 3, 4
	var sent []pcommon.TraceID
	for trace := range large + small {
		a := newArriving()
		n := 1
		if trace < large {
			n = 200
		}
		calls(n, 0)(a, trace)
		a.anchor(trace)
		sent = append(sent, a.td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0).TraceID())
		p.clock.advance(time.Millisecond) // so they are due one after the other
		require.NoError(t, p.ConsumeTraces(t.Context(), a.td))
	}
	p.Advance(t.Context(), 10*time.Second)
	require.Equal(t, slices.Concat(sent[:1], sent[large:], sent[1:large]), judged)
	require.NoError(t, p.Shutdown(t.Context()))

	now := time.Unix(1, 0)
	of := func(retained int64) int64 {
		x := &examination{Retained: retained}
		x.Now = now
		return turn(x) - now.UnixNano()
	}
	require.Equal(t, int64(4096*turnPerByte), of(4096))
	require.Equal(t, int64(longestTurn), of(1<<40), "a large log has its turn where small ones never end")
}
