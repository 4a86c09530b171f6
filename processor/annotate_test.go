package processor

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/evaluate"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/heldspans"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

func annotatesCalls(s *Settings, _ *sink) { s.AnnotateCalls = true }

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
	add(scoring.NewEvalSharp(deepEval))
	add(scoring.NewEvalLib(scoring.DefaultEvalLib()))
	add(scoring.NewGaltea(scoring.GalteaOptions{}))
	return all
}

// manyCalls returns a run whose spans need more than one request.
func manyCalls() (spans []span) {
	for i := range heldspans.MaxSpans + 100 {
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
