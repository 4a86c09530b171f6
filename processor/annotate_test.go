package processor

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func annotatesCalls(s *Settings, _ *sink) { s.AnnotateCalls = true }

// callAttributes returns the attributes of a call's verdict: "m verdict credit", sorted by metric.
func (r *rig) callAttributes(name string) (all []string) {
	attributes := r.verdict(name)
	for _, m := range r.set.Metrics {
		verdict, ok := attributes[m.Name+".call.verdict"]
		if !ok {
			require.NotContains(r.t, attributes, m.Name+".call.credit")
			continue
		}
		line := m.Name + " " + verdict.(string)
		if credit, ok := attributes[m.Name+".call.credit"]; ok {
			line += " " + strconv.FormatFloat(credit.(float64), 'g', 3, 64)
		}
		all = append(all, line)
	}
	return all
}

// comparing has a metric of each method, by the method's name. Those that can compare arguments do.
func comparing(t *testing.T) (all []evaluate.Metric) {
	add := func(m scoring.Method, err error) {
		require.NoError(t, err)
		all = append(all, evaluate.Metric{Name: m.Name(), Method: m})
	}
	native := scoring.DefaultNative()
	native.Order, native.Arguments = scoring.InOrder, scoring.ArgumentsSubset
	add(scoring.NewNative(native))
	axion := scoring.DefaultAxion()
	axion.CheckParameters = true
	add(scoring.NewAxion(axion))
	deepEval := scoring.DefaultDeepEval()
	deepEval.EvaluationParams = []string{"input_parameters"}
	add(scoring.NewDeepEval(deepEval))
	add(scoring.NewDeepEvalMultimodal(deepEval))
	evalSharp := scoring.DefaultEvalSharp()
	evalSharp.EvaluationParams = deepEval.EvaluationParams
	add(scoring.NewEvalSharp(evalSharp))
	add(scoring.NewEvalLib(scoring.DefaultEvalLib()))
	add(scoring.NewGaltea(scoring.DefaultGaltea()))
	return all
}

