package processor

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
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
