package processor

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/releasebatch"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func wholeTraces(s *Settings, _ *sink) { s.Run.WholeTrace = true }

func annotatesCalls(s *Settings, _ *sink) { s.AnnotateCalls = true }

// callVerdict is the verdict on the span of a call, with its credit if it has one; "-" if there is none.
func (r *rig) callVerdict(name string) string {
	attributes := r.verdict(name)
	verdict, ok := attributes["tool_correctness.call.verdict"]
	credit, credited := attributes["tool_correctness.call.credit"]
	switch {
	case !ok && !credited:
		return "-"
	case credited:
		return fmt.Sprint(verdict, " ", credit)
	}
	return fmt.Sprint(verdict)
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
	forbidding := expect(t, scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}}, Forbidden: []scoring.Tool{{Name: "rm"}}})
	exact := func(s *Settings, k *sink) {
		o := scoring.DefaultNative()
		o.Arguments = scoring.ArgumentsExact
		s.Metrics[0].Method, _ = scoring.NewNative(o) // the options are ours
		expect(t, scoring.ExpectationSettings{
			Tools: []scoring.Tool{{Name: "search", Arguments: scoring.JSON(`{"q": 1}`)}}, Forbidden: []scoring.Tool{{Name: "rm"}},
		})(s, k)
	}
	none := func(*Settings, *sink) {}
	for _, tc := range []struct {
		name   string
		change func(*Settings, *sink)
		spans  string
		want   map[string]string
		reason string
	}{
		{"the whole trace", wholeTraces,
			"plain root [0-20]; agent a<root [1-9]; tool c<a [2-3] search; tool t<root [11-12] planner gen_ai.agent.name=b",
			map[string]string{"c": "matched 1", "t": "unexpected", "root": "-", "a": "-"}, "its root represents all calls"},
		{"a call without a parent", none, "agent root [0-20]; tool c [2-3] search; tool d<root [4-5] lookup",
			map[string]string{"c": "matched 1", "d": "unexpected"}, "the agent's span represents the run"},
		{"a call without a parent, in a whole trace", wholeTraces, "agent root [0-20]; tool c [2-3] search; tool d<root [4-5] lookup",
			map[string]string{"c": "matched 1", "d": "unexpected"}, "the longest root represents the trace"},
		{"a tool that is the root", none, "tool c [2-3] search; tool d<c [2-3] lookup",
			map[string]string{"c": "matched 1", "d": "unexpected"}, "the root is the span of the run, and that of a call"},
		{"a forbidden call", forbidding, "agent a [1-9]; tool c<a [2-3] search; tool d<a [4-5] rm",
			map[string]string{"c": "matched 1", "d": "forbidden"}, "the score of the run is 0"},
		{"what cannot be known", exact, "agent a [1-9]; tool c<a [2-3] search; tool d<a [4-5] rm",
			map[string]string{"c": "-", "d": "forbidden"}, "the arguments of c were not captured"},
		{"what an earlier processor wrote", none,
			"agent a [1-9]; tool c<a [2-3] lookup tool_correctness.call.credit=1 tool_correctness.call.verdict=matched",
			map[string]string{"c": "unexpected"}, "both are replaced"},
		{"a call that failed and is ignored", func(s *Settings, _ *sink) { s.IgnoreFailed = true }, "agent a [1-9]; tool c<a [2-3] search; " +
			"tool d<a [4-5] search error.type=timeout tool_correctness.call.credit=1 tool_correctness.call.verdict=matched",
			map[string]string{"c": "matched 1", "d": "-"}, "it is no call of the run, and what an earlier processor wrote goes"},
		{"no score", func(s *Settings, _ *sink) {
			s.Expectations[0].Expected, s.Expectations[0].FromAttribute = nil, "expected"
		},
			"agent a [1-9]; tool c<a [2-3] search tool_correctness.call.verdict=matched",
			map[string]string{"c": "-"}, "nothing is known of the call, and what stands there is of another run"},
		{"no expectation", func(s *Settings, _ *sink) { s.Expectations = nil }, "agent a [1-9]; tool c<a [2-3] search",
			map[string]string{"c": "-"}, "the run is left alone"},
		{"no anchor", none, "tool c<a [2-3] search", map[string]string{"c": "-"}, "no span says that the run is not complete"},
		{"two spans of one call", none, "agent a [1-9]; tool c<a [2-5] search; protocol d<c [3-4] search",
			map[string]string{"c": "matched 1", "d": "-"}, "the outer one is the call's"},
		{"calls that only models requested", none, "agent a [1-9]; model m<a [2-3] asks:search#call_abcdefgh",
			map[string]string{"a": "-", "m": "-"}, "a model's span is none of a call"},
		{"a call in a trace of its own", none,
			"agent a [1-9]; model m<a [2-3] asks:search#call_abcdefgh; tool c [4-5] search id:call_abcdefgh @1",
			map[string]string{"c": "matched 1", "m": "-"}, "the model asked for it"},
		{"a model that is the run's span", none, "model m [2-3] asks:search#call_abcdefgh",
			map[string]string{"m": "-"}, "it represents the run, and no span has the call"},
		{"runs that are correlated", conversationsOnly,
			"agent a [1-9] session.id=s; tool c<a [2-3] search; agent b [11-19] @1 session.id=s; tool d<b [12-13] lookup @1",
			map[string]string{"c": "matched 1", "d": "unexpected", "a": "-"}, "the calls are of one run"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			withFakeClock(t, func(s *Settings, sink *sink) {
				s.AnnotateCalls = true
				tc.change(s, sink)
			}, func(t *testing.T, r *rig) {
				sent := spans(tc.spans)
				require.NoError(t, r.send(sent...))
				r.after(5*time.Minute, len(sent))
				for name, want := range tc.want {
					assert.Equal(t, want, r.callVerdict(name), "%s: %s", name, tc.reason)
				}
			})
		})
	}
}