func TestWhatIsWrittenOnSpansOfCalls(t *testing.T) {
	search := []string{"tool_correctness matched 1"}
	forbidding := func(s *Settings, _ *sink) {
		e, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}, Forbidden: []scoring.Tool{{Name: "rm"}}})
		require.NoError(t, err)
		s.Expectations[0].Expected = e
	}
	for _, tc := range []struct {
		name   string
		change func(*Settings, *sink)
		spans  []span
		want   map[string][]string
		reason string
	}{
		{"the whole trace", func(s *Settings, _ *sink) { s.Run.WholeTrace = true },
			[]span{plain("root", "", 0, 20), agent("a", "root", 1, 9), tool("c", "a", 2, 3, "search"), tool("t", "root", 11, 12, "planner").with("gen_ai.agent.name", "b")},
			map[string][]string{"c": search, "t": {"tool_correctness unexpected"}, "root": nil, "a": nil}, "its root represents all calls"},
		{"a call without a parent", nil, []span{agent("root", "", 0, 20), tool("c", "", 2, 3, "search"), tool("d", "root", 4, 5, "lookup")},
			map[string][]string{"c": search, "d": {"tool_correctness unexpected"}}, "the agent's span represents the run"},
		{"a call without a parent, in a whole trace", func(s *Settings, _ *sink) { s.Run.WholeTrace = true },
			[]span{agent("root", "", 0, 20), tool("c", "", 2, 3, "search"), tool("d", "root", 4, 5, "lookup")},
			map[string][]string{"c": search, "d": {"tool_correctness unexpected"}}, "the longest root represents the trace"},
		{"a tool that is the root", nil, []span{tool("c", "", 2, 3, "search"), tool("d", "c", 2, 3, "lookup")},
			map[string][]string{"c": search, "d": {"tool_correctness unexpected"}}, "the root is the span of the run, and that of a call"},
		{"a forbidden call", forbidding, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), tool("d", "a", 4, 5, "rm")},
			map[string][]string{"c": search, "d": {"tool_correctness forbidden"}}, "the score of the run is 0"},
		{"what cannot be known", func(s *Settings, sink *sink) {
			exact := scoring.DefaultNative()
			exact.Arguments = scoring.ArgumentsExact
			m, err := scoring.NewNative(exact)
			require.NoError(t, err)
			e, err := scoring.NewExpectation(scoring.ExpectationSettings{
				Tools: []scoring.Tool{{Name: "search", Arguments: scoring.JSON(`{"q": 1}`)}}, Forbidden: []scoring.Tool{{Name: "rm"}},
			})
			require.NoError(t, err)
			s.Metrics[0].Method, s.Expectations[0].Expected = m, e
		}, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), tool("d", "a", 4, 5, "rm")},
			map[string][]string{"c": nil, "d": {"tool_correctness forbidden"}}, "the arguments of c were not captured"},
		{"what an earlier processor wrote", nil,
			[]span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "lookup").with("tool_correctness.call.credit", 1.0).with("tool_correctness.call.verdict", "matched")},
			map[string][]string{"c": {"tool_correctness unexpected"}}, "both are replaced"},
		{"a call that failed and is ignored", func(s *Settings, _ *sink) { s.IgnoreFailed = true },
			[]span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search"), tool("d", "a", 4, 5, "search").with("error.type", "timeout").
				with("tool_correctness.call.verdict", "matched").with("tool_correctness.call.credit", 1.0)},
			map[string][]string{"c": search, "d": nil}, "it is no call of the run, and what an earlier processor wrote goes"},
		{"no score", func(s *Settings, _ *sink) {
			s.Expectations[0].Expected, s.Expectations[0].FromAttribute = nil, "expected"
		},
			[]span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search").with("tool_correctness.call.verdict", "matched")},
			map[string][]string{"c": nil}, "nothing is known of the call, and what stands there is of another run"},
		{"no expectation", func(s *Settings, _ *sink) { s.Expectations = nil }, []span{agent("a", "", 1, 9), tool("c", "a", 2, 3, "search")},
			map[string][]string{"c": nil}, "the run is left alone"},
		{"no anchor", nil, []span{tool("c", "a", 2, 3, "search")}, map[string][]string{"c": nil}, "no span says that the run is not complete"},
		{"two spans of one call", nil, []span{agent("a", "", 1, 9), tool("c", "a", 2, 5, "search"), protocol("d", "c", 3, 4, "search")},
			map[string][]string{"c": search, "d": nil}, "the outer one is the call's"},
		{"calls that only models requested", nil, []span{agent("a", "", 1, 9), model("m", "a", 2, 3, nil, "search call_abcdefgh")},
			map[string][]string{"a": nil, "m": nil}, "a model's span is none of a call"},
		{"a call in a trace of its own", nil,
			[]span{agent("a", "", 1, 9), model("m", "a", 2, 3, nil, "search call_abcdefgh"), tool("c", "", 4, 5, "search").with("gen_ai.tool.call.id", "call_abcdefgh").in(1)},
			map[string][]string{"c": search, "m": nil}, "the model asked for it"},
		{"a model that is the run's span", nil, []span{model("m", "", 2, 3, nil, "search call_abcdefgh")},
			map[string][]string{"m": nil}, "it represents the run, and no span has the call"},
		{"runs that are correlated", func(s *Settings, _ *sink) { s.Run.Conversations = true },
			[]span{agent("a", "", 1, 9).with("session.id", "s"), tool("c", "a", 2, 3, "search"),
				agent("b", "", 11, 19).in(1).with("session.id", "s"), tool("d", "b", 12, 13, "lookup").in(1)},
			map[string][]string{"c": search, "d": {"tool_correctness unexpected"}, "a": nil}, "the calls are of one run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, sink *sink) {
				s.AnnotateCalls = true
				s.ConversationAttributes = []string{"session.id"}
				if tc.change != nil {
					tc.change(s, sink)
				}
			}, func(t *testing.T, r *rig) {
				require.NoError(t, r.send(tc.spans...))
				r.after(5*time.Minute, len(tc.spans))
				for name, want := range tc.want {
					assert.Equal(t, want, r.callAttributes(name), "%s: %s", name, tc.reason)
				}
			})
		})
	}
}