// The spans of calls leave with their run, and have verdicts of their own. One that comes later does not count.
func TestTheSpansOfCallsAreHeldUntilTheirRunCloses(t *testing.T) {
	tell(t, story{name: "of calls and of late ones", change: annotatesCalls, text: `
		> plain web<run [2-9]; tool call<web [3-4] search
		1s: web   # it is neither a call nor an agent
		> tool extra<run [5-6] lookup; agent run [1-10]
		9s: -     # the wait is ten seconds
		spans_held 3
		2s: call extra run
		call: call.verdict matched, call.credit 1
		extra: call.verdict unexpected, call.credit -
		run: call.verdict -, score 1
		> tool late<run [5-6] search
		0s: late   # its parent is a closed run
		late: call.verdict -
		> tool late<run [5-6] search; tool call<web [3-4] search
		0s: -      # the parent of the copy is no closed run
		1m: call late   # their trace is idle, so no other run comes`,
	}, story{name: "a span of a call that is restored after younger evidence does not make its trace older", change: annotatesCalls, stored: true, text: `
		> tool c<run [2-3] search
		50s: -
		> plain web<run [4-50]
		0s: web
		kill
		1s: -
		start
		20s: -   # the idle timeout is a minute
		> agent run [1-70]
		11s: c run
		run: closed_by anchor
		c: call.verdict matched`,
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
	for repeats, want := range map[scoring.Repeats]string{
		scoring.CountRepeats:  "missing [search pay], unexpected [fetch fetch]",
		scoring.UniqueRepeats: "missing [pay], unexpected [fetch]",
	} {
		tell(t, story{name: repeats.String(), change: func(s *Settings, k *sink) {
			o := scoring.DefaultNative()
			o.Repeats = repeats
			s.Metrics[0].Method, _ = scoring.NewNative(o) // the options are ours
			expect(t, scoring.ExpectationSettings{Tools: []scoring.Tool{{Name: "search"}, {Name: "search"}, {Name: "pay"}}})(s, k)
		}, text: `
			> agent a [1-9]; tool b<a [2-3] search; tool c<a [3-4] fetch; tool d<a [4-5] fetch
			1m: a b c d
			a: ` + want})
	}
}