// leaving sends spans in one call, lets time pass, and returns the names of the spans that came out meanwhile, sorted.
func (r *rig) leaving(d time.Duration, spans ...span) (names []string) {
	r.t.Helper()
	r.sink.mu.Lock()
	earlier, count := r.sink.spans, r.sink.count
	r.sink.spans = map[pcommon.SpanID]ptrace.Span{}
	r.sink.mu.Unlock()
	if len(spans) > 0 {
		require.NoError(r.t, r.send(spans...))
	}
	time.Sleep(d)
	synctest.Wait()
	r.sink.mu.Lock()
	defer r.sink.mu.Unlock()
	require.Len(r.t, r.sink.spans, r.sink.count-count, "a span came out twice")
	for id := range r.sink.spans {
		names = append(names, strings.TrimRight(string(id[:]), "\x00"))
	}
	for id, s := range earlier {
		if _, again := r.sink.spans[id]; !again {
			r.sink.spans[id] = s
		}
	}
	slices.Sort(names)
	return names
}

// The spans of calls leave with their run, and have verdicts of their own. One that comes later does not count.
func TestTheSpansOfCallsAreHeldUntilTheirRunCloses(t *testing.T) {
	withFakeClock(t, annotatesCalls, func(t *testing.T, r *rig) {
		call := tool("call", "web", 3, 4, "search")
		require.Equal(t, []string{"web"}, r.leaving(time.Second, plain("web", "run", 2, 9), call), "it is neither a call nor an agent")
		require.Empty(t, r.leaving(9*time.Second, tool("extra", "run", 5, 6, "lookup"), agent("run", "", 1, 10)), "the wait is ten seconds")
		require.Equal(t, 3, r.total("spans_held"))
		require.Equal(t, []string{"call", "extra", "run"}, r.leaving(2*time.Second), "the wait is over")
		require.Equal(t, []string{"tool_correctness matched 1"}, r.callAttributes("call"), "search is expected")
		require.Equal(t, []string{"tool_correctness unexpected"}, r.callAttributes("extra"), "lookup is not")
		require.Empty(t, r.callAttributes("run"), "it is the span of the run")
		require.Equal(t, 1.0, r.verdict("run")["tool_correctness.score"])

		late := tool("late", "run", 5, 6, "search")
		require.Equal(t, []string{"late"}, r.leaving(0, late), "its parent is a closed run")
		require.Empty(t, r.callAttributes("late"), "it did not count")
		require.Empty(t, r.leaving(0, late, call), "the parent of the copy is no closed run")
		require.Equal(t, []string{"call", "late"}, r.leaving(time.Minute), "their trace is idle, so no other run comes")
	})
}

// manyCalls returns a run whose spans need more than one request.
func manyCalls() (spans []span) {
	for i := range releasebatch.MaxSpans + 100 {
		spans = append(spans, tool("c"+strconv.Itoa(i), "run", 2+i, 3+i, "search"))
	}
	return append(spans, agent("run", "", 1, 2000))
}

// A verdict is on the span once in LangWatch's form, whether the run passed or not, if that is configured. Copies of a span have it too.
func TestVerdictsForLangWatch(t *testing.T) {
	for _, langwatch := range []bool{true, false} {
		withFakeClock(t, func(s *Settings, _ *sink) { s.LangWatch = langwatch }, func(t *testing.T, r *rig) {
			require.NoError(t, r.send(agent("a", "", 0, 10), agent("a", "", 0, 10), tool("t", "a", 1, 2, "search"), agent("b", "", 0, 10).in(2)))
			r.after(time.Minute, 4)
			for _, id := range []string{"a", "b"} {
				events := r.sink.spans[spanID(id)].Events()
				require.Equal(t, map[bool]int{true: 1}[langwatch], events.Len(), id)
				for _, e := range events.All() {
					v, _ := e.Attributes().Get("json_encoded_event")
					var said map[string]any
					require.NoError(t, json.Unmarshal([]byte(v.Str()), &said))
					require.Equal(t, id == "a", said["passed"])
					require.Equal(t, r.verdict(id)["tool_correctness.reason"], said["details"])
				}
			}
		})
	}
}

// Names are escaped so that they do not mislead a reader, and bounded so that receivers accept the span.
func TestNamesAreSafeToShow(t *testing.T) {
	const hostile, shown = "pay\u202eme\n\x1b[31m\u200b", `pay\u202eme\n\x1b[31m\u200b`
	long, cut := strings.Repeat("é", 1<<20), strings.Repeat("é", 126)+"…"
	expecting := func(s *Settings, _ *sink) {
		e, err := scoring.NewExpectation(scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "ex" + hostile}, {Name: "ex" + long}}})
		require.NoError(t, err)
		s.Expectations[0].Expected = e
		s.Limits.Bytes = 16 << 20 // a span that does not fit is not judged
	}
	withFakeClock(t, expecting, func(t *testing.T, r *rig) {
		require.NoError(t, r.send(
			agent("a", "", 1, 9).with("gen_ai.agent.name", "desk"+hostile),
			tool("b", "a", 2, 3, hostile), tool("c", "a", 4, 5, long),
			agent("d", "", 1, 9).with("gen_ai.agent.name", long).in(2),
		))
		r.after(15*time.Second, 4)
		names := func(key string) []any { return r.verdict("a")[key].([]any) }
		require.Equal(t, []any{shown, cut}, names("tool_correctness.called"))
		require.Equal(t, []any{shown, cut}, names("tool_correctness.unexpected"))
		require.Equal(t, []any{"ex" + shown, "ex" + cut[:2*125] + "…"}, names("tool_correctness.expected"))
		require.Equal(t, names("tool_correctness.expected"), names("tool_correctness.missing"))
		require.Equal(t, "desk"+shown, r.verdict("a")["tool_correctness.agent"])
		require.Equal(t, cut, r.verdict("d")["tool_correctness.agent"])
		reason := r.verdict("a")["tool_correctness.reason"].(string)
		require.Contains(t, reason, "Failed: missing ex"+shown+", exé")
		require.Less(t, len(reason), 600)
	})
}

// The names of a run are compared as the leading metric compares it: as sets, if repeats are unique.
func TestNamesUnderUniqueRepeats(t *testing.T) {
	for repeats, want := range map[scoring.Repeats][2][]any{
		scoring.CountRepeats:  {{"search", "pay"}, {"fetch", "fetch"}},
		scoring.UniqueRepeats: {{"pay"}, {"fetch"}},
	} {
		settings := func(s *Settings, k *sink) {
			o := scoring.DefaultNative()
			o.Repeats = repeats
			native, err := scoring.NewNative(o)
			require.NoError(t, err)
			expect(t, scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}, {Name: "search"}, {Name: "pay"}}})(s, k)
			s.Metrics[0].Method = native
		}
		withFakeClock(t, settings, func(t *testing.T, r *rig) {
			require.NoError(t, r.send(agent("a", "", 1, 9), tool("b", "a", 2, 3, "search"), tool("c", "a", 3, 4, "fetch"), tool("d", "a", 4, 5, "fetch")))
			r.after(time.Minute, 4)
			require.Equal(t, want[0], r.verdict("a")["tool_correctness.missing"], "%s", repeats)
			require.Equal(t, want[1], r.verdict("a")["tool_correctness.unexpected"], "%s", repeats)
		})
	}
}
